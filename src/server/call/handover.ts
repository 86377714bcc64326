import { createMasker, type AnyOperation } from '../../contract/index.ts';
import { fail } from '../failure/index.ts';
import type { CallContext } from '../context/index.ts';
import type { Handover, ReservedPlace } from '../guard/index.ts';
import { isRecord, pick, type JsonRecord } from '../json/index.ts';
import { naming, type Tool } from '../tool/index.ts';

/** The part of a call that hands secrets over. */
interface HandingCall {
  readonly tool: Pick<Tool, 'name'>;
  readonly context: Pick<CallContext, 'log' | 'requestId'>;
  readonly deps: { readonly handover: Handover };
}

/** The member of an answer that says where a person finds the secret. */
const handedOver = 'handed_over';

const noPlace = (why: string, next: string) =>
  fail({
    kind: 'not_possible',
    what: `a person has to be shown the secret, which no answer may have, and ${why}`,
    next,
  });

/**
 * Requires a place for every secret that the requests of a call would create.
 * @throws CallFailure `not_possible` if there is none
 */
export async function assertPlaceForSecrets({
  deps,
  operations,
}: Pick<HandingCall, 'deps'> & {
  readonly operations: readonly { readonly operation: AnyOperation }[];
}): Promise<void> {
  if (operations.every(({ operation }) => operation.shownOnce === undefined)) return;
  const none = await deps.handover.whyUnavailable();
  if (none) noPlace(none.why, none.next);
}

/** Reserves a place for the secret that a request creates. @throws CallFailure `not_possible` if that fails */
export async function reservePlace(
  { creates }: AnyOperation,
  { name }: JsonRecord,
  { deps, context, tool }: HandingCall,
): Promise<ReservedPlace> {
  const kind = (creates?.kind ?? 'secret').replaceAll('_', ' ').replace(/^api /, 'API ');
  const about = typeof name === 'string' ? `${kind} ${name}` : kind;
  try {
    return await deps.handover.reserve(about);
  } catch (error) {
    context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'no place for a new secret');
    return noPlace('it can be kept nowhere', 'Tell the user: the log of this server has the reason.');
  }
}

const lost = () =>
  fail({
    kind: 'not_as_asked',
    what: 'it was created, but nobody can get its value: it was not in the answer of the platform, or could not be kept for a person',
    next: [naming`Revoke it with ${'revoke_api_token'}: nothing uses it yet.`, 'Then create another.'],
  });

/**
 * Puts the secret of an answer in its place.
 * @returns the members of the answer that the contract has, with the place instead of the secret
 * @throws CallFailure `not_as_asked` if it is lost
 */
export async function handOver(
  place: ReservedPlace,
  { shownOnce, response }: AnyOperation,
  answer: unknown,
  { context, tool }: HandingCall,
): Promise<JsonRecord> {
  const found = isRecord(answer) ? answer : {};
  const secret = found[shownOnce!];
  if (typeof secret !== 'string' || secret === '') return lost();
  try {
    await place.put(secret);
  } catch (error) {
    context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'a new secret was not kept');
    return lost();
  }
  const shown = Object.keys((response as { readonly shape: object }).shape).filter((member) => member !== shownOnce);
  const masked = createMasker([secret]);
  return {
    ...Object.fromEntries(
      Object.entries(pick(found, shown)).map(([member, value]) => [
        member,
        typeof value === 'string' ? masked(value) : value,
      ]),
    ),
    [handedOver]: place.where,
  };
}
