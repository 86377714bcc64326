/** Takes the place of what the MCP library loads for Node: the same process, and the validator that this program chose over a larger one. */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

const { process } = globalThis;
export { process };
