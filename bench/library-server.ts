/**
 * A server of the MCP library alone: its only tool sends one request to the platform and returns the answer as it came.
 * Nothing is checked, masked or recorded. It is the least that a call through another process costs.
 *
 * Arguments: `stdio` or `http`, the platform's address, the token, and the path of the request.
 */
import { createServer } from 'node:http';
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
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const parsedBody: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const answer = await handler.fetch(new Request(`http://localhost${incoming.url}`, { method: 'POST', headers }), {
      parsedBody,
    });
    const body = Buffer.from(await answer.arrayBuffer());
    response
      .writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': body.length })
      .end(body);
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
  });
}
