import type {
  CompleteRequest,
  CompleteResult,
  GetPromptRequest,
  GetPromptResult,
  ListPromptsResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { completer } from './completions.ts';
import { exceptionsOnly } from '../audit/index.ts';
import type { CallDependencies, Reply } from '../call/index.ts';
import { promptHandlers } from './prompts/prompt-handlers.ts';
import type { ReadResource, WatchResource } from './resources/mcp-resources.ts';
import { resourceReader } from './resources/resource-reader.ts';
import { readingFor, watchFor, type Watcher, type WatchDependencies } from './resources/watch-resource.ts';
import type { Texts } from './texts.ts';
import type { Tool } from '../tool/index.ts';
import type { JsonRecord } from '../json/index.ts';

/** Dependencies of resources and prompts, in addition to those of calls. */
export interface ContentDependencies extends WatchDependencies {
  /** Prompts and other texts of the program; without them no prompts are served. */
  readonly texts?: Texts;
}

/** The calls that the server makes. */
export interface ContentCalls {
  readonly callerOf: (context: ServerContext) => Watcher;
  readonly run: (
    tool: Tool,
    args: JsonRecord,
    context: ServerContext,
    dependencies: CallDependencies,
  ) => Promise<Reply>;
}

/** Handlers of resources, completion and prompts. */
export interface Content {
  readonly read: ReadResource;
  readonly watch: WatchResource;
  readonly complete: (params: CompleteRequest['params'], context: ServerContext) => Promise<CompleteResult>;
  readonly listPrompts: () => Promise<ListPromptsResult>;
  readonly getPrompt: (params: GetPromptRequest['params'], context: ServerContext) => Promise<GetPromptResult>;
}

/** Creates the handlers of resources and their changes, completion and prompts. */
export function createContent(dependencies: ContentDependencies, { callerOf, run }: ContentCalls): Content {
  const { policy, texts, resolver } = dependencies;
  const call = (context: ServerContext, tool: Tool, args: JsonRecord): Promise<Reply> =>
    run(tool, args, context, dependencies);
  // Every typed letter triggers a lookup: only failures are recorded.
  const quietDependencies = { ...dependencies, recorder: exceptionsOnly(dependencies.recorder) };
  const prompts = promptHandlers({
    texts,
    call,
    toolNamed: (name) => dependencies.registry?.find(name),
    hidden: dependencies.registry?.hidden ?? [],
  });
  return {
    read: resourceReader({ policy, texts, call, readingFor: (context) => readingFor(callerOf(context), dependencies) }),
    watch: async (context, uri, changed) => watchFor(() => dependencies, callerOf(context))(uri, changed),
    complete: completer({
      resolver,
      policy,
      texts,
      call: (context, tool, args) => run(tool, args, context, quietDependencies),
      principalOf: (context) => callerOf(context).principal,
    }),
    listPrompts: prompts.list,
    getPrompt: prompts.get,
  };
}
