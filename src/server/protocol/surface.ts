import type { ListedTool, Policy } from '../guard/index.ts';
import type { ListedResource } from '../browse/index.ts';
import { type Prebuilt, prebuilt } from './prebuilt.ts';

/** The data that clients see before any call. */
export interface Surface {
  /** The server's instructions for the model. */
  readonly instructions: string;
  /** In the order of the tools. Created when first needed. */
  readonly tools: () => readonly ListedTool[];
  /** Names of hidden tools. */
  readonly hidden: readonly string[];
  readonly resources: readonly ListedResource[];
}

const isNothing = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

/**
 * The surface that the build derived; undefined if the policy has rules that change it, or if there is none.
 * @param derived the build's surface; undefined when run from source.
 */
export function prebuiltSurface(
  { readOnly, ...others }: Policy,
  derived: Prebuilt | undefined = prebuilt,
): Surface | undefined {
  if (!derived || !Object.values(others).every(isNothing)) return undefined;
  const { instructions, leftOut, readOnlyDescriptions, resources } = derived;
  if (!readOnly) return { instructions: instructions.usual, tools: () => derived.tools, hidden: leftOut, resources };
  const [reading, changing] = [true, false].map((reads) =>
    derived.tools.filter(({ annotations }) => annotations.readOnlyHint === reads),
  ) as [ListedTool[], ListedTool[]];
  const hidden = [...leftOut, ...changing.map(({ name }) => name)];
  const tools = reading.map((tool) => ({ ...tool, description: readOnlyDescriptions[tool.name] ?? tool.description }));
  return { instructions: instructions.readOnly, tools: () => tools, hidden, resources };
}
