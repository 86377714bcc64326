import { isAtRest } from '../../src/contract/index.ts';
import { isPlatformFailure, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';
import {
  defaultWait,
  pollInterval,
  readStatus,
  reserve,
  settlingTime,
  visibilityTimeout,
  type WaitResult,
} from './wait-for-end.ts';

/** The remains of a deleted resource: its status, nothing, or unknown. */
type Remains = { readonly kind: 'there'; readonly state?: string } | { readonly kind: 'gone' | 'unreadable' };

/**
 * Reads the status of a deleted resource or, if that isn't shown, whether it still exists. A resource whose id the
 * platform no longer knows is gone.
 */
async function readRemains(context: ToolContext, subject: Subject): Promise<Remains> {
  try {
    const status = await readStatus(context, subject);
    if (status) return { kind: 'there', state: status.state ?? undefined };
    const record: JsonRecord | undefined = await readAspect(context, subject, 'configuration');
    return { kind: record ? 'there' : 'unreadable' };
  } catch (error) {
    if (isPlatformFailure(error) && error.kind === 'not_found') return { kind: 'gone' };
    throw error;
  }
}

/**
 * Whether a deletion has ended although the resource still exists. At first the state may still be the one from before
 * the request.
 */
const hasEnded = (state: string | undefined, hasMoved: boolean, atRestFor: number): boolean =>
  state !== undefined &&
  isAtRest(state) &&
  (hasMoved || atRestFor >= (state === 'DELETE_ERROR' ? settlingTime : visibilityTimeout));

/**
 * Waits until a service or environment whose deletion was requested is gone, the deletion has ended otherwise, or the
 * time is up.
 * @param seconds longest wait.
 * @throws CallFailure if the platform shows neither its state nor whether it exists; ApiError if the platform fails.
 */
export async function awaitGone(
  context: ToolContext,
  subject: Subject,
  seconds: number = defaultWait,
): Promise<WaitResult> {
  const startedAt = context.now();
  const elapsed = (): number => context.now() - startedAt;
  const waited = (): number => Math.round(elapsed() / 1000);
  let hasMoved = false;
  let atRestSince = startedAt;
  for (;;) {
    const remains = await readRemains(context, subject);
    if (remains.kind === 'gone')
      return { outcome: 'succeeded', status: { state: 'DELETED' }, waited_seconds: waited() };
    if (remains.kind === 'unreadable')
      context.refuse(`whether this ${subject.kind} is gone can't be read here`, 'Ask whoever runs the platform.');
    const state = 'state' in remains ? remains.state : undefined;
    if (state !== undefined && !isAtRest(state)) [hasMoved, atRestSince] = [true, context.now()];
    const status = { state };
    if (hasEnded(state, hasMoved, context.now() - atRestSince))
      return { outcome: state === 'CANCELED' ? 'canceled' : 'failed', status, waited_seconds: waited() };
    const left = Math.min(seconds * 1000 - elapsed(), context.timeLeft() - reserve);
    if (context.isAborted() || left <= 0) return { outcome: 'running', status, waited_seconds: waited() };
    context.progress(`${state ?? 'in an unknown state'}, ${waited()} s`);
    context.forget();
    await context.pause(Math.min(pollInterval(elapsed(), context), left));
  }
}
