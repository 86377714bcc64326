import { effects, type AnyOperation, type Effect } from '../../contract/operation.ts';
import type { Target } from './target.ts';

/** How grave a call is: the higher of what its operation does and what its target asks for. */
export type Tier = Effect;

/** Whether the one is graver than the other. */
export const graver = (one: Tier, other: Tier): boolean => effects.indexOf(one) > effects.indexOf(other);

const higher = (one: Tier, other: Tier): Tier => (graver(other, one) ? other : one);

/** Whether a change to this target counts one step more: production, or nobody can tell. */
const raises = (target: Target): boolean => target.mode === 'PRODUCTION' || target.mode === 'unknown';

/**
 * The tier of a call. Reads stay reads; a change to a production environment, or to one whose mode can't be
 * determined, is at least disruptive.
 */
export const tierOf = (operation: AnyOperation, target: Target): Tier =>
  operation.effect !== 'read' && raises(target) ? higher(operation.effect, 'disruptive') : operation.effect;

/** Tiers that somebody has to agree to. */
export const graveTiers = ['disruptive', 'destructive', 'sensitive'] as const satisfies readonly Tier[];
export type GraveTier = (typeof graveTiers)[number];

/** Whether somebody has to agree first. */
export const needsConfirmation = (tier: Tier): tier is GraveTier => (graveTiers as readonly Tier[]).includes(tier);

/** Whether agreeing means typing the target's name, not just saying yes. */
export const needsName = (tier: Tier, target: Target): boolean => tier === 'destructive' || target.mode === 'PRODUCTION';

/** Whether a call destroys or gives away what is, or may be, production: then no caller may agree to it by itself. */
export const isIrreparable = (tier: Tier, target: Target): boolean => (tier === 'destructive' || tier === 'sensitive') && raises(target);
