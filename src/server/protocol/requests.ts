import {
  CLIENT_CAPABILITIES_META_KEY, ProtocolError, ProtocolErrorCode, TRACEPARENT_META_KEY, TRACESTATE_META_KEY, inputRequired, inputResponse,
  type CallToolRequest, type CallToolResult, type ClientCapabilities, type InputRequiredResult, type ServerContext,
} from '@modelcontextprotocol/server';
import type { Client } from '../../client/client.ts';
import type { Trace } from '../../client/request.ts';
import { createContent, type Content, type ContentDependencies } from '../browse/content.ts';
import { maximumCallTime, type CallContext, type Dialogue, type UserAnswer } from '../context/call-context.ts';
import { formFor } from '../guard/confirmation/question.ts';
import { runCall, type CallDependencies, type Reply } from '../call/run-call.ts';
import type { Registry } from '../guard/tool-registry.ts';
import type { Caller, ServerInstanceConfig } from './caller.ts';

/** What carries out the requests of a process's servers. Loaded with the first of them. */
export interface RequestDependencies extends ContentDependencies {
  readonly registry: Registry;
  /** Variables of the environment that some policy lets be set unseen. */
  readonly unseen: Set<string>;
}

/** The server that requests came to. */
export interface ServerHandle extends Omit<ServerInstanceConfig, 'callerOf'> {
  readonly callerOf: (context: ServerContext) => Caller & { readonly requestId: string };
  /** What its client declared when it opened the connection, where it did. */
  readonly clientCapabilities: () => ClientCapabilities | undefined;
  readonly approvalsPage?: () => string | undefined;
}

/** Answers to everything but lists. */
export interface RequestHandlers extends Content {
  readonly callTool: (params: CallToolRequest['params'], context: ServerContext) => Promise<CallToolResult | InputRequiredResult>;
}

const confirmKey = 'confirm';

// A bare `elicitation: {}` means forms: that is how it was declared before there were modes.
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

/** The trace that a request names in its metadata. */
function traceOf({ mcpReq: { _meta: meta } }: ServerContext): Trace | undefined {
  const { [TRACEPARENT_META_KEY]: traceparent, [TRACESTATE_META_KEY]: tracestate } = (meta ?? {}) as Record<string, unknown>;
  return typeof traceparent === 'string' ? { traceparent, ...(typeof tracestate === 'string' && { tracestate }) } : undefined;
}

/** Tells a caller that asked for it how far its call is; what can't be told anymore is nobody's loss. */
function progressOf({ mcpReq: { notify, _meta: meta } }: ServerContext): CallContext['progress'] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    void notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined);
  };
}

/** @param page where the client can send its user for an approval, unless it just did. */
function resultOf(reply: Reply, page: string | undefined): CallToolResult | InputRequiredResult {
  if (reply.kind === 'ask') {
    const { question, state } = reply;
    const form = inputRequired.elicit({ message: question.message, requestedSchema: formFor(question) });
    return inputRequired({ inputRequests: { [confirmKey]: form }, requestState: state });
  }
  if (reply.kind === 'failure' && reply.code !== undefined && page !== undefined) {
    const visit = inputRequired.elicitUrl({ message: `This call waits for the operator's approval, under ${reply.code}.`, url: `${page}?code=${reply.code}` });
    return inputRequired({ inputRequests: { [confirmKey]: visit } });
  }
  const content: CallToolResult['content'] = [{ type: 'text', text: reply.text }];
  return reply.kind === 'answer' ? { content, structuredContent: reply.data, ...(reply.meta && { _meta: reply.meta }) } : { content, isError: true };
}

/** Answers the requests of one server. It never touches the platform before something is asked of it. */
export function createRequestHandlers(work: RequestDependencies, { era, callerOf, clientCapabilities, approvalsPage }: ServerHandle): RequestHandlers {
  const { registry, log, clock, connect } = work;
  let client: Client | undefined;

  // The 2026 revision declares capabilities with every request, the earlier ones once.
  const capabilitiesOf = (context: ServerContext): ClientCapabilities | undefined =>
    era === 'modern'
      ? (context.mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
      : clientCapabilities();

  const contextOf = (context: ServerContext): CallContext => {
    const { principal, identity = principal, connection, credential, credentialRefused, requestId } = callerOf(context);
    return {
      principal,
      identity,
      connection,
      credential,
      credentialRefused,
      signal: context.mcpReq.signal,
      deadline: clock.now() + maximumCallTime,
      requestId,
      trace: traceOf(context),
      budget: () => client?.budget(credential),
      lacks: (operation) => client?.lacks(operation) ?? false,
      log,
      clock,
      dialogue: dialogueOf(context, capabilitiesOf(context)),
      progress: progressOf(context),
    };
  };

  const dependencies: CallDependencies = {
    ...work,
    connect: async () => {
      const connection = await connect();
      client = connection.client;
      return connection;
    },
  };

  return {
    ...createContent({ ...work, ...dependencies }, { callerOf, run: (tool, args, context, deps) => runCall(tool, args, contextOf(context), deps) }),
    callTool: async ({ name, arguments: given = {} }, context) => {
      const tool = registry.find(name);
      if (!tool) {
        const near = registry.nearest(name);
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}"${near ? `; did you mean "${near}"?` : ''}`);
      }
      const call = contextOf(context);
      const reply = await runCall(tool, given, call, dependencies);
      const canVisit = call.dialogue.answer === undefined && opensPages(capabilitiesOf(context));
      return resultOf(reply, canVisit ? approvalsPage?.() : undefined);
    },
  };
}
