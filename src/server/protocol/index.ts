/** The MCP server. */

export type { Caller } from './caller.ts';
export { instructions } from './instructions.ts';
export { readAs } from './read-as.ts';
export { prebuiltSurface } from './surface.ts';
export { type Prebuilt } from './prebuilt.ts';
export { buildServer, endQuestions, type ServerDependencies } from './server.ts';
export {
  createDependencies,
  dependenciesUnder,
  type GuardDependencies,
  type SharedDependencies,
} from './shared-dependencies.ts';
