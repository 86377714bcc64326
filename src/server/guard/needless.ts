import { fail } from '../failure/failure.ts';
import { protect } from '../call/look.ts';
import type { Guarded } from './guard.ts';
import type { Needless } from '../tool/preview/preview.ts';
import { needsConfirmation } from './tier.ts';

/** Whether somebody wants to know what it would do before it is done. Otherwise nothing is read, so that a harmless change stays one request. */
export const isLookedInto = ({ controls, tier }: Guarded): boolean => controls.dryRun || needsConfirmation(tier);

/** Why it needs not be done; undefined where it has to be, or nobody asks. */
export async function needlessness(call: Guarded): Promise<Needless | undefined> {
  const { tool, acts: [first, ...others], look } = call;
  if (!tool.need || !first || others.length > 0 || !isLookedInto(call)) return undefined;
  return tool.need(first.input, { target: first.target, read: async (operation, input) => protect(call, operation, await look(operation, input)) });
}

/**
 * Lets pass what the platform isn't known to lack: nobody is asked for what can't be done.
 * @throws CallFailure `not_possible`.
 */
export function keepOffered({ acts, context }: Guarded): void {
  const lacking = acts.find(({ operation }) => context.lacks(operation));
  if (!lacking) return;
  fail({ kind: 'not_possible', what: `this platform does not offer ${lacking.operation.name}, as an earlier call showed, so nobody was asked to agree`, next: 'Do without it here, and tell the user.' });
}
