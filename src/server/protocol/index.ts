/** The MCP server. */

export type { Caller } from './caller.ts';
export { instructions } from './instructions.ts';
export { type Prebuilt, prebuiltSurface } from './surface.ts';
export { buildServer, endQuestions, type ServerDependencies } from './server.ts';
export {
  createDependencies,
  dependenciesUnder,
  type GuardDependencies,
  type SharedDependencies,
} from './shared-dependencies.ts';
