import { MCPServerStdio, MCPServerStreamableHttp, RunContext, getAllMcpTools } from '@openai/agents';
import { carryOut } from './task.mjs';

await carryOut(async ({ url, headers, ...command }) => {
  const server =
    url === undefined ? new MCPServerStdio(command) : new MCPServerStreamableHttp({ url, requestInit: { headers } });
  await server.connect();
  const tools = await getAllMcpTools([server]);
  return {
    list: async () => tools.map(({ name }) => name),
    // As an agent calls it. What it gives is what the model reads; a failed call looks like any other.
    call: async (name, args) => {
      const said = await tools.find((tool) => tool.name === name).invoke(new RunContext(), JSON.stringify(args));
      return {
        text:
          typeof said === 'string'
            ? said
            : [said]
                .flat()
                .map((part) => part.text ?? '')
                .join('\n'),
        failed: false,
      };
    },
    read: async (uri) => (await server.readResource(uri)).contents[0].text,
    close: () => server.close(),
  };
});
