import { fail } from '../failure/failure.ts';
import { lookupFor } from '../tool/name-resolver.ts';
import type { PlannedOperation } from '../tool/tool.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { Clock } from '../context/call-context.ts';
import type { JsonRecord } from '../json/values.ts';
import { denialOfArgument, denialOutsideScope } from './scope/scope.ts';
import { operationRiskOf, type OperationPart } from './risk/operation-parts.ts';
import { maximumSearchTime, type SearchLimit } from './risk/hosted-environments.ts';
import { actionsToCheck, denialOf, denialOfCall, limitOf, needsHostedEnvironments, needsLocation, needsProjectName, limitDenial } from './policy/policy.ts';
import { findTargetById, findTarget, withProjectName } from './risk/find-target.ts';
import { unknownEnvironment, type Target } from '../context/target.ts';
import { isHigherRisk, needsTypedName } from './risk/risk.ts';
import { areInSameEnvironment } from './same-environment.ts';
import type { Denial } from '../failure/failure.ts';
import type { TargetedOperation, AssessedRisk, GuardedCall } from './guarded-call.ts';

type TargetRisk = Pick<TargetedOperation, 'target' | 'risk'>;

const noTarget: Target = { kind: 'organization', mode: 'none' };

function searchLimitOf(clock: Clock): SearchLimit {
  const until = clock.now() + maximumSearchTime;
  return { isOver: () => clock.now() > until };
}

/** What an operation acts on, as far as somebody has to know. */
async function targetFor({ tool, deps, reader, context: { clock } }: GuardedCall, operation: AnyOperation, input: JsonRecord): Promise<Target> {
  if (operation.effect === 'read' && !deps.policy.scope && !needsLocation(tool, operation, deps.policy)) return noTarget;
  // Who only reads a cluster touches nothing that it hosts.
  const tellsHosted = operation.effect !== 'read' && needsHostedEnvironments(tool, operation, deps.policy);
  const target = await findTarget(operation, input, reader, searchLimitOf(clock), tellsHosted);
  return needsProjectName(deps.policy) ? withProjectName(target, reader) : target;
}

const denyIf = (denial: Denial | undefined): void => {
  if (denial) fail({ kind: 'denied', denial });
};

/** Lets pass what lies in the place that calls are kept to, where they are. @throws CallFailure `denied`. */
async function assertOperationInScope(call: GuardedCall, operation: AnyOperation, target: Target, isAct: boolean): Promise<void> {
  const { scope: pin } = call.deps.policy;
  if (pin && call.deps.scopeResolver) denyIf(denialOutsideScope(pin, await call.deps.scopeResolver.resolve(lookupFor(call)), { operation, target, isMainOperation: isAct }));
}

/** Lets pass a call whose arguments point at nothing outside the place that calls are kept to. @throws CallFailure `denied`. */
export async function assertArgumentsInScope({ deps, resolved: addresses, context, reader }: GuardedCall): Promise<void> {
  const { scope: pin } = deps.policy;
  if (!pin || !deps.scopeResolver) return;
  const place = await deps.scopeResolver.resolve(lookupFor({ context, reader }));
  // A cluster belongs to no project, whatever runs on it.
  for (const { kind, id } of Object.values(addresses)) if (kind !== 'cluster') denyIf(denialOfArgument(pin, place, await findTargetById(kind, id, reader)));
}

/** Whether the high-risk changes of a call may still be made. @param count looks, or counts them as made. */
async function assertWithinLimit({ operations: acts, deps, context }: GuardedCall & AssessedRisk, count: 'nextAt' | 'take'): Promise<void> {
  const limit = limitOf(deps.policy);
  const grave = acts.reduce((sum, { highRisk }) => sum + highRisk, 0);
  if (!limit || grave === 0) return;
  const retryAt = await deps.highRiskCalls[count](limit.most, context.clock.now(), grave);
  if (retryAt !== undefined) fail({ kind: 'denied', denial: limitDenial(limit, grave, Number.isFinite(retryAt) ? retryAt : undefined) });
}

/** Lets pass what the policy doesn't forbid whatever it acts on. @throws CallFailure `denied`. */
export const assertAllowed = ({ tool, deps }: GuardedCall): void => denyIf(denialOf(tool, deps.policy));

/**
 * Lets a read pass that a tool makes on its way, if the policy does.
 * @throws CallFailure `denied`.
 */
export async function assertReadAllowed(call: GuardedCall, operation: AnyOperation, input: JsonRecord): Promise<void> {
  const { tool, deps, context } = call;
  if (operation.effect !== 'read') throw new Error(`${tool.name} would read by ${operation.name}, which changes things`);
  if (!deps.policy.rules?.length && !deps.policy.scope) return;
  const target = await targetFor(call, operation, input);
  await assertOperationInScope(call, operation, target, false);
  denyIf(denialOfCall({ tool, operation, risk: 'read', target }, deps.policy, context.clock.now()));
}

/** Lets a tool that reads by itself pass, as far as the policy is about what its arguments point at. */
export async function assertSubjectsPermitted(call: GuardedCall): Promise<void> {
  const { tool, deps, context, reader, resolved: addresses } = call;
  if (!tool.operations.some((operation) => needsLocation(tool, operation, deps.policy))) return;
  for (const { kind, id } of Object.values(addresses)) {
    const target = await findTargetById(kind, id, reader, searchLimitOf(context.clock));
    const named = needsProjectName(deps.policy) ? await withProjectName(target, reader) : target;
    denyIf(denialOfCall({ tool, operation: tool.operation, risk: 'read', target: named }, deps.policy, context.clock.now()));
  }
}

/** What an act is aimed at. Where it may change something that lies elsewhere, nobody knows which environment it touches, nor its mode. */
async function assessOperation(call: GuardedCall, act: PlannedOperation, isSure: boolean): Promise<TargetedOperation> {
  const found = await targetFor(call, act.operation, act.input);
  const target = isSure ? found : { ...found, mode: 'unknown' as const, touched: [...(found.touched ?? []), unknownEnvironment('elsewhere')] };
  return { ...act, target, ...(await operationRiskOf(act.operation, act.input, target, call.reader)) };
}

/** Why the policy forbids one request of a call, or a part of one; undefined where it doesn't. */
async function denialAt({ tool, deps, reader, context }: GuardedCall, request: PlannedOperation, at: Pick<OperationPart, 'target' | 'risk' | 'isAssumed'>): Promise<Denial | undefined> {
  const deeds = new Map(await Promise.all(actionsToCheck(request.operation, deps.policy).map(async (deed) => [deed.tool, await deed.isDone!(request, reader)] as const)));
  return denialOfCall({ tool, operation: request.operation, actions: deeds, ...at }, deps.policy, context.clock.now());
}

const denialOfPart = (denial: Denial, { operation, target, isAssumed: isGuess }: OperationPart): Denial => ({
  ...denial,
  rule: `${denial.rule}, and this ${isGuess ? 'may carry out' : 'carries out'} ${operation.name}${target.id === undefined ? '' : ` on ${target.kind} ${target.id}`}`,
});

/** Lets an act pass if the policy lets it and everything that it carries out pass. @throws CallFailure `denied`. */
async function assertOperationPermitted(call: GuardedCall, { operation, input, target, risk: tier, parts }: TargetedOperation): Promise<void> {
  for (const part of parts) {
    const of = { operation: part.operation, input: { [`${part.target.kind}_id`]: part.target.id } };
    // The first that is forbidden is told, before the whole is judged: it says more.
    // oxlint-disable-next-line no-await-in-loop
    const denial = await denialAt(call, of, { target: part.target, risk: part.risk, isAssumed: part.isAssumed });
    if (denial) denyIf(denialOfPart(denial, part));
  }
  denyIf(await denialAt(call, { operation, input }, { target, risk: tier }));
}

/** Whether more is asked for the one than for the other. */
const isHigher = (one: TargetRisk, other: TargetRisk): boolean =>
  isHigherRisk(one.risk, other.risk) || (one.risk === other.risk && needsTypedName(one.risk, one.target) && !needsTypedName(other.risk, other.target));

/**
 * Finds out what the requests of a call act on, and their risk.
 * @throws ApiError as the platform fails.
 */
export async function assessOperations(call: GuardedCall, planned: readonly PlannedOperation[]): Promise<AssessedRisk> {
  const isSure = planned.length === 0 || (await areInSameEnvironment(call));
  const acts = await Promise.all(planned.map((one) => assessOperation(call, one, isSure)));
  const { target, risk: tier } = acts.reduce<TargetRisk>((one, other) => (isHigher(other, one) ? other : one), acts[0] ?? { target: noTarget, risk: 'read' });
  return { operations: acts, target, risk: tier };
}

/**
 * Lets a call pass if the policy lets each of its requests pass.
 * @throws CallFailure `denied`.
 */
export async function assertOperationsPermitted(call: GuardedCall & AssessedRisk): Promise<void> {
  const { operations: acts } = call;
  for (const one of acts) await assertOperationInScope(call, one.operation, one.target, true);
  for (const one of acts) await assertOperationPermitted(call, one);
  await assertWithinLimit(call, 'nextAt');
}

/** Counts the high-risk changes of a call that is about to be made. @throws CallFailure `denied` when too many were made since it passed. */
export const countHighRiskChanges = (call: GuardedCall & AssessedRisk): Promise<void> => assertWithinLimit(call, 'take');
