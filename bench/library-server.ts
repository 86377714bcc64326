/**
 * A server of the MCP library alone: its only tool sends one request to the platform and returns the answer as it came.
 * Nothing is checked, masked or recorded. It is the least that a call through another process costs.
 *
 * Arguments: `stdio` or `http`, the platform's address, the token, and the path of the request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Agent } from 'undici';

const [transport, origin = '', token = '', path = ''] = process.argv.slice(2);
const agent = new Agent({ connections: 64, pipelining: 1 });

async function read(): Promise<Record<string, unknown>> {
  const headers = { authorization: `Token ${token}` };
  const { body } = await agent.request({ origin, path, method: 'GET', headers });
  return (await body.json()) as Record<string, unknown>;
}

function build(): McpServer {
  const mcp = new McpServer({ name: 'library', version: '1' });
  mcp.server.registerCapabilities({ tools: {} });
  mcp.server.setRequestHandler('tools/call', async () => {
    const answer = await read();
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
  });
  return mcp;
}

if (transport === 'stdio') serveStdio(build);
else {
  const handler = createMcpHandler(build);
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const request = new Request(`http://localhost${incoming.url}`, { method: 'POST', headers });
    const parsedBody: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const found = await handler.fetch(request, { parsedBody });
    const body = Buffer.from(await found.arrayBuffer());
    response.writeHead(found.status, { ...Object.fromEntries(found.headers), 'content-length': body.length }).end(body);
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
  });
}
