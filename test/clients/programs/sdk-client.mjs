import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
// The oldest version that is tried has no elicitation, so the name may be missing.
import * as types from '@modelcontextprotocol/sdk/types.js';
import { resultOf } from './task.mjs';

const transportTo = ({ command, args, env, url, headers }) =>
  url === undefined
    ? new StdioClientTransport({ command, args, env })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });

/** Connects the client of the first major version of the SDK. */
export async function connectSdk(server, answer) {
  const asks = types.ElicitRequestSchema !== undefined;
  const client = new Client({ name: 'clients', version: '1' }, { capabilities: asks ? { elicitation: {} } : {} });
  if (asks) client.setRequestHandler(types.ElicitRequestSchema, ({ params }) => answer(params));
  await client.connect(transportTo(server));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => resultOf(await client.callTool({ name, arguments: args })),
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    close: () => client.close(),
  };
}
