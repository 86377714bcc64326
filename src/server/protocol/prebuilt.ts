import type { ListedResource } from '../browse/resources/mcp-resources.ts';
import type { ListedTool } from '../guard/tool-registry.ts';

/** The surface of a server without rules, as the build derives it: no code of a tool is needed to show it. */
export interface Prebuilt {
  readonly instructions: Readonly<Record<'usual' | 'readOnly', string>>;
  readonly tools: readonly ListedTool[];
  /** Of the tools that only read and are described otherwise where the others aren't shown, by name. */
  readonly readOnlyDescriptions: Readonly<Record<string, string>>;
  readonly resources: readonly ListedResource[];
}

/** The build puts here what it derived. From source there is nothing, and everything is derived when it is needed. */
export const prebuilt: Prebuilt | undefined = undefined;
