import { isAbsolute } from 'node:path';
import type { TLSSocket } from 'node:tls';

/** Paths of the PEM files that authenticate both sides of a TLS connection. */
export interface DockerTlsFiles {
  /** The authority that signed the engine's certificate. */
  readonly ca: string;
  /** This client's certificate. */
  readonly cert: string;
  /** The key of that certificate. */
  readonly key: string;
}

/** Where an engine listens. */
export type DockerAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: DockerTlsFiles };

/** The engine of another node, through its agent. */
export interface NodeAddress {
  readonly kind: 'node';
  /** The name of the node. */
  readonly name: string;
  /** Opens a connection to the agent. */
  readonly connect: () => Promise<TLSSocket>;
}

/** The address can't be used. The message says how to write one. */
export class DockerAddressError extends Error {
  override readonly name = 'DockerAddressError';
}

const forms = 'Write unix:///path/to/docker.sock, or tcp://host:port.';

/** The longest path of a unix socket on Linux, in bytes. */
const longestSocketPath = 107;

const unixAddress = (path: string): DockerAddress => {
  if (!isAbsolute(path)) throw new DockerAddressError(`The path of the engine's socket is not absolute. ${forms}`);
  if (Buffer.byteLength(path) > longestSocketPath)
    throw new DockerAddressError(
      `The path of the engine's socket is longer than ${longestSocketPath} bytes, which no unix socket can be.`,
    );
  return { kind: 'unix', path };
};

/** Whether a host name or IP address refers to this machine. An IPv6 address has no brackets. */
export const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

const tcpAddress = (text: string, tls: DockerTlsFiles | undefined): DockerAddress => {
  // URLs with http: get their hosts and ports validated, those with tcp: don't. But http: drops its default port.
  const url = URL.parse(text.replace(/^tcp:/i, 'http:'));
  const port = url?.port === '' && /:80\/?$/.test(text) ? 80 : Number(url?.port);
  if (!url || url.hostname === '' || !(port > 0))
    throw new DockerAddressError(`The engine's address has no host or no port. ${forms}`);
  if (url.username !== '' || url.password !== '')
    throw new DockerAddressError(
      "The engine's address has a user name or a password, which engines don't check. Use TLS files.",
    );
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new DockerAddressError(`The engine's address has something after its port. ${forms}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (tls === undefined && !isThisMachine(host)) {
    throw new DockerAddressError(
      `The engine at ${host} has no TLS files. Anyone who reaches an engine without TLS is root on its host: give the files of the authority, the certificate and the key.`,
    );
  }
  return { kind: 'tcp', host, port, ...(tls && { tls }) };
};

/**
 * Parses the address of an engine.
 * @param text `unix:///path` or `tcp://host:port`
 * @param tls required for hosts other than this machine; must be absent for a socket
 * @throws DockerAddressError if the address is not one of these, or the TLS files don't fit it
 */
export function parseDockerAddress(text: string, tls?: DockerTlsFiles): DockerAddress {
  const scheme = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\//i.exec(text)?.groups?.['scheme']?.toLowerCase();
  if (scheme === 'tcp') return tcpAddress(text, tls);
  if (scheme === 'unix') {
    if (tls !== undefined)
      throw new DockerAddressError(
        'An engine behind a unix socket takes no TLS files: the permissions of the socket protect it.',
      );
    return unixAddress(text.slice('unix://'.length));
  }
  if (scheme === undefined) throw new DockerAddressError(`The engine's address has no scheme. ${forms}`);
  throw new DockerAddressError(`Engines can't be reached by ${scheme}://. ${forms}`);
}

/** The address as text, without the TLS files. */
export const dockerAddressText = (address: DockerAddress | NodeAddress): string =>
  address.kind === 'unix'
    ? `unix://${address.path}`
    : address.kind === 'node'
      ? `node ${address.name}`
      : `tcp://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
