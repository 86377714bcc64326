import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';

/** The measured protocol versions: one with an initialize handshake and sessions, one without. */
export const protocolVersions = ['2025', '2026'] as const;
export type ProtocolVersion = (typeof protocolVersions)[number];

export const protocolRevisions: Readonly<Record<ProtocolVersion, string>> = {
  '2025': '2025-11-25',
  '2026': '2026-07-28',
};

const clientInfo = { name: 'bench', version: '1' };

/** The first request of a client. */
export const firstRequest: Readonly<Record<ProtocolVersion, { readonly method: string; readonly params: object }>> = {
  '2025': {
    method: 'initialize',
    params: { protocolVersion: protocolRevisions['2025'], capabilities: {}, clientInfo },
  },
  '2026': { method: 'server/discover', params: {} },
};

/** The notification that a 2025 client sends after the initialize response. */
export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;

/** The `_meta` of every 2026 request. */
const meta = {
  [PROTOCOL_VERSION_META_KEY]: protocolRevisions['2026'],
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: {},
};

/** A request in the format of a protocol version. */
export const requestMessage = (version: ProtocolVersion, id: number, method: string, params: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  params:
    version === '2026' ? { ...params, _meta: { ...meta, ...(params as { readonly _meta?: object })._meta } } : params,
});

/** A JSON-RPC response. */
export interface RpcResponse {
  readonly id?: number;
  readonly result?: {
    readonly isError?: boolean;
    readonly tools?: readonly object[];
    readonly content?: readonly { readonly text?: string }[];
  };
  readonly error?: { readonly message: string };
}

/** A minimal client of a server, so that the client itself costs little. */
export interface McpPeer {
  readonly pid: number | undefined;
  /** Sends a request. @throws Error for an error response, or none. */
  readonly request: (method: string, params?: object) => Promise<NonNullable<RpcResponse['result']>>;
  readonly close: () => Promise<void>;
}

/** The result of a response. @throws Error for an error response or a failed tool call. */
export function resultOf(response: RpcResponse): NonNullable<RpcResponse['result']> {
  if (response.result === undefined) throw new Error(response.error?.message ?? 'a response without a result');
  if (response.result.isError) throw new Error(response.result.content?.map(({ text }) => text).join('\n'));
  return response.result;
}

/** Performs the handshake of a protocol version. */
export async function openConversation(
  version: ProtocolVersion,
  peer: McpPeer,
  notify: (message: object) => Promise<void> | void,
): Promise<void> {
  await peer.request(firstRequest[version].method, firstRequest[version].params);
  if (version === '2025') await notify(initialized);
}
