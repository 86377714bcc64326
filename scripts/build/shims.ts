/** Replaces the shims that the MCP library loads for Node: the same process, with a smaller JSON Schema validator. */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';

const { process } = globalThis;
export { process };
