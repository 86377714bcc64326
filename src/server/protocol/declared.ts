import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** The client's declarations in a request of the 2026 revision: its capabilities and its description of itself. */
export function declaredIn({ mcpReq: { envelope } }: ServerContext): {
  readonly capabilities: ClientCapabilities | undefined;
  readonly client: unknown;
} {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities, [CLIENT_INFO_META_KEY]: client } = (envelope ?? {}) as Record<
    string,
    unknown
  >;
  return { capabilities: capabilities as ClientCapabilities | undefined, client };
}
