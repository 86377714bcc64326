import { includesPermission, type AnyOperation } from '../../../contract/index.ts';
import { permissionOf, type Tool } from '../../tool/index.ts';
import { denialByScope, type Scope } from '../scope/scope.ts';
import { needsConfirmation, type Risk } from '../risk/risk.ts';
import {
  dependsOnLocation,
  dependsOnProjectName,
  asksForLocation,
  conditionText,
  shownConditionText,
  unreadPlaces,
  holds,
  isWithin,
  holdsForTool,
  mayHaveLocation,
  type CallSituation,
} from './match.ts';
import type { Allowed, Conditions, DeniedAction, Limit, Rule, Rules } from './rules.ts';
import type { Denial } from '../../failure/index.ts';

/** The operator's policy. */
export interface Policy {
  /** Whether the read-only option is set. */
  readonly readOnly: boolean;
  /**
   * Sets of rules, each of which has to permit a call: those of the operator's file, then those that tighten a single
   * request.
   */
  readonly rules?: readonly Rules[];
  /** The project or environment that every call is limited to. */
  readonly scope?: Scope;
  /** Whether operators have names, and may decide on calls by where these act. */
  readonly namesOperators?: boolean;
}

/** The sets of rules of a policy. */
export const rulesIn = ({ rules = [] }: Policy): readonly Rules[] => rules;

const readOnlyDenial = (setBy: string): Denial => ({
  rule: 'this server is read-only',
  setBy,
  instead: 'The tools that read are allowed; to change something, ask whoever runs this server.',
});

/** The setting that makes this server read-only; undefined if it isn't. */
const readOnlyBy = (policy: Policy): string | undefined =>
  policy.readOnly ? 'INFRA_READ_ONLY' : rulesIn(policy).find(({ readOnly }) => readOnly !== undefined)?.readOnly;

/** Whether the policy allows reads only. */
export const isReadOnly = (policy: Policy): boolean => readOnlyBy(policy) !== undefined;

/** The fact that could not be determined, if a rule holds only because of that; undefined if it certainly holds. */
function doubtAbout({ conditions }: Rule, situation: CallSituation): string | undefined {
  if (situation.isAssumed) return 'What it carries out';
  if (holdsForTool(conditions, situation, 'action') === 'unknown') return 'Whether it does that';
  return holds(conditions, situation, 'action') === 'unknown' ? 'Where it belongs' : undefined;
}

/** The places that rules hide from reads. */
export const unreadIn = (policy: Policy): ReadonlySet<string> =>
  unreadPlaces(rulesIn(policy).flatMap(({ deny }) => deny.map(({ conditions }) => conditions)));

const denied = ({ conditions, setBy }: Rule, policy: Policy, doubt?: string): Denial => ({
  rule: `the policy denies it where ${shownConditionText(conditions, unreadIn(policy))}`,
  setBy,
  instead: `Where that does not hold it is allowed, as far as other rules go.${doubt === undefined ? '' : ` ${doubt} could not be found out, and in doubt the rule holds.`}`,
});

const notAllowed = ({ rules, setBy }: Allowed): Denial => ({
  rule: 'the policy does not allow it',
  setBy,
  instead: `Allowed is what one of these holds for: ${rules.map(conditionText).join('; ') || 'nothing'}.`,
});

/** The possible risks of an operation's calls: its effects, and the risk to which production raises it. */
export const possibleRisks = (operation: AnyOperation): Risk[] => {
  const { effect, effectIfHidden } = operation;
  return [
    ...new Set<Risk>([
      effect,
      ...(effect === 'write' && mayHaveLocation(operation) ? (['disruptive'] as const) : []),
      effectIfHidden,
    ]),
  ];
};

/** A call whose target isn't known yet. */
type UntargetedCall = Omit<CallSituation, 'target'>;

/** The operations of a tool, each with every possible risk. */
const possibleCalls = (tool: Tool): UntargetedCall[] =>
  tool.operations.flatMap((operation) => possibleRisks(operation).map((risk) => ({ tool, operation, risk })));

/**
 * Whether such a rule holds for every target. An operation that shows every environment may show one in a mode that is
 * denied.
 */
const holdsEverywhere = (conditions: Conditions, { operation }: UntargetedCall): boolean =>
  !dependsOnLocation(conditions) || (operation.showsEnvironments === true && !asksForLocation(conditions));

/** Why rules deny such a call whatever its target; undefined if they may permit it. */
function denialOfEvery(call: UntargetedCall, { allow, deny }: Rules, policy: Policy): Denial | undefined {
  const always = deny.find(
    ({ conditions }) => holdsEverywhere(conditions, call) && holdsForTool(conditions, call, 'action') === 'yes',
  );
  if (always) return denied(always, policy);
  const canHold = (conditions: Conditions): boolean =>
    holdsForTool(conditions, call, 'tool') === 'yes' &&
    (!dependsOnLocation(conditions) || mayHaveLocation(call.operation));
  return allow && !allow.rules.some(canHold) ? notAllowed(allow) : undefined;
}

/** Why a tool needs a higher permission than its caller has; undefined if it doesn't. */
function denialByPermission(tool: Tool, policy: Policy): Denial | undefined {
  const needed = permissionOf(tool);
  const limit = rulesIn(policy)
    .map((rules) => rules.permissionLimit)
    .find((one) => one !== undefined && !includesPermission(one.level, needed));
  return (
    limit && {
      rule: `it needs the permission "${needed}", and the one given here is "${limit.level}"`,
      setBy: limit.setBy,
      instead: 'The tools that are listed are allowed; whoever runs this server can give more.',
    }
  );
}

/** Why the policy forbids every call of a tool; undefined if it doesn't. Such tools aren't listed. */
export function denialOf(tool: Tool, policy: Policy): Denial | undefined {
  const byPermission = denialByPermission(tool, policy);
  if (byPermission) return byPermission;
  const setBy = readOnlyBy(policy);
  if (setBy !== undefined && tool.operation.effect !== 'read') return readOnlyDenial(setBy);
  const byScope = denialByScope(tool, policy.scope);
  if (byScope) return byScope;
  const denials = possibleCalls(tool).map((call) =>
    rulesIn(policy)
      .map((rules) => denialOfEvery(call, rules, policy))
      .find(Boolean),
  );
  return denials.every(Boolean) ? denials[0] : undefined;
}

const time = (at: number): string => new Date(at).toISOString();

function frozen({ freezes }: Rules, situation: CallSituation, now: number): Denial | undefined {
  for (const freeze of freezes) {
    // Reads change nothing: a freeze applies to them only if it names them.
    if (situation.risk === 'read' && !freeze.conditions.tier?.includes('read')) continue;
    const end = holds(freeze.conditions, situation, 'action') === 'no' ? undefined : freeze.activeUntil(now);
    if (end !== undefined)
      return {
        rule: 'changes are frozen by the policy of this server, not by the platform',
        setBy: freeze.setBy,
        instead: `Reads are allowed; changes again from ${time(end)}.`,
      };
  }
  return undefined;
}

function forbidden(rules: Rules, situation: CallSituation, policy: Policy, now: number): Denial | undefined {
  for (const rule of rules.deny) {
    if (holds(rule.conditions, situation, 'action') !== 'no') return denied(rule, policy, doubtAbout(rule, situation));
  }
  const { allow, onlyIn } = rules;
  if (onlyIn && !isWithin(onlyIn.rules, situation.target)) return notAllowed(onlyIn);
  if (allow && !allow.rules.some((conditions) => holds(conditions, situation, 'tool') === 'yes'))
    return notAllowed(allow);
  return frozen(rules, situation, now);
}

/**
 * Why the policy forbids this call; undefined if it doesn't. In doubt it does: if the target's location could not be
 * determined, rules that deny hold and rules that allow don't.
 * @param now milliseconds since 1970.
 */
export const denialOfCall = (situation: CallSituation, policy: Policy, now: number): Denial | undefined =>
  denialOf(situation.tool, policy) ??
  rulesIn(policy)
    .map((rules) => forbidden(rules, situation, policy, now))
    .find(Boolean);

const everyCondition = (policy: Policy): Conditions[] =>
  rulesIn(policy).flatMap(({ allow, onlyIn, deny, freezes }) => [
    ...(allow?.rules ?? []),
    ...(onlyIn?.rules ?? []),
    ...[...deny, ...freezes].map(({ conditions }) => conditions),
  ]);

/** The conditions of rules about who has to agree. They hide nothing from reads. */
const agreementConditions = (policy: Policy): Conditions[] =>
  rulesIn(policy).flatMap(({ twoPerson = [] }) => twoPerson.map(({ conditions }) => conditions));

/**
 * The conditions that could hold for a tool's call of an operation, whatever its target.
 * @param among the conditions; default: those of all rules that allow, deny or freeze
 */
const concerning = (
  tool: Tool,
  operation: AnyOperation,
  policy: Policy,
  among: readonly Conditions[] = everyCondition(policy),
): Conditions[] =>
  among.filter((conditions) =>
    possibleRisks(operation).some((risk) => holdsForTool(conditions, { tool, operation, risk }, 'action') !== 'no'),
  );

/** Whether rules about a call depend on its target's location or mode. */
export const needsLocation = (tool: Tool, operation: AnyOperation, policy: Policy): boolean =>
  concerning(tool, operation, policy).some(dependsOnLocation);

/**
 * Whether rules about a call depend on projects or environments: then the environments that a target cluster hosts have
 * to be known.
 */
export const needsHostedEnvironments = (tool: Tool, operation: AnyOperation, policy: Policy): boolean =>
  policy.namesOperators === true ||
  concerning(tool, operation, policy, [...everyCondition(policy), ...agreementConditions(policy)]).some(
    asksForLocation,
  );

/** The actions named in rules that need a check, because only some calls of this operation are such an action. */
export const actionsToCheck = (operation: AnyOperation, policy: Policy): DeniedAction[] =>
  [...everyCondition(policy), ...agreementConditions(policy)].flatMap(({ actions = [] }) =>
    actions.filter(({ operations, isDone }) => isDone && operations.includes(operation.name)),
  );

/** Whether a rule names a project, so that project names have to be read. */
export const needsProjectName = (policy: Policy): boolean =>
  policy.namesOperators === true ||
  [...everyCondition(policy), ...agreementConditions(policy)].some(dependsOnProjectName);

/** The lowest limit on high-risk calls in any 60 minutes; undefined if there is none. */
export const limitOf = (policy: Policy): Limit | undefined =>
  rulesIn(policy)
    .flatMap(({ limit }) => limit ?? [])
    .toSorted((one, other) => one.most - other.most)[0];

/**
 * Denial of a call with more high-risk changes than the limit leaves.
 * @param count the number of its high-risk changes.
 * @param retryAt when they are allowed, in milliseconds since 1970; undefined if never.
 */
export function limitDenial({ most, setBy }: Limit, count: number, retryAt: number | undefined): Denial {
  const again =
    retryAt === undefined
      ? most > 0
        ? `; of these at most ${most} at once`
        : ''
      : `; ${count === 1 ? 'the next one' : 'this many'} from ${time(retryAt)}`;
  return {
    rule: `at most ${most} disruptive or graver calls are allowed in 60 minutes${count === 1 ? '' : `, and this one comes to ${count}`}`,
    setBy,
    instead: `Reads and plain writes are allowed${again}.`,
  };
}

/** The values common to all given lists; none if no list is given. */
export function common<Value>(lists: readonly (readonly Value[] | undefined)[]): readonly Value[] {
  const [first = [], ...others] = lists.filter((list) => list !== undefined);
  return first.filter((value) => others.every((list) => list.includes(value)));
}

/** Whether only the operator may confirm a call of this risk: one set of rules that requires it is enough. */
export const isOperatorOnly = (risk: Risk, policy: Policy): boolean =>
  needsConfirmation(risk) && rulesIn(policy).some(({ operatorOnly = [] }) => operatorOnly.includes(risk));

/** A call as `unattended` judges it. */
export interface UnattendedCall {
  /** The name of its tool. */
  readonly tool: string;
  readonly risk: Risk;
  /** Whether its tool has to be named, because no tier of `unattended` covers such a call. Default: no. */
  readonly needsName?: boolean;
}

/**
 * Whether a client that can't ask its user may confirm the plan of such a call by itself: if each set of rules that has
 * `unattended` names its tool, or its tier where that is enough.
 */
export function allowsUnattended({ tool, risk, needsName = false }: UnattendedCall, policy: Policy): boolean {
  const lists = rulesIn(policy).flatMap(({ unattended }) => unattended ?? []);
  return (
    needsConfirmation(risk) &&
    !isOperatorOnly(risk, policy) &&
    lists.length > 0 &&
    lists.every(({ tools, tiers }) => tools.includes(tool) || (!needsName && tiers.includes(risk)))
  );
}

/** Names of this server's environment variables whose values calls may set without seeing them. */
export const allowedVariables = (policy: Policy): readonly string[] =>
  common(rulesIn(policy).map(({ valueFromEnv }) => valueFromEnv));

/**
 * Names of environment variables that any set of rules lists for unseen use: their values are secrets, even if no call
 * may set them.
 */
export const valueVariables = (rules: readonly Rules[]): readonly string[] =>
  rules.flatMap(({ valueFromEnv = [] }) => valueFromEnv);

/** Adds a set of rules to a policy, which can only tighten it. */
export const withRules = (policy: Policy, rules: Rules): Policy => ({ ...policy, rules: [...rulesIn(policy), rules] });

const policyNumbers = new WeakMap<Policy, number>();
let policyCount = 0;

/** A number that identifies a policy object, because callers may have different policies. */
export function policyNumber(policy: Policy): number {
  const number = policyNumbers.get(policy) ?? (policyCount += 1);
  policyNumbers.set(policy, number);
  return number;
}

/** Whether a policy can hide data that the platform shows. */
export const canHideReads = (policy: Policy): boolean =>
  policy.scope !== undefined ||
  rulesIn(policy).some(
    ({ allow, onlyIn, deny, permissionLimit }) =>
      allow !== undefined || onlyIn !== undefined || deny.length > 0 || permissionLimit !== undefined,
  );
