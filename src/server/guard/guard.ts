import { fail } from '../failure/failure.ts';
import { lookupFor } from '../tool/address.ts';
import type { Act } from '../tool/tool.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { Clock } from '../context/context.ts';
import type { JsonRecord } from '../json/values.ts';
import { deniedArgument, deniedOutside } from './pin.ts';
import { expand, type Part } from './expand.ts';
import { longestSearch, type Patience } from './hosting.ts';
import { deedsToTell, denialOf, denialOfCall, limitOf, needsHosted, needsPlace, needsProjectName, spent } from './policy.ts';
import { targetAt, targetOf, withProjectName } from './target.ts';
import { unknownEnvironment, type Target } from '../context/target.ts';
import { graver, needsName } from './tier.ts';
import { isTogether } from './together.ts';
import type { Denial } from '../failure/failure.ts';
import type { AimedAct, Assessed, GuardedCall } from './guarded-call.ts';

type Aimed = Pick<AimedAct, 'target' | 'tier'>;

const nothing: Target = { kind: 'organization', mode: 'none' };

function patienceOf(clock: Clock): Patience {
  const until = clock.now() + longestSearch;
  return { isOver: () => clock.now() > until };
}

/** What an operation acts on, as far as somebody has to know. */
async function locate({ tool, deps, reader, context: { clock } }: GuardedCall, operation: AnyOperation, input: JsonRecord): Promise<Target> {
  if (operation.effect === 'read' && !deps.policy.pin && !needsPlace(tool, operation, deps.policy)) return nothing;
  // Who only reads a cluster touches nothing that it hosts.
  const tellsHosted = operation.effect !== 'read' && needsHosted(tool, operation, deps.policy);
  const target = await targetOf(operation, input, reader, patienceOf(clock), tellsHosted);
  return needsProjectName(deps.policy) ? withProjectName(target, reader) : target;
}

const allowed = (denial: Denial | undefined): void => {
  if (denial) fail({ kind: 'denied', denial });
};

/** Lets pass what lies in the place that calls are kept to, where they are. @throws CallFailure `denied`. */
async function keepInside(call: GuardedCall, operation: AnyOperation, target: Target, isAct: boolean): Promise<void> {
  const { pin } = call.deps.policy;
  if (pin && call.deps.places) allowed(deniedOutside(pin, await call.deps.places.of(lookupFor(call)), { operation, target, isAct }));
}

/** Lets pass a call whose arguments point at nothing outside the place that calls are kept to. @throws CallFailure `denied`. */
export async function keepArgumentsInside({ deps, addresses, context, reader }: GuardedCall): Promise<void> {
  const { pin } = deps.policy;
  if (!pin || !deps.places) return;
  const place = await deps.places.of(lookupFor({ context, reader }));
  // A cluster belongs to no project, whatever runs on it.
  for (const { kind, id } of Object.values(addresses)) if (kind !== 'cluster') allowed(deniedArgument(pin, place, await targetAt(kind, id, reader)));
}

/** Whether the high-risk changes of a call may still be made. @param count looks, or counts them as made. */
async function withinLimit({ acts, deps, context }: GuardedCall & Assessed, count: 'nextAt' | 'take'): Promise<void> {
  const limit = limitOf(deps.policy);
  const grave = acts.reduce((sum, { highRisk }) => sum + highRisk, 0);
  if (!limit || grave === 0) return;
  const retryAt = await deps.graveCalls[count](limit.most, context.clock.now(), grave);
  if (retryAt !== undefined) fail({ kind: 'denied', denial: spent(limit, grave, Number.isFinite(retryAt) ? retryAt : undefined) });
}

/** Lets pass what the policy doesn't forbid whatever it acts on. @throws CallFailure `denied`. */
export const admit = ({ tool, deps }: GuardedCall): void => allowed(denialOf(tool, deps.policy));

/**
 * Lets a read pass that a tool makes on its way, if the policy does.
 * @throws CallFailure `denied`.
 */
export async function guardRead(call: GuardedCall, operation: AnyOperation, input: JsonRecord): Promise<void> {
  const { tool, deps, context } = call;
  if (operation.effect !== 'read') throw new Error(`${tool.name} would read by ${operation.name}, which changes things`);
  if (!deps.policy.rules?.length && !deps.policy.pin) return;
  const target = await locate(call, operation, input);
  await keepInside(call, operation, target, false);
  allowed(denialOfCall({ tool, operation, tier: 'read', target }, deps.policy, context.clock.now()));
}

/** Lets a tool that reads by itself pass, as far as the policy is about what its arguments point at. */
export async function assertSubjectsPermitted(call: GuardedCall): Promise<void> {
  const { tool, deps, context, reader, addresses } = call;
  if (!tool.operations.some((operation) => needsPlace(tool, operation, deps.policy))) return;
  for (const { kind, id } of Object.values(addresses)) {
    const target = await targetAt(kind, id, reader, patienceOf(context.clock));
    const named = needsProjectName(deps.policy) ? await withProjectName(target, reader) : target;
    allowed(denialOfCall({ tool, operation: tool.operation, tier: 'read', target: named }, deps.policy, context.clock.now()));
  }
}

/** What an act is aimed at. Where it may change something that lies elsewhere, nobody knows which environment it touches, nor its mode. */
async function aim(call: GuardedCall, act: Act, isSure: boolean): Promise<AimedAct> {
  const found = await locate(call, act.operation, act.input);
  const target = isSure ? found : { ...found, mode: 'unknown' as const, touched: [...(found.touched ?? []), unknownEnvironment('elsewhere')] };
  return { ...act, target, ...(await expand(act.operation, act.input, target, call.reader)) };
}

/** Why the policy forbids one request of a call, or a part of one; undefined where it doesn't. */
async function denialAt({ tool, deps, reader, context }: GuardedCall, request: Act, at: Pick<Part, 'target' | 'tier' | 'isGuess'>): Promise<Denial | undefined> {
  const deeds = new Map(await Promise.all(deedsToTell(request.operation, deps.policy).map(async (deed) => [deed.tool, await deed.isDone!(request, reader)] as const)));
  return denialOfCall({ tool, operation: request.operation, deeds, ...at }, deps.policy, context.clock.now());
}

const ofPart = (denial: Denial, { operation, target, isGuess }: Part): Denial => ({
  ...denial,
  rule: `${denial.rule}, and this ${isGuess ? 'may carry out' : 'carries out'} ${operation.name}${target.id === undefined ? '' : ` on ${target.kind} ${target.id}`}`,
});

/** Lets an act pass if the policy lets it and everything that it carries out pass. @throws CallFailure `denied`. */
async function permit(call: GuardedCall, { operation, input, target, tier, parts }: AimedAct): Promise<void> {
  for (const part of parts) {
    const of = { operation: part.operation, input: { [`${part.target.kind}_id`]: part.target.id } };
    // The first that is forbidden is told, before the whole is judged: it says more.
    // oxlint-disable-next-line no-await-in-loop
    const denial = await denialAt(call, of, { target: part.target, tier: part.tier, isGuess: part.isGuess });
    if (denial) allowed(ofPart(denial, part));
  }
  allowed(await denialAt(call, { operation, input }, { target, tier }));
}

/** Whether more is asked for the one than for the other. */
const isGraver = (one: Aimed, other: Aimed): boolean =>
  graver(one.tier, other.tier) || (one.tier === other.tier && needsName(one.tier, one.target) && !needsName(other.tier, other.target));

/**
 * Finds out what the requests of a call act on, and their risk.
 * @throws ApiError as the platform fails.
 */
export async function assessOperations(call: GuardedCall, planned: readonly Act[]): Promise<Assessed> {
  const isSure = planned.length === 0 || (await isTogether(call));
  const acts = await Promise.all(planned.map((one) => aim(call, one, isSure)));
  const { target, tier } = acts.reduce<Aimed>((one, other) => (isGraver(other, one) ? other : one), acts[0] ?? { target: nothing, tier: 'read' });
  return { acts, target, tier };
}

/**
 * Lets a call pass if the policy lets each of its requests pass.
 * @throws CallFailure `denied`.
 */
export async function assertOperationsPermitted(call: GuardedCall & Assessed): Promise<void> {
  const { acts } = call;
  for (const one of acts) await keepInside(call, one.operation, one.target, true);
  for (const one of acts) await permit(call, one);
  await withinLimit(call, 'nextAt');
}

/** Counts the high-risk changes of a call that is about to be made. @throws CallFailure `denied` when too many were made since it passed. */
export const spend = (call: GuardedCall & Assessed): Promise<void> => withinLimit(call, 'take');
