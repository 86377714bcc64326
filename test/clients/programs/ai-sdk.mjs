import { ElicitationRequestSchema, createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { carryOut, resultOf } from './task.mjs';

await carryOut(async ({ url, headers, ...command }, answer) => {
  const client = await createMCPClient({
    transport: url === undefined ? new StdioTransport(command) : { type: 'http', url, headers },
    capabilities: { elicitation: {} },
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => answer(params));
  const tools = await client.tools();
  return {
    list: async () => Object.keys(tools),
    call: async (name, args) => resultOf(await tools[name].execute(args, { toolCallId: name, messages: [] })),
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    close: () => client.close(),
  };
});
