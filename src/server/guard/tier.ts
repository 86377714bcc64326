import { effects, type AnyOperation, type Effect } from '../../contract/operation.ts';
import { allTouched, type Target } from '../context/target.ts';

/** How grave a call is: the higher of what its operation does and what its target asks for. */
export type Tier = Effect;

/** Whether the one is graver than the other. */
export const graver = (one: Tier, other: Tier): boolean => effects.indexOf(one) > effects.indexOf(other);

/** The higher of two risks. */
export const higher = (one: Tier, other: Tier): Tier => (graver(other, one) ? other : one);

const touches = (target: Target, ...modes: readonly Target['mode'][]): boolean => allTouched(target).some(({ mode }) => modes.includes(mode));

/** Whether a change to this target counts one step more: it or something else that is touched is production, or nobody can tell. */
const raises = (target: Target): boolean => touches(target, 'PRODUCTION', 'unknown');

/**
 * The tier of an operation on its target. Reads stay reads; a change that touches a production environment or cluster,
 * before or after, or one whose mode can't be determined, is at least disruptive.
 */
export const tierOf = (operation: AnyOperation, target: Target): Tier =>
  operation.effect !== 'read' && raises(target) ? higher(operation.effect, 'disruptive') : operation.effect;

/** Tiers that somebody has to agree to. */
export const graveTiers = ['disruptive', 'destructive', 'sensitive'] as const satisfies readonly Tier[];
export type GraveTier = (typeof graveTiers)[number];

/** Whether somebody has to agree first. */
export const needsConfirmation = (tier: Tier): tier is GraveTier => (graveTiers as readonly Tier[]).includes(tier);

/** Whether agreeing means typing the target's name, not just saying yes. */
export const needsName = (tier: Tier, target: Target): boolean => tier === 'destructive' || touches(target, 'PRODUCTION');

/**
 * Whether a call destroys or gives away what is, or may be, production: then no caller may agree to it by itself. What is
 * sensitive on the organization is: a member, webhook or repository of the organization reaches its production too.
 */
export const isIrreparable = (tier: Tier, target: Target): boolean =>
  (tier === 'sensitive' && allTouched(target).some(({ kind }) => kind === 'organization')) || ((tier === 'destructive' || tier === 'sensitive') && raises(target));
