import { McpServer, type CallToolResult, type ListToolsResult, type ServerContext } from '@modelcontextprotocol/server';
import type { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { cacheHints } from './cache-hints.ts';
import type { Log } from '../context/context.ts';
import { answerOr } from '../call/last-resort.ts';
import { refuseCursors } from '../output/paging.ts';
import type { Requests, Work } from './requests.ts';
import { registerResources } from '../browse/resources/listed.ts';
import { registerSubscriptions } from '../browse/resources/subscriptions.ts';
import type { Surface } from './surface.ts';
import type { ServerFor, Caller } from './caller.ts';

/** What the servers of one process share. Built once. */
export interface ServerParts {
  /** Shown to clients. */
  readonly version: string;
  readonly surface: Surface;
  /** Whether there are prompts to be served. */
  readonly hasPrompts: boolean;
  readonly skills?: SkillsExtension;
  /** Address of the page on which the operator approves calls, where there is one. */
  readonly approvalsPage?: () => string | undefined;
  /** Gives what carries requests out. Asked for with every request that is more than a list, so it should remember. */
  readonly work: () => Promise<Work>;
  /** Told why there is nothing that carries requests out, where that can't be had. */
  readonly opening?: Pick<Log, 'error'>;
}

/** The same callers, each request with one id, however often it is asked who sent it. */
function withRequestIds(callerOf: ServerFor['callerOf']): (context: ServerContext) => Caller & { readonly requestId: string } {
  const ids = new WeakMap<ServerContext, string>();
  return (context) => {
    const caller = callerOf(context);
    // Loaded when first needed: starting does without it.
    const requestId = ids.get(context) ?? caller.requestId ?? process.getBuiltinModule('node:crypto').randomUUID();
    ids.set(context, requestId);
    return { ...caller, requestId };
  };
}

// What users enter into forms is checked with it: the smaller of the library's two, for the sake of the start.
const jsonSchemaValidator = new CfWorkerJsonSchemaValidator();

const failedCall = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

/**
 * A fresh server for one connection or one request: cheap, because what it shows is shared data, and what carries
 * requests out is loaded with the first.
 */
export function buildServer(parts: ServerParts, { era, callerOf: callerIn, method }: ServerFor): McpServer {
  const { version, surface, hasPrompts, skills, approvalsPage, work, opening: openingLog } = parts;
  const mcp = new McpServer({ name: 'infra-mcp', version }, { instructions: surface.instructions, cacheHints, jsonSchemaValidator });
  const { server } = mcp;
  refuseCursors(mcp);
  const callerOf = withRequestIds(callerIn);

  const open = async (): Promise<Requests> => {
    const [{ requestsOf }, loaded] = await Promise.all([import('./requests.ts'), work()]);
    return requestsOf(loaded, { era, callerOf, approvalsPage, clientCapabilities: () => server.getClientCapabilities() });
  };
  let opening: Promise<Requests> | undefined;
  const requests = (): Promise<Requests> => (opening ??= open());
  const resort = { log: async () => work().then(({ log }) => log, (error: unknown) => openingLog ?? Promise.reject(error as Error)) };
  /** Whatever a request comes to goes out here. */
  const answered = <Answer>(context: ServerContext, answer: (requests: Requests) => Promise<Answer>, failed?: (text: string) => Answer): Promise<Answer> =>
    answerOr(callerOf(context).requestId, resort, async () => answer(await requests()), failed);

  // The list is one value for every instance, so it is answered here instead of registering each tool again and again.
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler('tools/list', () => ({ tools: surface.tools() }) as unknown as ListToolsResult);
  server.setRequestHandler('tools/call', ({ params }, context) => answered(context, (one) => one.callTool(params, context), failedCall));
  // Most requests are calls, and those need nothing else.
  if (method?.startsWith('tools/')) return mcp;
  server.registerCapabilities({ completions: {} });
  server.setRequestHandler('completion/complete', ({ params }, context) => answered(context, (one) => one.complete(params, context)));
  registerResources(mcp, surface.resources, (at, context) => answered(context, (one) => one.read(at, context)));
  if (era === 'legacy') registerSubscriptions(mcp, (context, uri, changed) => answered(context, (one) => one.watch(context, uri, changed)));
  if (hasPrompts) {
    server.registerCapabilities({ prompts: { listChanged: false } });
    server.setRequestHandler('prompts/list', (_, context) => answered(context, (one) => one.listPrompts()));
    server.setRequestHandler('prompts/get', ({ params }, context) => answered(context, (one) => one.getPrompt(params, context)));
  }
  skills?.attach(mcp);
  return mcp;
}
