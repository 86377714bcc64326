import { repeated } from '../../contract/index.ts';
import {
  ProtocolError,
  ProtocolErrorCode,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { showsViews } from '../../views/index.ts';
import type { Client, Trace } from '../../client/index.ts';
import { createContent, type Content, type ContentDependencies } from '../browse/index.ts';
import { maximumCallTime, type CallContext, type Dialogue } from '../context/index.ts';
import {
  answerTime as longestAnswerTime,
  createSessionMemories,
  type ClientMemories,
  type Registry,
} from '../guard/index.ts';
import { failedCall } from '../output/index.ts';
import { withNumbersAsWritten } from '../tool/index.ts';
import { runCall, type CallDependencies, type Reply } from '../call/index.ts';
import type { Caller, ServerInstanceConfig } from './caller.ts';
import {
  askClient,
  clientNameIn,
  inputRequiredFor,
  opensPages,
  responseIn,
  showsForms,
  type UserRequest,
} from './client-dialogue.ts';
import { declaredIn } from './declared.ts';

/** The dependencies of request handlers in a process's servers. Loaded with the first request. */
export interface RequestDependencies extends ContentDependencies {
  readonly registry: Registry;
  /** Environment variables whose values some policy allows to be set unseen. */
  readonly valueVariableNames: Set<string>;
  /** The memories of clients without a session, by principal and the client's description of itself. */
  readonly statelessMemories: (principal: string, client: unknown) => ClientMemories;
  /**
   * How long a client of the 2025 revisions may take to return its user's answer, in milliseconds. Default: as long as
   * an answer is valid.
   */
  readonly answerTime?: number;
}

/** The server that receives the requests. */
export interface ServerHandle extends Omit<ServerInstanceConfig, 'callerOf'> {
  readonly callerOf: (context: ServerContext) => Caller & { readonly requestId: string };
  /** The capabilities that the client declared when it connected, if it did. */
  readonly clientCapabilities: () => ClientCapabilities | undefined;
  /** How the client described itself when it connected, if it did. */
  readonly clientInfo: () => unknown;
  readonly approvalsPage?: () => string | undefined;
  /** Aborted when the client may no longer be asked. */
  readonly questionsEnd: AbortSignal;
}

/** Handlers of every request except lists. */
export interface RequestHandlers extends Content {
  readonly callTool: (
    params: CallToolRequest['params'],
    context: ServerContext,
  ) => Promise<CallToolResult | InputRequiredResult>;
}

/**
 * The text for a call of a tool that exists but isn't served. A result and not a protocol error, because not every
 * client shows those to models.
 */
export const notOfferedText = (name: string, leftOutBy: string): string =>
  `${name} was not called: it is not offered here, because ${leftOutBy}. Do without it, or tell the user what it would take; don't look for another way around.`;

/** The text for a call whose question ended before its answer came. */
const questionEndedText = (name: string): string =>
  `${name} was not carried out and nothing has changed: what you may do here changed before its question was answered, and your session ended with that. Initialize a new session, and call it again if it is still wanted.`;

/** The trace in a request's metadata. */
function traceOf({ mcpReq: { _meta: meta } }: ServerContext): Trace | undefined {
  const { [TRACEPARENT_META_KEY]: traceparent, [TRACESTATE_META_KEY]: tracestate } = (meta ?? {}) as Record<
    string,
    unknown
  >;
  return typeof traceparent === 'string'
    ? { traceparent, ...(typeof tracestate === 'string' && { tracestate }) }
    : undefined;
}

/** Maximum number of progress reports being sent to one caller. Further ones are dropped until it reads. */
const mostReports = 5;

/** Reports progress to a caller that requested it. A report that can't be sent is dropped, and the call continues. */
function progressOf({ mcpReq: { notify, _meta: meta } }: ServerContext): CallContext['progress'] {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let [progress, onTheirWay] = [0, 0];
  const report = async (message: string): Promise<void> => {
    progress += 1;
    onTheirWay += 1;
    await notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  };
  return (message) => {
    if (onTheirWay >= mostReports) return;
    void report(message)
      .catch(() => undefined)
      .finally(() => (onTheirWay -= 1));
  };
}

/** A reply without a question. */
export type SettledReply = Exclude<Reply, { kind: 'ask' }>;

/** Converts a reply without a question to an MCP result. */
export function resultOf(reply: SettledReply): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text: reply.text }];
  return reply.kind === 'answer'
    ? { content, structuredContent: reply.data, ...(reply.meta && { _meta: reply.meta }) }
    : failedCall(reply.text, reply.failure);
}

/** The result of a call that was cancelled. It is never sent. */
const cancelledResult: CallToolResult = { content: [], isError: true };

/** Notes whether a requested page was opened: such a response has no state. */
const notePage = ({ pages }: ClientMemories, { answer, failure, state }: Dialogue): void => {
  if (state !== undefined) return;
  if (failure) pages.failed(failure);
  else if (answer) pages.answered();
};

/** Creates the request handlers of one server. They connect to the platform with the first call. */
export function createRequestHandlers(
  dependencies: RequestDependencies,
  { era, callerOf, clientCapabilities, clientInfo, approvalsPage, questionsEnd }: ServerHandle,
): RequestHandlers {
  const { registry, log, clock, connect, observer, statelessMemories, answerTime = longestAnswerTime } = dependencies;
  let client: Client | undefined;

  const session = createSessionMemories(clock);

  // The 2026 revision has no sessions, and declares capabilities with every request; earlier revisions declare them
  // once.
  const clientOf = (
    context: ServerContext,
  ): { readonly capabilities: ClientCapabilities | undefined; readonly memories: ClientMemories } => {
    if (era !== 'modern') return { capabilities: clientCapabilities(), memories: session };
    const { capabilities, client: declared } = declaredIn(context);
    return { capabilities, memories: statelessMemories(callerOf(context).principal, declared) };
  };

  const dialogueOf = (context: ServerContext): Dialogue => {
    const { capabilities, memories } = clientOf(context);
    return { canAsk: showsForms(capabilities), memory: memories.forms, ...(era === 'modern' && responseIn(context)) };
  };

  const contextOf = (context: ServerContext, dialogue = dialogueOf(context)): CallContext => {
    const {
      principal,
      identity = principal,
      conversation,
      connection,
      credential,
      credentialRefused,
      requestId,
      trace,
    } = callerOf(context);
    return {
      principal,
      identity,
      conversation,
      connection,
      clientName: clientNameIn(era === 'modern' ? declaredIn(context).client : clientInfo()),
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
      dialogue,
      showsViews: showsViews(clientOf(context).capabilities),
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

  /**
   * The request to show to the client's user before a reply: its question, or the page where the operator approves the
   * call. A page is offered once per code, and not through a client that failed to ask. Without it, the reply explains
   * what to do.
   */
  const userRequestFor = (reply: Reply, context: ServerContext, { answer }: Dialogue): UserRequest | undefined => {
    if (reply.kind === 'ask') return { kind: 'form', question: reply.question };
    const page = approvalsPage?.();
    if (reply.kind !== 'failure' || reply.code === undefined || page === undefined || answer !== undefined)
      return undefined;
    const {
      capabilities,
      memories: { forms, pages },
    } = clientOf(context);
    if (!opensPages(capabilities) || forms.failure() !== undefined || pages.failure(reply.code) !== undefined)
      return undefined;
    pages.asked(reply.code);
    return { kind: 'page', page, code: reply.code };
  };

  /** Runs a call to its end, or to a question for the client. A client of the 2025 revisions is asked at once. */
  const answerCall = async (
    name: string,
    run: (dialogue: Dialogue) => Promise<Reply>,
    context: ServerContext,
    requestId: string,
  ): Promise<CallToolResult | InputRequiredResult> => {
    const { memories } = clientOf(context);
    let dialogue = dialogueOf(context);
    notePage(memories, dialogue);
    for (;;) {
      // Each round depends on the answer to the one before.
      const reply = await run(dialogue);
      const request = userRequestFor(reply, context, dialogue);
      if (!request) return resultOf(reply as SettledReply);
      const state = reply.kind === 'ask' ? reply.state : undefined;
      if (era === 'modern') return inputRequiredFor(request, state);
      const response = await askClient(request, { context, time: answerTime, ended: questionsEnd, log, requestId });
      if (context.mcpReq.signal.aborted) return cancelledResult;
      if (response === 'ended')
        return resultOf(
          reply.kind === 'ask'
            ? {
                kind: 'failure',
                text: questionEndedText(name),
                failure: { kind: 'question_ended', outcome: 'refused' },
              }
            : reply,
        );
      dialogue = {
        canAsk: dialogue.canAsk,
        memory: dialogue.memory,
        ...(state !== undefined && { state }),
        ...response,
      };
      notePage(memories, dialogue);
      // The call waits for approval with its code, whether or not the page was opened.
      if (reply.kind !== 'ask' && response.failure) return resultOf(reply);
    }
  };

  return {
    ...createContent(
      { ...dependencies, ...callDependencies },
      { callerOf, run: (tool, args, context, deps) => runCall(tool, args, contextOf(context), deps) },
    ),
    callTool: async ({ name, arguments: args = {} }, context) => {
      const call = contextOf(context);
      const tool = registry.find(name);
      const leftOutBy = registry.leftOut.get(name);
      if (!tool || leftOutBy !== undefined) observer?.begin(undefined, call.trace).end({ outcome: 'refused' });
      if (leftOutBy !== undefined)
        return resultOf({
          kind: 'failure',
          text: notOfferedText(name, leftOutBy.why),
          failure: { kind: 'not_offered_here', outcome: 'refused' },
        });
      if (!tool) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool "${repeated(name)}"${registry.instead(name)}`,
        );
      }
      const given = withNumbersAsWritten(tool, args, context.mcpReq._meta);
      return answerCall(
        name,
        (dialogue) => runCall(tool, given, contextOf(context, dialogue), callDependencies),
        context,
        call.requestId,
      );
    },
  };
}
