import type { ListedTool } from '../guard/index.ts';
import type { ListedResource } from '../browse/index.ts';

/** The surface of a server without rules, derived by the build, so that listing tools doesn't load their code. */
export interface Prebuilt {
  readonly instructions: Readonly<Record<'usual' | 'readOnly', string>>;
  readonly tools: readonly ListedTool[];
  /** Names of the tools that are only offered where they are chosen. */
  readonly leftOut: readonly string[];
  /** By tool name: the descriptions of read tools that differ on a read-only server. */
  readonly readOnlyDescriptions: Readonly<Record<string, string>>;
  readonly resources: readonly ListedResource[];
}

/** Set by the build. Undefined when run from source: then the surface is derived when it is needed. */
export const prebuilt: Prebuilt | undefined = undefined;
