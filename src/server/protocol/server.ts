import {
  McpServer,
  type CacheHint,
  type JSONRPCMessage,
  type ListToolsResult,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from '@modelcontextprotocol/server';
import type { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { wellFormed } from '../../contract/index.ts';
import type { ServerLogger } from '../context/index.ts';
import { answerOr } from '../call/index.ts';
import { isRecord } from '../json/index.ts';
import { failedCall, refuseCursors } from '../output/index.ts';
import type { FailureCode } from '../failure/index.ts';
import type { RequestHandlers, RequestDependencies } from './requests.ts';
import { registerResources, serveViews, shortenUrisInErrors, registerSubscriptions } from '../browse/index.ts';
import { declaredIn } from './declared.ts';
import type { Surface } from './surface.ts';
import type { ServerInstanceConfig, Caller } from './caller.ts';

/** How long clients may cache lists, which don't change while a server runs, in milliseconds. */
const listLifetime = 300_000;

/**
 * How long clients may cache a resource of the platform, in milliseconds: just long enough to read it twice in a row.
 */
const readLifetime = 1_000;

const forThisCaller = (ttlMs: number): CacheHint => ({ ttlMs, cacheScope: 'private' });

/** Private to the client, because the content depends on the caller. */
const cacheHints: ServerOptions['cacheHints'] = {
  'tools/list': forThisCaller(listLifetime),
  'resources/list': forThisCaller(listLifetime),
  'resources/templates/list': forThisCaller(listLifetime),
  'resources/read': forThisCaller(readLifetime),
  'prompts/list': forThisCaller(listLifetime),
};

/** Dependencies that all servers of one process share. Built once. */
export interface ServerDependencies {
  /** The version that clients see. */
  readonly version: string;
  readonly surface: Surface;
  /** Whether the server offers prompts. */
  readonly hasPrompts: boolean;
  readonly skills?: SkillsExtension;
  /** URL of the page where the operator approves calls, if there is one. */
  readonly approvalsPage?: () => string | undefined;
  /** Loads the dependencies of requests other than lists. Called for each of them, so it should cache its result. */
  readonly loadDependencies: () => Promise<RequestDependencies>;
  /** Receives the reason if `loadDependencies` fails. */
  readonly startupLog?: Pick<ServerLogger, 'error'>;
}

/** Adds a request id to the caller; each request keeps its id. */
function withRequestIds(
  callerOf: ServerInstanceConfig['callerOf'],
): (context: ServerContext) => Caller & { readonly requestId: string } {
  const ids = new WeakMap<ServerContext, string>();
  return (context) => {
    const caller = callerOf(context);
    // Loaded when first needed, to keep the start fast.
    const requestId = ids.get(context) ?? caller.requestId ?? process.getBuiltinModule('node:crypto').randomUUID();
    ids.set(context, requestId);
    return { ...caller, requestId };
  };
}

// Validates users' input in forms. The smaller of the library's two validators, to keep the start fast.
const jsonSchemaValidator = new CfWorkerJsonSchemaValidator();

/** The controllers that end the questions of servers for clients of the 2025 protocol revisions. */
const questionsOf = new WeakMap<McpServer, AbortController>();

/**
 * Ends the open questions to a client of the 2025 protocol revisions, and prevents new ones: their calls are refused,
 * and nothing has changed. Calls without a question continue. Clients of the 2026 revision are asked in the result of a
 * call, so they have no open questions.
 */
export const endQuestions = (mcp: McpServer): void => questionsOf.get(mcp)?.abort();

/**
 * The reason in the MCP library's error about a state that isn't a string. It answers such a request itself, before any
 * handler.
 */
const invalidState = 'invalid_request_state';

const invalidStateText =
  'The requestState is not the text that came with the question, so this was not carried out and nothing has changed. Send the request again without requestState and inputResponses, to be asked again.';

/** An error of the library about a state, with the outcome of the request and the next step. */
function withAdvice(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || !isRecord(message.error.data) || message.error.data['reason'] !== invalidState)
    return message;
  return { ...message, error: { ...message.error, message: invalidStateText } };
}

/**
 * Makes a server send only well-formed Unicode, whatever its answers, errors and notifications contain, and errors with
 * advice.
 * @param answered gets each answer as it is sent
 */
function completeMessages({ server }: McpServer, answered: ServerInstanceConfig['answered']): void {
  const connect = server.connect.bind(server);
  Object.assign(server, {
    connect: (transport: Transport) => {
      const send = transport.send.bind(transport);
      return connect(
        Object.assign(transport, {
          send: ((message, options) => {
            const complete = wellFormed(withAdvice(message));
            if (!('method' in complete)) answered?.(complete);
            return send(complete, options);
          }) satisfies Transport['send'],
        }),
      );
    },
  });
}

let loadingRequests: Promise<typeof import('./requests.ts')> | undefined;

/** The code of requests. Each import() goes through the loader again, and there is a server for every request over HTTP. */
const requestsModule = (): Promise<typeof import('./requests.ts')> => (loadingRequests ??= import('./requests.ts'));

/**
 * Builds a server for one connection or one request. This is cheap: the lists are shared data, and the request handlers
 * are loaded with the first request.
 */
export function buildServer(
  dependencies: ServerDependencies,
  { era, callerOf: callerOfRequest, method, answered }: ServerInstanceConfig,
): McpServer {
  const { version, surface, hasPrompts, skills, approvalsPage, loadDependencies, startupLog } = dependencies;
  const mcp = new McpServer(
    { name: 'infra-mcp', version },
    { instructions: surface.instructions, cacheHints, jsonSchemaValidator },
  );
  const { server } = mcp;
  refuseCursors(mcp);
  completeMessages(mcp, answered);
  const questions = new AbortController();
  if (era === 'legacy') questionsOf.set(mcp, questions);
  const callerOf = withRequestIds(callerOfRequest);

  const load = async (): Promise<RequestHandlers> => {
    const [{ createRequestHandlers }, requestDependencies] = await Promise.all([requestsModule(), loadDependencies()]);
    return createRequestHandlers(requestDependencies, {
      era,
      callerOf,
      approvalsPage,
      clientCapabilities: () => server.getClientCapabilities(),
      clientInfo: () => server.getClientVersion(),
      questionsEnd: questions.signal,
    });
  };
  let loading: Promise<RequestHandlers> | undefined;
  const requests = (): Promise<RequestHandlers> => (loading ??= load());
  const fallback = {
    log: async () =>
      loadDependencies().then(
        ({ log }) => log,
        (error: unknown) => startupLog ?? Promise.reject(error as Error),
      ),
  };
  /** Answers a request. Every answer and every failure passes through here. */
  const respond = <Answer>(
    context: ServerContext,
    answer: (requests: RequestHandlers) => Promise<Answer>,
    failed?: (text: string, failure: FailureCode) => Answer,
  ): Promise<Answer> => answerOr(callerOf(context).requestId, fallback, async () => answer(await requests()), failed);

  // The list is the same for every instance, so this handler returns it, instead of each instance registering each
  // tool.
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler('tools/list', async (_, context): Promise<ListToolsResult> => {
    const tools = surface.tools();
    const capabilities = era === 'modern' ? declaredIn(context).capabilities : server.getClientCapabilities();
    if (capabilities?.extensions === undefined) return { tools } as unknown as ListToolsResult;
    const { listFor } = await import('./with-views.ts');
    return listFor(tools, capabilities, era);
  });
  server.setRequestHandler('tools/call', ({ params }, context) =>
    respond(context, (handlers) => handlers.callTool(params, context), failedCall),
  );
  // Most requests are calls, which need nothing else.
  if (method?.startsWith('tools/')) return mcp;
  server.registerCapabilities({ completions: {} });
  server.setRequestHandler('completion/complete', ({ params }, context) =>
    respond(context, (handlers) => handlers.complete(params, context)),
  );
  shortenUrisInErrors(mcp);
  serveViews(mcp);
  registerResources(mcp, surface.resources, (url, context) =>
    respond(context, (handlers) => handlers.read(url, context)),
  );
  if (era === 'legacy')
    registerSubscriptions(mcp, (context, uri, changed) =>
      respond(context, (handlers) => handlers.watch(context, uri, changed)),
    );
  if (hasPrompts) {
    server.registerCapabilities({ prompts: { listChanged: false } });
    server.setRequestHandler('prompts/list', (_, context) => respond(context, (handlers) => handlers.listPrompts()));
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      respond(context, (handlers) => handlers.getPrompt(params, context)),
    );
  }
  skills?.attach(mcp);
  return mcp;
}
