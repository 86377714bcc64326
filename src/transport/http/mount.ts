/** Path of the MCP endpoint. */
export const mcpPath = '/mcp';

/** Where a server is mounted behind its proxy. */
export interface Mount {
  /** The path before those of the server, without a slash at its end; empty at the root. */
  readonly base: string;
  /** Other paths under which a path of the server is reached. */
  readonly aliases: Readonly<Record<string, string>>;
}

/**
 * The path before those of the server. `/mcp` at the end of the endpoint's address is one of its own.
 * @param endpoint the URL of the MCP endpoint as clients see it.
 */
export const basePathOf = ({ pathname }: URL): string =>
  pathname.replace(/\/+$/, '').replace(new RegExp(`${mcpPath}$`), '');

const withSlash: Mount['aliases'] = { [`${mcpPath}/`]: mcpPath };

/** The mount of a server with a public URL. Without one, it is at the root. */
export function mountOf(publicUrl: URL | undefined): Mount {
  if (!publicUrl) return { base: '', aliases: withSlash };
  const base = basePathOf(publicUrl);
  const isBase = publicUrl.pathname.replace(/\/+$/, '') === base;
  return { base, aliases: isBase ? { ...withSlash, '/': mcpPath } : withSlash };
}

/**
 * The server's own path for the path of a request. A proxy may pass the base path on or remove it.
 * @param isKnown whether the server has something at a path. Such a path is never taken for the base path.
 */
export function pathInMount(path: string, { base, aliases }: Mount, isKnown: (path: string) => boolean): string {
  const isBelow = base !== '' && !isKnown(path) && (path === base || path.startsWith(`${base}/`));
  const own = isBelow ? path.slice(base.length) || '/' : path;
  return Object.hasOwn(aliases, own) ? aliases[own]! : own;
}
