import { Agent } from 'undici';
import {
  type RpcResponse,
  type ProtocolVersion,
  requestMessage,
  openConversation,
  type McpPeer,
  resultOf,
  protocolRevisions,
} from './protocol.ts';

const eventData = 'data: ';

/** The message in a response body: the JSON itself, or the last event of a stream. */
const messageIn = (contentType: string, body: string): RpcResponse => {
  if (!contentType.startsWith('text/event-stream')) return JSON.parse(body) as RpcResponse;
  const lines = body.split('\n').filter((line) => line.startsWith(eventData) && line.length > eventData.length);
  return JSON.parse(lines.at(-1)!.slice(eventData.length)) as RpcResponse;
};

/** Connects to an MCP endpoint over a separate connection. Resolves after the handshake. */
export async function connectHttp(address: string, version: ProtocolVersion): Promise<McpPeer> {
  const { origin, pathname } = new URL(address);
  const agent = new Agent({ connections: 1, pipelining: 1 });
  let session: string | undefined;
  let requestId = 0;

  const headersOf = (method: string, name: unknown): Record<string, string> => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session !== undefined && { 'mcp-session-id': session }),
    ...((version === '2026' || session !== undefined) && { 'mcp-protocol-version': protocolRevisions[version] }),
    ...(version === '2026' && { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) }),
  });

  const post = async (message: { method: string; params?: object }): Promise<RpcResponse | undefined> => {
    const { name } = (message.params ?? {}) as { name?: unknown };
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: pathname,
      method: 'POST',
      headers: headersOf(message.method, name),
      body: JSON.stringify(message),
    });
    const text = await body.text();
    if (statusCode === 202) return undefined;
    if (statusCode !== 200) throw new Error(`${message.method} was answered ${statusCode}: ${text}`);
    session ??= headers['mcp-session-id'] as string | undefined;
    return messageIn(String(headers['content-type']), text);
  };

  const peer: McpPeer = {
    pid: undefined,
    request: async (method, params = {}) =>
      resultOf((await post(requestMessage(version, (requestId += 1), method, params)))!),
    close: () => agent.close(),
  };
  await openConversation(version, peer, async (message) => {
    await post(message as { method: string });
  });
  return peer;
}
