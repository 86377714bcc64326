import { Agent } from 'undici';
import { type RpcResponse, type ProtocolVersion, requestMessage, openConversation, type McpPeer, resultOf, protocolRevisions } from './protocol.ts';

const eventData = 'data: ';

/** The message in an answer: as it is, or the last one of an event stream. */
const messageIn = (contentType: string, body: string): RpcResponse => {
  if (!contentType.startsWith('text/event-stream')) return JSON.parse(body) as RpcResponse;
  const lines = body.split('\n').filter((line) => line.startsWith(eventData) && line.length > eventData.length);
  return JSON.parse(lines.at(-1)!.slice(eventData.length)) as RpcResponse;
};

/** A client of an MCP endpoint, with a connection of its own; ready once its opening was answered. */
export async function connectHttp(address: string, era: ProtocolVersion): Promise<McpPeer> {
  const { origin, pathname } = new URL(address);
  const agent = new Agent({ connections: 1, pipelining: 1 });
  let session: string | undefined;
  let sent = 0;

  const headersOf = (method: string, name: unknown): Record<string, string> => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session !== undefined && { 'mcp-session-id': session }),
    ...((era === '2026' || session !== undefined) && { 'mcp-protocol-version': protocolRevisions[era] }),
    ...(era === '2026' && { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) }),
  });

  const post = async (said: { method: string; params?: object }): Promise<RpcResponse | undefined> => {
    const { name } = (said.params ?? {}) as { name?: unknown };
    const { statusCode, headers, body } = await agent.request({ origin, path: pathname, method: 'POST', headers: headersOf(said.method, name), body: JSON.stringify(said) });
    const text = await body.text();
    if (statusCode === 202) return undefined;
    if (statusCode !== 200) throw new Error(`${said.method} was answered ${statusCode}: ${text}`);
    session ??= headers['mcp-session-id'] as string | undefined;
    return messageIn(String(headers['content-type']), text);
  };

  const peer: McpPeer = {
    pid: undefined,
    request: async (method, params = {}) => resultOf((await post(requestMessage(era, (sent += 1), method, params)))!),
    close: () => agent.close(),
  };
  await openConversation(era, peer, async (said) => {
    await post(said as { method: string });
  });
  return peer;
}
