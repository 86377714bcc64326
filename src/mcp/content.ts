import type { CacheHint, McpServer, ServerContext, ServerOptions } from '@modelcontextprotocol/server';
import type { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { registerCompletions } from './completions.ts';
import { exceptionsOnly } from './guard/record.ts';
import type { Dependencies, Reply } from './pipeline.ts';
import { registerPrompts } from './prompts/serving.ts';
import { registerResources, registerSubscriptions } from './resources/serving.ts';
import { watchFor, type Watcher, type Watching } from './resources/watch.ts';
import type { Texts } from './texts.ts';
import type { Tool } from './tool.ts';
import type { JsonRecord } from './values.ts';

/** What resources, prompts and skills work with, beside what calls do. */
export interface ContentParts extends Watching {
  /** Prompts and other texts that come with the program; without them there are none. */
  readonly texts?: Texts;
  readonly skills?: SkillsExtension;
}

/** How the server that content is served on makes calls. */
export interface ContentCalls {
  readonly era: 'legacy' | 'modern';
  readonly callerOf: (context: ServerContext) => Watcher;
  readonly run: (tool: Tool, args: JsonRecord, context: ServerContext, dependencies: Dependencies) => Promise<Reply>;
}

/** How long clients may keep what doesn't change while a server runs, in milliseconds. */
const listLifetime = 300_000;

/** How long clients may keep what was read of the platform: no longer than it takes to look at it twice. */
const readLifetime = 1_000;

const forThisCaller = (ttlMs: number): CacheHint => ({ ttlMs, cacheScope: 'private' });

/** What clients may keep. What is shown depends on the caller. */
export const cacheHints: ServerOptions['cacheHints'] = {
  'tools/list': forThisCaller(listLifetime),
  'resources/list': forThisCaller(listLifetime),
  'resources/templates/list': forThisCaller(listLifetime),
  'resources/read': forThisCaller(readLifetime),
  'prompts/list': forThisCaller(listLifetime),
};

/** Serves resources and their changes, completion, prompts and skills. */
export function registerContent(mcp: McpServer, parts: ContentParts, { era, callerOf, run }: ContentCalls): void {
  const { policy, texts, skills, addresses } = parts;
  const call = (context: ServerContext, tool: Tool, args: JsonRecord): Promise<Reply> => run(tool, args, context, parts);
  // Every letter that is typed looks something up: that it failed is worth a record.
  const quietly = { ...parts, recorder: exceptionsOnly(parts.recorder) };
  registerResources(mcp, { policy, texts, call });
  if (era === 'legacy') registerSubscriptions(mcp, (context, uri, changed) => watchFor(parts, callerOf(context))(uri, changed));
  registerCompletions(mcp, {
    addresses,
    texts,
    call: (context, tool, args) => run(tool, args, context, quietly),
    principalOf: (context) => callerOf(context).principal,
  });
  if (texts) registerPrompts(mcp, { texts, call });
  skills?.attach(mcp);
}
