import { McpServer, type CacheHint, type CallToolResult, type ListToolsResult, type ServerContext, type ServerOptions } from '@modelcontextprotocol/server';
import type { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import type { ServerLogger } from '../context/call-context.ts';
import { answerOr } from '../call/last-resort.ts';
import { refuseCursors } from '../output/list-cursors.ts';
import type { RequestHandlers, RequestDependencies } from './requests.ts';
import { registerResources, registerSubscriptions } from '../browse/resources/mcp-resources.ts';
import type { Surface } from './surface.ts';
import type { ServerInstanceConfig, Caller } from './caller.ts';

/** How long clients may keep what doesn't change while a server runs, in milliseconds. */
const listLifetime = 300_000;

/** How long clients may keep what was read of the platform: no longer than it takes to look at it twice. */
const readLifetime = 1_000;

const forThisCaller = (ttlMs: number): CacheHint => ({ ttlMs, cacheScope: 'private' });

/** What clients may keep. What is shown depends on the caller. */
const cacheHints: ServerOptions['cacheHints'] = {
  'tools/list': forThisCaller(listLifetime),
  'resources/list': forThisCaller(listLifetime),
  'resources/templates/list': forThisCaller(listLifetime),
  'resources/read': forThisCaller(readLifetime),
  'prompts/list': forThisCaller(listLifetime),
};

/** What the servers of one process share. Built once. */
export interface ServerDependencies {
  /** Shown to clients. */
  readonly version: string;
  readonly surface: Surface;
  /** Whether there are prompts to be served. */
  readonly hasPrompts: boolean;
  readonly skills?: SkillsExtension;
  /** Address of the page on which the operator approves calls, where there is one. */
  readonly approvalsPage?: () => string | undefined;
  /** Gives what carries requests out. Asked for with every request that is more than a list, so it should remember. */
  readonly work: () => Promise<RequestDependencies>;
  /** Told why there is nothing that carries requests out, where that can't be had. */
  readonly startupLog?: Pick<ServerLogger, 'error'>;
}

/** The same callers, each request with one id, however often it is asked who sent it. */
function withRequestIds(callerOf: ServerInstanceConfig['callerOf']): (context: ServerContext) => Caller & { readonly requestId: string } {
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
export function buildServer(parts: ServerDependencies, { era, callerOf: callerIn, method }: ServerInstanceConfig): McpServer {
  const { version, surface, hasPrompts, skills, approvalsPage, work, startupLog: openingLog } = parts;
  const mcp = new McpServer({ name: 'infra-mcp', version }, { instructions: surface.instructions, cacheHints, jsonSchemaValidator });
  const { server } = mcp;
  refuseCursors(mcp);
  const callerOf = withRequestIds(callerIn);

  const open = async (): Promise<RequestHandlers> => {
    const [{ createRequestHandlers }, loaded] = await Promise.all([import('./requests.ts'), work()]);
    return createRequestHandlers(loaded, { era, callerOf, approvalsPage, clientCapabilities: () => server.getClientCapabilities() });
  };
  let opening: Promise<RequestHandlers> | undefined;
  const requests = (): Promise<RequestHandlers> => (opening ??= open());
  const resort = { log: async () => work().then(({ log }) => log, (error: unknown) => openingLog ?? Promise.reject(error as Error)) };
  /** Whatever a request comes to goes out here. */
  const answered = <Answer>(context: ServerContext, answer: (requests: RequestHandlers) => Promise<Answer>, failed?: (text: string) => Answer): Promise<Answer> =>
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
