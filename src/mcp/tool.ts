import type { AnyOperation, InputOf } from '../contract/operation.ts';
import type { Preview } from './guard/plan/preview.ts';
import type { Renderer } from './render.ts';
import type { Printing } from './schema.ts';
import type { JsonRecord } from './values.ts';

export { clusterLock, clusterUpgrade } from './guard/plan/cluster.ts';
export { deployment } from './guard/plan/deployment.ts';
export { role } from './guard/plan/role.ts';
export { services } from './guard/plan/services.ts';
export { override } from './guard/plan/variable.ts';
export { logLines, record, table, tableText, wholeTable, type Renderer } from './render.ts';
export { pickPaths, pruneRecord, type JsonRecord } from './values.ts';

/** Groups of tools that can be chosen together. */
export const toolsets = ['projects', 'environments', 'services', 'variables', 'clusters', 'alerts', 'organization', 'webhooks'] as const;
export type Toolset = (typeof toolsets)[number];

/** What a tool is, beside the operation it carries out. */
export interface ToolDefinition<Op extends AnyOperation> extends Printing {
  readonly toolset: Toolset;
  /** The first sentence says when to use the tool; under 1,000 characters, in words that people use. */
  readonly description: string;
  /** What carrying it out would do to this target, beyond the operation's own summary; one line each. */
  readonly plan?: (args: InputOf<Op>) => readonly string[];
  /** What it would do to what is there now, read before anyone is asked. Replacements have one anyway. */
  readonly preview?: Preview;
  readonly render: Renderer;
  /** One line after a good answer: what is usually done next, with tools that exist. */
  readonly next?: string;
}

/** A tool as data. It holds no server and no client: only the pipeline carries it out. */
export interface Tool {
  readonly name: string;
  readonly operation: AnyOperation;
  readonly toolset: Toolset;
  readonly description: string;
  readonly printing: Printing;
  readonly plan: (args: JsonRecord) => readonly string[];
  readonly preview?: Preview;
  readonly render: Renderer;
  readonly next?: string;
}

/** Makes a tool of an operation. The tool has the operation's name. */
export function defineTool<Op extends AnyOperation>(operation: Op, definition: ToolDefinition<Op>): Tool {
  const { toolset, description, fields, folded, hidden, plan, preview, render, next } = definition;
  return {
    name: operation.name,
    operation,
    toolset,
    description,
    printing: { fields, folded, hidden },
    plan: (args) => plan?.(args as InputOf<Op>) ?? [],
    preview,
    render,
    next,
  };
}
