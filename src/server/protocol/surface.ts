import type { ListedTool, Policy } from '../guard/index.ts';
import type { ListedResource } from '../browse/index.ts';

/** The surface of a server without rules, derived by the build, so that listing tools doesn't load their code. */
export interface Prebuilt {
  readonly instructions: Readonly<Record<'usual' | 'readOnly', string>>;
  readonly tools: readonly ListedTool[];
  /** By tool name: the descriptions of read tools that differ on a read-only server. */
  readonly readOnlyDescriptions: Readonly<Record<string, string>>;
  readonly resources: readonly ListedResource[];
}

/** Set by the build. Undefined when run from source: then the surface is derived when it is needed. */
const prebuilt: Prebuilt | undefined = undefined;

/** What clients see before they call anything, as data. */
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
  const { instructions, readOnlyDescriptions, resources } = derived;
  if (!readOnly) return { instructions: instructions.usual, tools: () => derived.tools, hidden: [], resources };
  const [reading, changing] = [true, false].map((reads) =>
    derived.tools.filter(({ annotations }) => annotations.readOnlyHint === reads),
  ) as [ListedTool[], ListedTool[]];
  const hidden = changing.map(({ name }) => name);
  const tools = reading.map((tool) => ({ ...tool, description: readOnlyDescriptions[tool.name] ?? tool.description }));
  return { instructions: instructions.readOnly, tools: () => tools, hidden, resources };
}
