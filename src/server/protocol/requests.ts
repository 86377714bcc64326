import {
  CLIENT_CAPABILITIES_META_KEY, ProtocolError, ProtocolErrorCode, TRACEPARENT_META_KEY, TRACESTATE_META_KEY, inputRequired, inputResponse,
  type CallToolRequest, type CallToolResult, type ClientCapabilities, type InputRequiredResult, type ServerContext,
} from '@modelcontextprotocol/server';
import type { Client, Trace } from '../../client/index.ts';
import { createContent, type Content, type ContentDependencies } from '../browse/index.ts';
import { maximumCallTime, type CallContext, type Dialogue, type UserAnswer } from '../context/index.ts';
import { formFor, waitingCallAddress, type Registry } from '../guard/index.ts';
import { runCall, type CallDependencies, type Reply } from '../call/index.ts';
import type { Caller, ServerInstanceConfig } from './caller.ts';

/** What a process's servers need to answer requests. Loaded with the first request. */
export interface RequestDependencies extends ContentDependencies {
  readonly registry: Registry;
  /** Environment variables whose values some policy allows to be set unseen. */
  readonly unseen: Set<string>;
}

/** The server that receives the requests. */
export interface ServerHandle extends Omit<ServerInstanceConfig, 'callerOf'> {
  readonly callerOf: (context: ServerContext) => Caller & { readonly requestId: string };
  /** The capabilities that the client declared when it connected, if it did. */
  readonly clientCapabilities: () => ClientCapabilities | undefined;
  readonly approvalsPage?: () => string | undefined;
}

/** Handlers of every request except lists. */
export interface RequestHandlers extends Content {
  readonly callTool: (params: CallToolRequest['params'], context: ServerContext) => Promise<CallToolResult | InputRequiredResult>;
}

const confirmKey = 'confirm';

/** What a call of a tool gets that exists but isn't served. A result and not a protocol error, because models don't see those in every client. */
const notOfferedText = (name: string, leftOutBy: string): string =>
  `${name} was not called: it is not offered here, because ${leftOutBy}. Do without it, or tell the user what it would take; don't look for another way around.`;

// An empty `elicitation: {}` means forms: clients declared it this way before there were modes.
const showsForms = (capabilities: ClientCapabilities | undefined): boolean => {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0);
};

const opensPages = (capabilities: ClientCapabilities | undefined): boolean => capabilities?.elicitation?.url !== undefined;

function answerIn(context: ServerContext): UserAnswer | undefined {
  const response = inputResponse(context.mcpReq.inputResponses, confirmKey);
  if (response.kind !== 'elicit') return undefined;
  return response.action === 'accept' ? { action: 'accept', content: response.content ?? {} } : { action: response.action };
}

function dialogueOf(context: ServerContext, capabilities: ClientCapabilities | undefined): Dialogue {
  const state = context.mcpReq.requestState();
  return { canAsk: showsForms(capabilities), state: typeof state === 'string' ? state : undefined, answer: answerIn(context) };
}

/** The trace in a request's metadata. */
function traceOf({ mcpReq: { _meta: meta } }: ServerContext): Trace | undefined {
  const { [TRACEPARENT_META_KEY]: traceparent, [TRACESTATE_META_KEY]: tracestate } = (meta ?? {}) as Record<string, unknown>;
  return typeof traceparent === 'string' ? { traceparent, ...(typeof tracestate === 'string' && { tracestate }) } : undefined;
}

/** Reports progress to a caller that asked for it. Failed notifications are ignored. */
function progressOf({ mcpReq: { notify, _meta: meta } }: ServerContext): CallContext['progress'] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    void notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined);
  };
}

/** Converts a reply to an MCP result. @param page URL of the approvals page; undefined if the client can't open it, or just did. */
function resultOf(reply: Reply, page: string | undefined): CallToolResult | InputRequiredResult {
  if (reply.kind === 'ask') {
    const { question, state } = reply;
    const form = inputRequired.elicit({ message: question.message, requestedSchema: formFor(question) });
    return inputRequired({ inputRequests: { [confirmKey]: form }, requestState: state });
  }
  if (reply.kind === 'failure' && reply.code !== undefined && page !== undefined) {
    const pageRequest = inputRequired.elicitUrl({ message: `This call waits for the operator's approval, under ${reply.code}.`, url: waitingCallAddress(page, reply.code) });
    return inputRequired({ inputRequests: { [confirmKey]: pageRequest } });
  }
  const content: CallToolResult['content'] = [{ type: 'text', text: reply.text }];
  return reply.kind === 'answer' ? { content, structuredContent: reply.data, ...(reply.meta && { _meta: reply.meta }) } : { content, isError: true };
}

/** Creates the request handlers of one server. They connect to the platform with the first call. */
export function createRequestHandlers(dependencies: RequestDependencies, { era, callerOf, clientCapabilities, approvalsPage }: ServerHandle): RequestHandlers {
  const { registry, log, clock, connect, observer } = dependencies;
  let client: Client | undefined;

  // The 2026 revision declares capabilities with every request, the earlier ones once.
  const capabilitiesOf = (context: ServerContext): ClientCapabilities | undefined =>
    era === 'modern'
      ? (context.mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
      : clientCapabilities();

  const contextOf = (context: ServerContext): CallContext => {
    const { principal, identity = principal, connection, credential, credentialRefused, requestId, trace } = callerOf(context);
    return {
      principal,
      identity,
      connection,
      credential,
      credentialRefused,
      signal: context.mcpReq.signal,
      deadline: clock.now() + maximumCallTime,
      requestId,
      trace: traceOf(context) ?? trace,
      budget: () => client?.budget(credential),
      lacks: (operation) => client?.lacks(operation) ?? false,
      log,
      clock,
      dialogue: dialogueOf(context, capabilitiesOf(context)),
      progress: progressOf(context),
    };
  };

  const callDependencies: CallDependencies = {
    ...dependencies,
    connect: async () => {
      const connection = await connect();
      client = connection.client;
      return connection;
    },
  };

  return {
    ...createContent({ ...dependencies, ...callDependencies }, { callerOf, run: (tool, args, context, deps) => runCall(tool, args, contextOf(context), deps) }),
    callTool: async ({ name, arguments: args = {} }, context) => {
      const call = contextOf(context);
      const tool = registry.find(name);
      const leftOutBy = registry.leftOut.get(name);
      if (!tool || leftOutBy !== undefined) observer?.begin(undefined, call.trace).end({ outcome: 'refused' });
      if (leftOutBy !== undefined) return resultOf({ kind: 'failure', text: notOfferedText(name, leftOutBy) }, undefined);
      if (!tool) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}"${registry.instead(name)}`);
      }
      const reply = await runCall(tool, args, call, callDependencies);
      const canOpenPage = call.dialogue.answer === undefined && opensPages(capabilitiesOf(context));
      return resultOf(reply, canOpenPage ? approvalsPage?.() : undefined);
    },
  };
}
