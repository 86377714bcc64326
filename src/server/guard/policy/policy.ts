import { includesPermission, type AnyOperation } from '../../../contract/operation.ts';
import { permissionOf, type Tool } from '../../tool/tool.ts';
import { denialByScope, type Scope } from '../scope/scope.ts';
import { needsConfirmation, type HighRisk, type Risk } from '../risk/risk.ts';
import { dependsOnLocation, dependsOnProjectName, asksForLocation, conditionText, holds, holdsForTool, mayHaveLocation, type CallSituation } from './match.ts';
import type { Allowed, Conditions, DeniedAction, Limit, Rule, Rules } from './rules.ts';
import type { Denial } from '../../failure/failure.ts';

/** What the operator allows. */
export interface Policy {
  /** Nothing but reads, as the option of that name says. */
  readonly readOnly: boolean;
  /** Sets of rules, each of which has to permit a call: the operator's file, then what a request tightens. */
  readonly rules?: readonly Rules[];
  /** The place that every call is kept to. */
  readonly scope?: Scope;
}

const rulesIn = ({ rules = [] }: Policy): readonly Rules[] => rules;

const readOnlyDenial = (setBy: string): Denial => ({
  rule: 'this server is read-only',
  setBy,
  instead: 'The tools that read are allowed; to change something, ask whoever runs this server.',
});

/** Where it is set that nothing but reads is allowed; undefined where more is. */
const readOnlyBy = (policy: Policy): string | undefined =>
  policy.readOnly ? 'INFRA_READ_ONLY' : rulesIn(policy).find(({ readOnly }) => readOnly !== undefined)?.readOnly;

/** Whether nothing but reads is allowed. */
export const isReadOnly = (policy: Policy): boolean => readOnlyBy(policy) !== undefined;

/** What could not be found out, where a rule holds only for that; undefined where it holds for sure. */
function doubtAbout({ conditions }: Rule, situation: CallSituation): string | undefined {
  if (situation.isAssumed) return 'What it carries out';
  if (holdsForTool(conditions, situation, 'deed') === 'unknown') return 'Whether it does that';
  return holds(conditions, situation, 'deed') === 'unknown' ? 'Where it belongs' : undefined;
}

const denied = ({ conditions, setBy }: Rule, doubt?: string): Denial => ({
  rule: `the policy denies it where ${conditionText(conditions)}`,
  setBy,
  instead: `Where that does not hold it is allowed, as far as other rules go.${doubt === undefined ? '' : ` ${doubt} could not be found out, and in doubt the rule holds.`}`,
});

const notAllowed = ({ rules, setBy }: Allowed): Denial => ({
  rule: 'the policy does not allow it',
  setBy,
  instead: `Allowed is what one of these holds for: ${rules.map(conditionText).join('; ') || 'nothing'}.`,
});

/** Tiers that calls of an operation can have: its own, and the one that production raises it to. */
export const possibleRisks = (operation: AnyOperation): Risk[] =>
  operation.effect === 'write' && mayHaveLocation(operation) ? ['write', 'disruptive'] : [operation.effect];

/** A call, before it is known what it acts on. */
type UntargetedCall = Omit<CallSituation, 'target'>;

/** Every way a tool can be called. */
const possibleCalls = (tool: Tool): UntargetedCall[] => tool.operations.flatMap((operation) => possibleRisks(operation).map((tier) => ({ tool, operation, risk: tier })));

/** Why no such call can pass, whatever it acts on. */
function denialOfEvery(way: UntargetedCall, { allow, deny }: Rules): Denial | undefined {
  const always = deny.find(({ conditions }) => !dependsOnLocation(conditions) && holdsForTool(conditions, way, 'deed') === 'yes');
  if (always) return denied(always);
  const canHold = (conditions: Conditions): boolean => holdsForTool(conditions, way, 'tool') === 'yes' && (!dependsOnLocation(conditions) || mayHaveLocation(way.operation));
  return allow && !allow.rules.some(canHold) ? notAllowed(allow) : undefined;
}

/** Why a tool is beyond what its caller's permission reaches, or undefined. */
function denialByPermission(tool: Tool, policy: Policy): Denial | undefined {
  const needed = permissionOf(tool);
  const reach = rulesIn(policy).map((rules) => rules.permissionLimit).find((one) => one !== undefined && !includesPermission(one.level, needed));
  return reach && {
    rule: `it needs the permission "${needed}", and the one given here is "${reach.level}"`,
    setBy: reach.setBy,
    instead: 'The tools that are listed are allowed; whoever runs this server can give more.',
  };
}

/** Why the policy forbids every call of a tool, or undefined. Such tools aren't listed either. */
export function denialOf(tool: Tool, policy: Policy): Denial | undefined {
  const tooHigh = denialByPermission(tool, policy);
  if (tooHigh) return tooHigh;
  const setBy = readOnlyBy(policy);
  if (setBy !== undefined && tool.operation.effect !== 'read') return readOnlyDenial(setBy);
  const outside = denialByScope(tool, policy.scope);
  if (outside) return outside;
  const denials = possibleCalls(tool).map((way) => rulesIn(policy).map((rules) => denialOfEvery(way, rules)).find(Boolean));
  return denials.every(Boolean) ? denials[0] : undefined;
}

const time = (at: number): string => new Date(at).toISOString();

function frozen({ freezes }: Rules, situation: CallSituation, now: number): Denial | undefined {
  for (const freeze of freezes) {
    // Looking changes nothing: a freeze is about reads only where it says so.
    if (situation.risk === 'read' && !freeze.conditions.tier?.includes('read')) continue;
    const end = holds(freeze.conditions, situation, 'deed') === 'no' ? undefined : freeze.activeUntil(now);
    if (end !== undefined) return { rule: 'changes are frozen', setBy: freeze.setBy, instead: `Reads are allowed; changes again from ${time(end)}.` };
  }
  return undefined;
}

function forbidden(rules: Rules, situation: CallSituation, now: number): Denial | undefined {
  for (const rule of rules.deny) {
    if (holds(rule.conditions, situation, 'deed') !== 'no') return denied(rule, doubtAbout(rule, situation));
  }
  const { allow } = rules;
  if (allow && !allow.rules.some((conditions) => holds(conditions, situation, 'tool') === 'yes')) return notAllowed(allow);
  return frozen(rules, situation, now);
}

/**
 * Why the policy forbids this call, or undefined. In doubt it does: where the target's place could not be found out,
 * rules that deny hold and rules that allow don't.
 * @param now milliseconds since 1970.
 */
export const denialOfCall = (situation: CallSituation, policy: Policy, now: number): Denial | undefined =>
  denialOf(situation.tool, policy) ?? rulesIn(policy).map((rules) => forbidden(rules, situation, now)).find(Boolean);

const everyCondition = (policy: Policy): Conditions[] =>
  rulesIn(policy).flatMap(({ allow, deny, freezes }) => [...(allow?.rules ?? []), ...[...deny, ...freezes].map(({ conditions }) => conditions)]);

/** Conditions that could hold for a tool's call of an operation, wherever that is. */
const concerning = (tool: Tool, operation: AnyOperation, policy: Policy): Conditions[] =>
  everyCondition(policy).filter((conditions) => possibleRisks(operation).some((tier) => holdsForTool(conditions, { tool, operation, risk: tier }, 'deed') !== 'no'));

/** Whether a call can't be judged without knowing where its target is. */
export const needsLocation = (tool: Tool, operation: AnyOperation, policy: Policy): boolean => concerning(tool, operation, policy).some(dependsOnLocation);

/** Whether a call that changes a cluster can't be judged without knowing which environments it hosts. */
export const needsHostedEnvironments = (tool: Tool, operation: AnyOperation, policy: Policy): boolean => concerning(tool, operation, policy).some(asksForLocation);

/** What tools do that rules deny or freeze, of which only some calls of this operation are it. */
export const actionsToCheck = (operation: AnyOperation, policy: Policy): DeniedAction[] =>
  everyCondition(policy).flatMap(({ actions: deeds = [] }) => deeds.filter(({ operations, isDone }) => isDone && operations.includes(operation.name)));

/** Whether some rule calls a project by its name. */
export const needsProjectName = (policy: Policy): boolean => everyCondition(policy).some(dependsOnProjectName);

/** The strictest bound on grave calls in any 60 minutes, where there is one. */
export const limitOf = (policy: Policy): Limit | undefined =>
  rulesIn(policy).flatMap(({ limit }) => limit ?? []).toSorted((one, other) => one.most - other.most)[0];

/**
 * Denial of a call that would make more grave acts than the limit leaves.
 * @param grave how many it would make.
 * @param retryAt when it could, in milliseconds since 1970; undefined when never.
 */
export function limitDenial({ most, setBy }: Limit, grave: number, retryAt: number | undefined): Denial {
  const again = retryAt === undefined ? (most > 0 ? `; of these at most ${most} at once` : '') : `; ${grave === 1 ? 'the next one' : 'this many'} from ${time(retryAt)}`;
  return {
    rule: `at most ${most} disruptive or graver calls are allowed in 60 minutes${grave === 1 ? '' : `, and this one comes to ${grave}`}`,
    setBy,
    instead: `Reads and plain writes are allowed${again}.`,
  };
}

/** What every set of rules that says something allows; nothing where none does. */
function common<Value>(lists: readonly (readonly Value[] | undefined)[]): readonly Value[] {
  const [first = [], ...others] = lists.filter((list) => list !== undefined);
  return first.filter((value) => others.every((list) => list.includes(value)));
}

/** Whether nobody but the operator may agree to a call of this tier: what any set of rules demands, holds. */
export const isOperatorOnly = (tier: Risk, policy: Policy): boolean =>
  needsConfirmation(tier) && rulesIn(policy).some(({ operatorOnly = [] }) => operatorOnly.includes(tier));

/** Whether a client that can't ask its user may confirm a plan of this tier by itself. */
export const allowsUnattended = (tier: Risk, policy: Policy): tier is HighRisk =>
  needsConfirmation(tier) && !isOperatorOnly(tier, policy) && common(rulesIn(policy).map(({ unattended }) => unattended)).includes(tier);

/** Environment variables of this server whose values calls may set. */
export const allowedVariables = (policy: Policy): readonly string[] => common(rulesIn(policy).map(({ valueFromEnv }) => valueFromEnv));

/** Environment variables of this server that any set of rules names as such: their values are secrets, whoever may set them. */
export const unseenVariables = (rules: readonly Rules[]): readonly string[] => rules.flatMap(({ valueFromEnv = [] }) => valueFromEnv);

/** The same policy, tightened by more rules. */
export const withRules = (policy: Policy, rules: Rules): Policy => ({ ...policy, rules: [...rulesIn(policy), rules] });
