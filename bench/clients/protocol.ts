import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';

/** The revisions of the protocol that are measured: one with an opening and sessions, one without. */
export const protocolVersions = ['2025', '2026'] as const;
export type ProtocolVersion = (typeof protocolVersions)[number];

export const protocolRevisions: Readonly<Record<ProtocolVersion, string>> = { '2025': '2025-11-25', '2026': '2026-07-28' };

const clientInfo = { name: 'bench', version: '1' };

/** What a client says first. */
export const firstRequest: Readonly<Record<ProtocolVersion, { readonly method: string; readonly params: object }>> = {
  '2025': { method: 'initialize', params: { protocolVersion: protocolRevisions['2025'], capabilities: {}, clientInfo } },
  '2026': { method: 'server/discover', params: {} },
};

/** What a client of 2025 says once it was let in. */
export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;

/** Goes with every request of 2026. */
const meta = {
  [PROTOCOL_VERSION_META_KEY]: protocolRevisions['2026'],
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: {},
};

/** A request as a client of an era sends it. */
export const requestMessage = (era: ProtocolVersion, id: number, method: string, params: object) => ({
  jsonrpc: '2.0', id, method, params: era === '2026' ? { ...params, _meta: meta } : params,
});

/** The answer to a request. */
export interface RpcResponse {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly tools?: readonly object[]; readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly message: string };
}

/** A server as a client of one era speaks to it, with as little work of its own as can be. */
export interface McpPeer {
  readonly pid: number | undefined;
  /** @throws Error when the server answers with an error, or not at all. */
  readonly request: (method: string, params?: object) => Promise<NonNullable<RpcResponse['result']>>;
  readonly close: () => Promise<void>;
}

/** The result of an answer. @throws Error for anything else. */
export function resultOf(answer: RpcResponse): NonNullable<RpcResponse['result']> {
  if (answer.result === undefined) throw new Error(answer.error?.message ?? 'an answer without a result');
  if (answer.result.isError) throw new Error(answer.result.content?.map(({ text }) => text).join('\n'));
  return answer.result;
}

/** Says what a client of the era says first. */
export async function openConversation(era: ProtocolVersion, peer: McpPeer, notify: (message: object) => Promise<void> | void): Promise<void> {
  await peer.request(firstRequest[era].method, firstRequest[era].params);
  if (era === '2025') await notify(initialized);
}
