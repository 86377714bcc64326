import {
  effects,
  isProduction,
  mayBeProduction,
  mostCriticalOf,
  type AnyOperation,
  type Effect,
} from '../../../contract/index.ts';
import { targetAndTouched, type Target } from '../../context/index.ts';

/** The risk of a call: its operation's effect, or a higher one if its target requires it. */
export type Risk = Effect;

/** Whether the first risk is higher than the second. */
export const isHigherRisk = (one: Risk, other: Risk): boolean => effects.indexOf(one) > effects.indexOf(other);

/** The higher of two risks. */
export const higherRisk = (one: Risk, other: Risk): Risk => (isHigherRisk(other, one) ? other : one);

const touches = (target: Target, isMeant: (mode: Target['mode']) => boolean): boolean =>
  targetAndTouched(target).some(({ mode }) => isMeant(mode));

/** Whether the target raises the risk of a change: the target or another touched resource is, or may be, production. */
const raisesRisk = (target: Target): boolean => touches(target, mayBeProduction);

/** The most critical mode among those of all resources that a call touches. */
export const mostCriticalMode = (target: Target): Target['mode'] =>
  mostCriticalOf(targetAndTouched(target).map(({ mode }) => mode));

/**
 * The risk of an operation on its target. Reads stay reads. A change is at least disruptive if it touches an
 * environment or cluster that is production, before or after the change, or whose mode can't be determined.
 * @param showsAll whether its plan shows everything that it replaces. Otherwise something may be lost unnoticed.
 */
export function riskOf({ effect, effectIfHidden }: AnyOperation, target: Target, showsAll = false): Risk {
  const own = showsAll ? effect : higherRisk(effect, effectIfHidden);
  return own !== 'read' && raisesRisk(target) ? higherRisk(own, 'disruptive') : own;
}

/** Risks that need confirmation. */
export const highRisks = ['disruptive', 'destructive', 'sensitive'] as const satisfies readonly Risk[];
export type HighRisk = (typeof highRisks)[number];

/** Whether a call of this risk needs confirmation. */
export const needsConfirmation = (risk: Risk): risk is HighRisk => (highRisks as readonly Risk[]).includes(risk);

/** Whether confirming means typing the target's name, not just saying yes. */
export const needsTypedName = (risk: Risk, target: Target): boolean =>
  risk === 'destructive' || touches(target, isProduction);

/**
 * Whether no tier of `unattended` covers a call, and only a policy that names its tool lets a caller confirm it alone.
 * So it is with everything sensitive: people, tokens, webhooks, registries and alert receivers of the organization reach
 * production, and the end of a deployment window ends what somebody decided for everybody. So it is also with what is
 * destructive for a target that is, or may be, production.
 */
export const needsNamedTool = (risk: Risk, target: Target): boolean =>
  risk === 'sensitive' || (risk === 'destructive' && raisesRisk(target));
