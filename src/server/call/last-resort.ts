import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Log } from '../context/context.ts';
import { withheldText } from './withheld.ts';

/** Where the reasons are written that nobody is told. */
export interface LastResort {
  /** The log, already protected. It may fail to be there: then the reason is lost, and still not told. */
  readonly log: () => Promise<Pick<Log, 'error'>>;
}

/**
 * Answers a request, whatever happens on the way. Errors of the protocol are answers in our own words and pass; of any
 * other error the caller is told nothing but the id under which the log has the reason.
 * @param failed makes the answer from these words. Default: an error of the protocol.
 * @throws ProtocolError
 */
export async function answerOr<Answer>(
  requestId: string,
  { log }: LastResort,
  answer: () => Promise<Answer>,
  failed: (text: string) => Answer = (text) => {
    throw new ProtocolError(ProtocolErrorCode.InternalError, text);
  },
): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    await log().then((found) => found.error({ err: error, requestId }, 'answer withheld'), () => undefined);
    return failed(withheldText(requestId, true));
  }
}
