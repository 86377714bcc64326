import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ServerLogger } from '../context/index.ts';
import type { FailureCode } from '../failure/index.ts';

/**
 * The text for a call whose answer could not be created, or not made safe to show. It reveals nothing about the cause.
 * Apart from the stages of a call, because a start loads this file, and not those.
 * @param begun whether a change may have been sent.
 */
export const withheldText = (requestId: string, begun: boolean): string =>
  [
    `This server failed, and withholds the answer, because it could not make sure that no secret is in it. Whoever runs it finds more in its log under request ${requestId}.`,
    begun
      ? 'Whether a change was made is not known: read the present state before you try again.'
      : 'Nothing has changed.',
  ].join(' ');

/** The same as a code, for programs. */
export const withheldCode = (begun: boolean): FailureCode => ({
  kind: 'withheld',
  outcome: begun ? 'unknown' : 'failed',
});

/** The destination of reasons that no caller sees. */
interface LastResort {
  /** The log, already protected. If it fails, the reason is lost, and the caller still does not see it. */
  readonly log: () => Promise<Pick<ServerLogger, 'error'>>;
}

/**
 * Answers a request, whatever fails. Protocol errors have texts of this program and pass through. For any other error
 * the caller sees only the request id under which the log has the reason.
 * @param failed creates the answer from the text. Default: a protocol error.
 * @throws ProtocolError
 */
export async function answerOr<Answer>(
  requestId: string,
  { log }: LastResort,
  answer: () => Promise<Answer>,
  failed: (text: string, failure: FailureCode) => Answer = (text) => {
    throw new ProtocolError(ProtocolErrorCode.InternalError, text);
  },
): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    await log().then(
      (found) => found.error({ err: error, requestId }, 'answer withheld'),
      () => undefined,
    );
    return failed(withheldText(requestId, true), withheldCode(true));
  }
}
