import type { CompleteRequest, CompleteResult, GetPromptRequest, GetPromptResult, ListPromptsResult, ServerContext } from '@modelcontextprotocol/server';
import { completer } from './completions.ts';
import { exceptionsOnly } from '../audit/call-records.ts';
import type { CallDependencies, Reply } from '../call/run-call.ts';
import { promptHandlers } from './prompts/prompt-handlers.ts';
import type { ReadResource, WatchResource } from './resources/mcp-resources.ts';
import { resourceReader } from './resources/resource-reader.ts';
import { watchFor, type Watcher, type WatchDependencies } from './resources/watch-resource.ts';
import type { Texts } from './texts.ts';
import type { Tool } from '../tool/tool.ts';
import type { JsonRecord } from '../json/values.ts';

/** What resources and prompts work with, beside what calls do. */
export interface ContentDependencies extends WatchDependencies {
  /** Prompts and other texts that come with the program; without them there are none. */
  readonly texts?: Texts;
}

/** How the server that content is served on makes calls. */
export interface ContentCalls {
  readonly callerOf: (context: ServerContext) => Watcher;
  readonly run: (tool: Tool, args: JsonRecord, context: ServerContext, dependencies: CallDependencies) => Promise<Reply>;
}

/** What is served beside tools. */
export interface Content {
  readonly read: ReadResource;
  readonly watch: WatchResource;
  readonly complete: (params: CompleteRequest['params'], context: ServerContext) => Promise<CompleteResult>;
  readonly listPrompts: () => Promise<ListPromptsResult>;
  readonly getPrompt: (params: GetPromptRequest['params'], context: ServerContext) => Promise<GetPromptResult>;
}

/** Serves resources and their changes, completion and prompts. */
export function createContent(parts: ContentDependencies, { callerOf, run }: ContentCalls): Content {
  const { policy, texts, resolver: addresses } = parts;
  const call = (context: ServerContext, tool: Tool, args: JsonRecord): Promise<Reply> => run(tool, args, context, parts);
  // Every letter that is typed looks something up: that it failed is worth a record.
  const quietly = { ...parts, recorder: exceptionsOnly(parts.recorder) };
  const prompts = promptHandlers({ texts, call, toolNamed: (name) => parts.registry?.find(name), hidden: parts.registry?.hidden ?? [] });
  return {
    read: resourceReader({ policy, texts, call }),
    watch: async (context, uri, changed) => watchFor(() => parts, callerOf(context))(uri, changed),
    complete: completer({
      resolver: addresses,
      texts,
      call: (context, tool, args) => run(tool, args, context, quietly),
      principalOf: (context) => callerOf(context).principal,
    }),
    listPrompts: prompts.list,
    getPrompt: prompts.get,
  };
}
