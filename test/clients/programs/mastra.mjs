import { MCPClient } from '@mastra/mcp';
import { carryOut } from './task.mjs';

await carryOut(async ({ url, headers, ...command }, answer) => {
  const server = url === undefined ? command : { url: new URL(url), requestInit: { headers } };
  const client = new MCPClient({
    servers: { infra: { ...server, inputRequests: async ({ params }) => answer(params) } },
  });
  const { infra: tools } = await client.listToolsets();
  return {
    list: async () => Object.keys(tools),
    // As an agent calls it: it gives the structured answer, and throws if the call failed.
    call: async (name, args) => ({ text: JSON.stringify(await tools[name].execute(args, {})), failed: false }),
    read: async (uri) => (await client.resources.read('infra', uri)).contents[0].text,
    close: () => client.disconnect(),
  };
});
