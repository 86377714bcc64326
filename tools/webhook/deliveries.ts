import { isRecord, pick, pruneRecord, show, type JsonRecord } from '../../src/server/tool/index.ts';

const isReceived = ({ target_response_status_code: status }: JsonRecord): boolean =>
  typeof status === 'number' && status >= 200 && status < 300;

const resultOf = (attempt: JsonRecord): 'received' | 'waiting' | 'failed' =>
  isReceived(attempt) ? 'received' : attempt['next_attempt_at'] === undefined ? 'failed' : 'waiting';

/** The status of an answer; a platform may leave it out. */
const statusText = (code: unknown): string => (typeof code === 'number' ? String(code) : 'status not known');

/** What tells the delivery that an attempt belongs to: its request, or itself if there is none. */
const requestOf = ({ id, request: sent }: JsonRecord): string =>
  isRecord(sent) && Object.keys(sent).length > 0 ? JSON.stringify(sent) : String(id);

/**
 * One row per delivery, from one per attempt: attempts of a delivery have the same request. A row has the members of
 * the last attempt, newest rows first, as the attempts are.
 */
export function deliveriesOf(attempts: readonly JsonRecord[]): JsonRecord[] {
  return [...Map.groupBy(attempts, requestOf).values()].map((ofOne) => {
    const last = ofOne[0]!;
    const answers = ofOne
      .toReversed()
      .map(({ target_response_status_code: code, created_at: at }) => `${statusText(code)} at ${String(at)}`);
    return { ...last, result: resultOf(last), attempts: `${ofOne.length}: ${answers.join(', ')}` };
  });
}

/** How the deliveries on a page ended, by their attempts. */
export function totalsOf(attempts: readonly JsonRecord[], deliveries: readonly JsonRecord[]): JsonRecord {
  const ended = (result: string): number => deliveries.filter((delivery) => delivery['result'] === result).length;
  const failure = attempts.find((attempt) => !isReceived(attempt));
  const next = deliveries.flatMap(({ next_attempt_at: at }) => (typeof at === 'string' ? [at] : [])).toSorted()[0];
  return pruneRecord({
    attempts: attempts.length,
    deliveries: deliveries.length,
    received: ended('received'),
    failed: ended('failed'),
    waiting: ended('waiting'),
    next_attempt_at: next,
    code_0: attempts.some(({ target_response_status_code: code }) => code === 0) ? 'no answer came' : undefined,
    last_failure: failure && pick(failure, ['created_at', 'target_response_status_code', 'target_response_body']),
  });
}

export const counted = (count: unknown, one: string, more: string): string =>
  `${String(count)} ${count === 1 ? one : more}`;

/** How deliveries ended, in words. */
export const endsText = ({ received, failed, waiting }: JsonRecord): string =>
  `${String(received)} received, ${String(failed)} failed, ${String(waiting)} to be tried again`;

/** What is said of the time since a webhook was turned off, which no record of deliveries shows. */
export const neverSent = 'what has happened since then was never sent to it, and is not sent later.';

/** When a webhook that is off was changed last, for a sentence: at that time or before, it was turned off. */
export const changedText = (changedAt: unknown): string =>
  changedAt === undefined ? '' : ` (last changed at ${show(changedAt)})`;
