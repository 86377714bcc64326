import { fail, type Call } from '../call.ts';
import type { Act } from '../tool.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { JsonRecord } from '../values.ts';
import { denialOf, denialOfCall, limitOf, needsPlace, needsProjectName, spent, type Denial } from './policy.ts';
import { targetOf, withProjectName, type Target } from './target.ts';
import { graver, needsConfirmation, tierOf, type Tier } from './tier.ts';

/** A call that came to the requests it would make. */
export interface Lowered extends Call {
  readonly acts: readonly Act[];
}

/** One of those, with what it acts on and how grave it is. */
export interface AimedAct extends Act {
  readonly target: Target;
  readonly tier: Tier;
}

/** A call that the policy lets pass. Its target and tier are those of its gravest act. */
export interface Guarded extends Call {
  readonly acts: readonly AimedAct[];
  readonly target: Target;
  readonly tier: Tier;
}

const nothing: Target = { kind: 'organization', mode: 'none' };

/** What an operation acts on, as far as somebody has to know. */
async function locate({ tool, deps, look }: Call, operation: AnyOperation, input: JsonRecord): Promise<Target> {
  if (operation.effect === 'read' && !needsPlace(tool, operation, deps.policy)) return nothing;
  const target = await targetOf(operation, input, look);
  return needsProjectName(deps.policy) ? withProjectName(target, look) : target;
}

const allowed = (denial: Denial | undefined): void => {
  if (denial) fail({ kind: 'denied', denial });
};

/** Whether a grave call may still be made. @param count looks, or counts it as made. */
async function withinLimit({ tier, deps, context }: Guarded, count: 'nextAt' | 'take'): Promise<void> {
  const limit = limitOf(deps.policy);
  if (!limit || !needsConfirmation(tier)) return;
  const retryAt = await deps.graveCalls[count](limit.most, context.clock.now());
  if (retryAt !== undefined) fail({ kind: 'denied', denial: spent(limit, Number.isFinite(retryAt) ? retryAt : undefined) });
}

/** Lets pass what the policy doesn't forbid whatever it acts on. @throws CallFailure `denied`. */
export const admit = ({ tool, deps }: Call): void => allowed(denialOf(tool, deps.policy));

/**
 * Lets a read pass that a tool makes on its way, if the policy does.
 * @throws CallFailure `denied`.
 */
export async function guardRead(call: Call, operation: AnyOperation, input: JsonRecord): Promise<void> {
  const { tool, deps, context } = call;
  if (operation.effect !== 'read') throw new Error(`${tool.name} would read by ${operation.name}, which changes things`);
  if (!deps.policy.rules?.length) return;
  const target = await locate(call, operation, input);
  allowed(denialOfCall({ tool, operation, tier: 'read', target }, deps.policy, context.clock.now()));
}

async function aim(call: Call, act: Act): Promise<AimedAct> {
  const target = await locate(call, act.operation, act.input);
  return { ...act, target, tier: tierOf(act.operation, target) };
}

/**
 * Lets a call pass if the policy lets each of its acts pass.
 * @throws CallFailure `denied`.
 */
export async function guard(call: Lowered): Promise<Guarded> {
  const { tool, context, deps, note } = call;
  const acts = await Promise.all(call.acts.map((one) => aim(call, one)));
  const { target, tier } = acts.reduce<{ target: Target; tier: Tier }>((one, other) => (graver(other.tier, one.tier) ? other : one), acts[0] ?? { target: nothing, tier: 'read' });
  // Its names are recorded once they have been protected, with the plan.
  note({ tier, target: { kind: target.kind, id: target.id, mode: target.mode } });
  for (const one of acts) allowed(denialOfCall({ tool, ...one }, deps.policy, context.clock.now()));
  const guarded = { ...call, acts, target, tier };
  await withinLimit(guarded, 'nextAt');
  return guarded;
}

/** Counts a grave call that is about to be made. @throws CallFailure `denied` when too many were made since it passed. */
export const spend = (call: Guarded): Promise<void> => withinLimit(call, 'take');
