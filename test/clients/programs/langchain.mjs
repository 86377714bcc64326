import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { carryOut, resultOf } from './task.mjs';

await carryOut(async ({ url, headers, ...command }) => {
  const client = new MultiServerMCPClient({
    mcpServers: { infra: url === undefined ? { transport: 'stdio', ...command } : { transport: 'http', url, headers } },
  });
  const tools = await client.getTools();
  return {
    list: async () => tools.map(({ name }) => name),
    // As an agent calls it. A call that failed throws.
    call: async (name, args) =>
      resultOf({
        content: [await tools.find((tool) => tool.name === name).invoke(args)]
          .flat()
          .map((part) => (typeof part === 'string' ? { text: part } : part)),
      }),
    read: async (uri) => (await client.readResource('infra', uri))[0].text,
    close: () => client.close(),
  };
});
