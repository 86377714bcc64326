import { effects, type AnyOperation, type Effect } from '../../../contract/operation.ts';
import { targetAndTouched, type Target } from '../../context/target.ts';

/** How grave a call is: the higher of what its operation does and what its target asks for. */
export type Risk = Effect;

/** Whether the one is graver than the other. */
export const isHigherRisk = (one: Risk, other: Risk): boolean => effects.indexOf(one) > effects.indexOf(other);

/** The higher of two risks. */
export const higherRisk = (one: Risk, other: Risk): Risk => (isHigherRisk(other, one) ? other : one);

const touches = (target: Target, ...modes: readonly Target['mode'][]): boolean => targetAndTouched(target).some(({ mode }) => modes.includes(mode));

/** Whether a change to this target counts one step more: it or something else that is touched is production, or nobody can tell. */
const raisesRisk = (target: Target): boolean => touches(target, 'PRODUCTION', 'unknown');

/**
 * The tier of an operation on its target. Reads stay reads; a change that touches a production environment or cluster,
 * before or after, or one whose mode can't be determined, is at least disruptive.
 */
export const riskOf = (operation: AnyOperation, target: Target): Risk =>
  operation.effect !== 'read' && raisesRisk(target) ? higherRisk(operation.effect, 'disruptive') : operation.effect;

/** Tiers that somebody has to agree to. */
export const highRisks = ['disruptive', 'destructive', 'sensitive'] as const satisfies readonly Risk[];
export type HighRisk = (typeof highRisks)[number];

/** Whether somebody has to agree first. */
export const needsConfirmation = (tier: Risk): tier is HighRisk => (highRisks as readonly Risk[]).includes(tier);

/** Whether agreeing means typing the target's name, not just saying yes. */
export const needsTypedName = (tier: Risk, target: Target): boolean => tier === 'destructive' || touches(target, 'PRODUCTION');

/**
 * Whether a call destroys or gives away what is, or may be, production: then no caller may agree to it by itself. What is
 * sensitive on the organization is: a member, webhook or repository of the organization reaches its production too.
 */
export const endangersProduction = (tier: Risk, target: Target): boolean =>
  (tier === 'sensitive' && targetAndTouched(target).some(({ kind }) => kind === 'organization')) || ((tier === 'destructive' || tier === 'sensitive') && raisesRisk(target));
