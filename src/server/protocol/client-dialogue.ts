import { randomUUID } from 'node:crypto';
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type ElicitResult,
  type InputRequest,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { firstPart } from '../../contract/index.ts';
import type { Dialogue, ServerLogger } from '../context/index.ts';
import { formFor, waitingCallAddress, type Question } from '../guard/index.ts';
import { isRecord } from '../json/index.ts';

/** The response to a question: the user's answer, or why there is none. Neither, if no question was asked. */
export type ClientResponse = Pick<Dialogue, 'state' | 'answer' | 'failure'>;

// An empty `elicitation: {}` means forms: this is how clients declared them before there were modes.
export const showsForms = (capabilities: ClientCapabilities | undefined): boolean => {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0);
};

export const opensPages = (capabilities: ClientCapabilities | undefined): boolean =>
  capabilities?.elicitation?.url !== undefined;

/** Maximum length of a client's name in records, in characters. */
const longestClientName = 80;

/**
 * The name and version that a client gives itself; undefined if it gives no name. Any client can give any name, so it
 * says nothing about rights.
 */
export function clientNameIn(info: unknown): string | undefined {
  if (!isRecord(info) || typeof info['name'] !== 'string' || info['name'].trim() === '') return undefined;
  const { name, version } = info;
  return firstPart([name, typeof version === 'string' ? version : ''].join(' ').trim(), longestClientName);
}

/** A request to the client's user. */
export type UserRequest =
  | { readonly kind: 'form'; readonly question: Question }
  /** The page where the operator approves a call that waits with a code. */
  | { readonly kind: 'page'; readonly page: string; readonly code: string };

const pageParams = ({ page, code }: Extract<UserRequest, { kind: 'page' }>) => ({
  message: `This call waits for the operator's approval, under ${code}.`,
  url: waitingCallAddress(page, code),
});

const formParams = ({ message, ...question }: Question): ElicitRequestFormParams => ({
  message,
  requestedSchema: formFor({ message, ...question }),
});

const confirmKey = 'confirm';

/** The result that makes a client of the 2026 revision ask its user. @param state comes back with the answer. */
export function inputRequiredFor(request: UserRequest, state?: string): InputRequiredResult {
  const asked: InputRequest =
    request.kind === 'form'
      ? inputRequired.elicit(formParams(request.question))
      : inputRequired.elicitUrl(pageParams(request));
  return inputRequired({ inputRequests: { [confirmKey]: asked }, requestState: state });
}

/** The error code that some clients return if their user rejected a request, instead of an answer that declines. */
const rejectedByUser = -1;

/** The meaning of an error in place of an answer. */
const responseOf = (code: unknown): ClientResponse => {
  if (code === rejectedByUser) return { answer: { action: 'decline' } };
  return { failure: code === ProtocolErrorCode.MethodNotFound ? 'no_such_method' : 'client_error' };
};

/**
 * The error in a response: its `error` member, or the whole response if it has a code. A response with both an answer
 * and an error is an error.
 */
function errorIn(entry: unknown): unknown {
  if (!isRecord(entry)) return undefined;
  const { error, code } = entry;
  return error ?? (code === undefined ? undefined : entry);
}

/**
 * The user's answer in a result.
 * @param needsContent whether the question was a form, which can't be accepted without content.
 */
function answerOf(
  {
    action,
    content,
  }: { readonly action: ElicitResult['action']; readonly content?: Readonly<Record<string, unknown>> | undefined },
  needsContent: boolean,
): ClientResponse {
  if (action !== 'accept') return { answer: { action } };
  return content === undefined && needsContent
    ? { failure: 'unusable_answer' }
    : { answer: { action, content: content ?? {} } };
}

/**
 * The response in a request of the 2026 revision. The returned state shows that a question was asked before; the server
 * has no other sign of a client that lost one.
 */
export function responseIn({ mcpReq }: ServerContext): ClientResponse {
  const { inputResponses } = mcpReq;
  const given = mcpReq.requestState();
  const state = typeof given === 'string' ? given : undefined;
  const read = (): ClientResponse => {
    const error = errorIn(inputResponses?.[confirmKey]);
    if (isRecord(error) && typeof error['code'] === 'number') return responseOf(error['code']);
    const response = inputResponse(inputResponses, confirmKey);
    if (response.kind === 'elicit' && error === undefined) return answerOf(response, state !== undefined);
    return state !== undefined || inputResponses !== undefined ? { failure: 'unusable_answer' } : {};
  };
  return { ...read(), ...(state !== undefined && { state }) };
}

/** Why a request to the client of a 2025 revision failed. */
function failureOf(error: unknown): ClientResponse {
  if (error instanceof ProtocolError) return responseOf(error.code);
  return {
    failure: error instanceof SdkError && error.code === SdkErrorCode.InvalidResult ? 'unusable_answer' : 'unanswered',
  };
}

/** How a client of a 2025 revision is asked: within which request, and for how long. */
export interface Asking {
  readonly context: ServerContext;
  /** The time limit of the question, in milliseconds. */
  readonly time: number;
  /** Aborted when the client may no longer be asked. */
  readonly ended: AbortSignal;
  readonly log: ServerLogger;
  readonly requestId: string;
}

/**
 * Asks the user of a client of the 2025 revisions, within the call that the question concerns, and waits for the
 * answer. The MCP library could do this too, but would answer the call itself if the client fails. Never rejects.
 * @returns `ended` if no answer came before the client could no longer be asked.
 */
export async function askClient(
  request: UserRequest,
  { context: { mcpReq }, time, ended, log, requestId }: Asking,
): Promise<ClientResponse | 'ended'> {
  if (ended.aborted) return 'ended';
  const params =
    request.kind === 'form'
      ? { mode: 'form' as const, ...formParams(request.question) }
      : { mode: 'url' as const, elicitationId: randomUUID(), ...pageParams(request) };
  try {
    return answerOf(
      await mcpReq.send(
        { method: 'elicitation/create', params },
        { timeout: time, signal: AbortSignal.any([mcpReq.signal, ended]) },
      ),
      request.kind === 'form',
    );
  } catch (error) {
    if (ended.aborted) return 'ended';
    if (!mcpReq.signal.aborted)
      log.warn({ err: error, requestId, question: request.kind }, 'the client returned no answer');
    return failureOf(error);
  }
}
