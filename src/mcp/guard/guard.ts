import { ask, fail, type Call } from '../call.ts';
import { denialOf, denialOfCall, limitOf, needsPlace, needsProjectName, spent, type Denial } from './policy.ts';
import { targetOf, withProjectName, type Read, type Target } from './target.ts';
import { needsConfirmation, tierOf, type Tier } from './tier.ts';

/** A call that the policy lets pass, with what it acts on and how grave it is. */
export interface Guarded extends Call {
  readonly target: Target;
  readonly tier: Tier;
}

const nothing: Target = { kind: 'organization', mode: 'none' };

/** Reads of the platform on behalf of a call. */
export const readFor =
  (call: Call): Read =>
  (operation, input) =>
    ask(operation, input, call);

/** What it acts on, as far as somebody has to know. */
async function locate(call: Call): Promise<Target> {
  const { tool, args, deps } = call;
  if (tool.operation.effect === 'read' && !needsPlace(tool, deps.policy)) return nothing;
  const target = await targetOf(tool.operation, args, readFor(call));
  return needsProjectName(deps.policy) ? withProjectName(target, readFor(call)) : target;
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

/**
 * Lets a call pass if the policy does. What can never pass is not looked at any further.
 * @throws CallFailure `denied`.
 */
export async function guard(call: Call): Promise<Guarded> {
  const { tool, context, deps, note } = call;
  allowed(denialOf(tool, deps.policy));
  const target = await locate(call);
  const tier = tierOf(tool.operation, target);
  // Its names are recorded once they have been protected, with the plan.
  note({ tier, target: { kind: target.kind, id: target.id, mode: target.mode } });
  allowed(denialOfCall({ tool, tier, target }, deps.policy, context.clock.now()));
  const guarded = { ...call, target, tier };
  await withinLimit(guarded, 'nextAt');
  return guarded;
}

/** Counts a grave call that is about to be made. @throws CallFailure `denied` when too many were made since it passed. */
export const spend = (call: Guarded): Promise<void> => withinLimit(call, 'take');
