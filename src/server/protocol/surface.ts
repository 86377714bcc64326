import type { Policy } from '../guard/policy/policy.ts';
import { prebuilt, type Prebuilt } from './prebuilt.ts';
import type { ListedTool } from '../guard/tool-registry.ts';
import type { ListedResource } from '../browse/resources/mcp-resources.ts';

/** What clients are shown before they call anything: all of it data. */
export interface Surface {
  /** What a model is told of the server as a whole. */
  readonly instructions: string;
  /** In the tools' own order. Made when first asked for. */
  readonly tools: () => readonly ListedTool[];
  /** Names of the tools that there are and clients aren't shown. */
  readonly hidden: readonly string[];
  readonly resources: readonly ListedResource[];
}

const isNothing = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * The surface that the build derived, where the policy sets nothing that could make it another; undefined otherwise.
 * @param from what the build left; nothing when run from source.
 */
export function prebuiltSurface({ readOnly, ...others }: Policy, from: Prebuilt | undefined = prebuilt): Surface | undefined {
  if (!from || !Object.values(others).every(isNothing)) return undefined;
  const { instructions, readOnlyDescriptions, resources } = from;
  if (!readOnly) return { instructions: instructions.usual, tools: () => from.tools, hidden: [], resources };
  const [shown, left] = [true, false].map((reads) => from.tools.filter(({ annotations }) => annotations.readOnlyHint === reads)) as [ListedTool[], ListedTool[]];
  const hidden = left.map(({ name }) => name);
  const tools = shown.map((tool) => ({ ...tool, description: readOnlyDescriptions[tool.name] ?? tool.description }));
  return { instructions: instructions.readOnly, tools: () => tools, hidden, resources };
}
