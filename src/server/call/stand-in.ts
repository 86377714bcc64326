import { ApiError, type ApiErrorKind, type Client } from '../../client/index.ts';
import { elsewhereOf, oneByOneOf, redeployOf, snakeCase, type AnyOperation } from '../../contract/index.ts';
import type { TargetedOperation } from '../guard/index.ts';
import { pick, type PlannedOperation } from '../tool/index.ts';
import { connected, send, type Request, type Sender } from './call.ts';

/** For each platform, pairs of an operation that it refused and the stand-in that it accepted. */
const refusedBefore = new WeakMap<Client, Set<string>>();

type Statuses = readonly (number | undefined)[];

// Statuses with which the platform rejects the request itself, without any effect.
const withoutVersion: Statuses = [400, 411, 415, 422];
// Statuses for a path that the platform doesn't have: nothing took effect.
const notThere: Statuses = [404, 405];

/** A request that was executed, and the platform's answer. */
interface SentRequest<Planned> {
  readonly planned: Planned;
  readonly answer: unknown;
}

type Plannable = Request & Pick<PlannedOperation, 'heldBy'>;

/**
 * The request that replaces a planned one, and the refusal statuses after which it does; undefined if there is none.
 */
function standInFor<Planned extends Plannable>(
  planned: Planned,
): { readonly again: Planned; readonly after: Statuses } | undefined {
  const { operation, input, heldBy } = planned;
  const redeploy = redeployOf(operation, input);
  if (redeploy) return { again: { ...planned, operation: redeploy }, after: withoutVersion };
  const elsewhere = elsewhereOf(operation, input, heldBy);
  return elsewhere && { again: { ...planned, ...elsewhere }, after: notThere };
}

/**
 * Sends a planned operation. A request that some platforms refuse, such as a deployment without a version, is sent as
 * it is first; after such a refusal, and from then on, its stand-in replaces it.
 * @throws what `send` throws: for the planned operation, if the stand-in is refused too or isn't offered.
 */
export async function sendOrStandIn<Planned extends Plannable>(
  planned: Planned,
  call: Sender,
  onResponseIssue?: (operation: AnyOperation, responseIssue: ApiError) => void,
): Promise<SentRequest<Planned>> {
  const standIn = standInFor(planned);
  const sendOne = (request: Planned): Promise<unknown> =>
    send(request, call, (responseIssue) => onResponseIssue?.(request.operation, responseIssue));
  if (!standIn) return { planned, answer: await sendOne(planned) };
  const { again, after } = standIn;
  const isRefused = (error: unknown): boolean => error instanceof ApiError && after.includes(error.status);
  const client = await connected(call);
  const known = refusedBefore.get(client) ?? new Set();
  const pair = `${planned.operation.name} ${again.operation.name}`;
  if (known.has(pair)) return { planned: again, answer: await sendOne(again) };
  try {
    return { planned, answer: await sendOne(planned) };
  } catch (refusal) {
    if (!isRefused(refusal)) throw refusal;
    const answer = await sendOne(again).catch((error: unknown) => {
      throw isRefused(error) || (error instanceof ApiError && error.kind === 'not_offered') ? refusal : error;
    });
    refusedBefore.set(client, known.add(pair));
    return { planned: again, answer };
  }
}

const refusals: readonly unknown[] = [
  'invalid_input',
  'forbidden',
  'not_found',
  'conflict',
  'not_offered',
] satisfies ApiErrorKind[];

/** Whether the platform refused one request without any effect, so that it may still execute others. */
export const isAboutOne = (error: unknown): boolean =>
  error instanceof ApiError && refusals.includes(error.kind) && error.outcomeUnknown !== true;

/**
 * The requests that do for one service at a time what the platform should have done for several at once, after it
 * responded that it has no such path. If it has no path for one service either, or refuses one, their failures show
 * that.
 */
export function oneByOneAfter(
  refusal: unknown,
  { operation, input, ...others }: TargetedOperation,
): readonly TargetedOperation[] {
  if (!(refusal instanceof ApiError) || refusal.kind !== 'not_offered') return [];
  return (oneByOneOf(operation, input) ?? []).map((single) => {
    const id = String(Object.values(pick(single.input, single.operation.params.map(snakeCase)))[0]);
    return { ...others, ...single, target: { ...others.target, kind: single.operation.target, id, name: undefined } };
  });
}
