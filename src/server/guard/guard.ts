import { fail, type Denial } from '../failure/index.ts';
import { lookupFor, type PlannedOperation, type ResolvedResource } from '../tool/index.ts';
import { operations, type AnyOperation, type ReferenceKind } from '../../contract/index.ts';
import { isPlatformFailure, unknownEnvironment, type Clock, type Target } from '../context/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { denialOfArgument, denialOutsideScope } from './scope/scope.ts';
import { operationRiskOf, type OperationPart } from './risk/operation-parts.ts';
import { maximumSearchTime, type SearchLimit } from './risk/hosted-environments.ts';
import {
  denialOf,
  denialOfCall,
  limitOf,
  needsHostedEnvironments,
  needsLocation,
  needsProjectName,
  limitDenial,
} from './policy/policy.ts';
import { findTargetById, findTarget, withProjectName } from './risk/find-target.ts';
import { isHigherRisk, needsTypedName } from './risk/risk.ts';
import { areInSameEnvironment, namesOnlyItsOwn } from './same-environment.ts';
import type { TargetedOperation, AssessedRisk, GuardedCall } from './guarded-call.ts';
import { situationOf } from './situations.ts';

type TargetRisk = Pick<TargetedOperation, 'target' | 'risk'>;

/** Whether the policy may hide resources of some places from the caller. */
export const keepsPlaces = ({ tool, deps: { policy } }: Pick<GuardedCall, 'tool' | 'deps'>): boolean =>
  policy.scope !== undefined || needsLocation(tool, operations.list_services, policy);

const noTarget: Target = { kind: 'organization', mode: 'none' };

function searchLimitOf(clock: Clock): SearchLimit {
  const until = clock.now() + maximumSearchTime;
  return { isOver: () => clock.now() > until };
}

/**
 * The target of an operation that shows environments, with an additional target that represents them: only its project
 * is known.
 */
const withShownEnvironments = ({ showsEnvironments }: AnyOperation, target: Target): Target =>
  showsEnvironments
    ? {
        ...target,
        touched: [...(target.touched ?? []), { ...unknownEnvironment('elsewhere'), project: target.project ?? {} }],
      }
    : target;

/**
 * An operation's target. A read gets an empty one if neither the policy's rules nor its scope depend on its location.
 */
async function targetFor(
  { tool, deps, reader, context: { clock } }: GuardedCall,
  operation: AnyOperation,
  input: JsonRecord,
): Promise<Target> {
  if (operation.effect === 'read' && !deps.policy.scope && !needsLocation(tool, operation, deps.policy))
    return noTarget;
  // Reading a cluster touches nothing that it hosts.
  const includesHosted = operation.effect !== 'read' && needsHostedEnvironments(tool, operation, deps.policy);
  const target = withShownEnvironments(
    operation,
    await findTarget(operation, input, reader, searchLimitOf(clock), includesHosted),
  );
  return needsProjectName(deps.policy) ? withProjectName(target, reader) : target;
}

const denyIf = (denial: Denial | undefined): void => {
  if (denial) fail({ kind: 'denied', denial });
};

/** Checks that an operation's target is in the policy's scope, if it has one. @throws CallFailure `denied`. */
async function assertOperationInScope(
  call: GuardedCall,
  operation: AnyOperation,
  target: Target,
  isMainOperation: boolean,
): Promise<void> {
  const { scope } = call.deps.policy;
  if (scope && call.deps.scopeResolver)
    denyIf(
      denialOutsideScope(scope, await call.deps.scopeResolver.resolve(lookupFor(call)), {
        operation,
        target,
        isMainOperation,
      }),
    );
}

/** Checks that no argument refers to something outside the policy's scope. @throws CallFailure `denied`. */
export async function assertArgumentsInScope({ deps, resolved, context, reader }: GuardedCall): Promise<void> {
  const { scope } = deps.policy;
  if (!scope || !deps.scopeResolver) return;
  const resolvedScope = await deps.scopeResolver.resolve(lookupFor({ context, reader }));
  // A cluster belongs to no project, whatever runs on it.
  for (const { kind, id } of Object.values(resolved))
    if (kind !== 'cluster') denyIf(denialOfArgument(scope, resolvedScope, await findTargetById(kind, id, reader)));
}

/**
 * Checks that the limit on high-risk changes allows those of a call.
 * @param count `nextAt` only checks; `take` also counts them as made.
 * @throws CallFailure `denied`.
 */
async function assertWithinLimit(
  { operations: checked, deps, context }: GuardedCall & AssessedRisk,
  count: 'nextAt' | 'take',
): Promise<void> {
  const limit = limitOf(deps.policy);
  const changeCount = checked.reduce((sum, { highRisk }) => sum + highRisk, 0);
  if (!limit || changeCount === 0) return;
  const retryAt = await deps.highRiskCalls[count](limit.most, context.clock.now(), changeCount);
  if (retryAt !== undefined)
    fail({ kind: 'denied', denial: limitDenial(limit, changeCount, Number.isFinite(retryAt) ? retryAt : undefined) });
}

/** Checks that the policy doesn't forbid every call of the tool, whatever its target. @throws CallFailure `denied`. */
export const assertAllowed = ({ tool, deps }: GuardedCall): void => denyIf(denialOf(tool, deps.policy));

/**
 * Checks that the policy allows a read that a tool performs during its call.
 * @throws CallFailure `denied`.
 */
export async function assertReadAllowed(call: GuardedCall, operation: AnyOperation, input: JsonRecord): Promise<void> {
  const { tool, deps, context } = call;
  if (operation.effect !== 'read')
    throw new Error(`${tool.name} would read with ${operation.name}, which is not a read`);
  if (!deps.policy.rules?.length && !deps.policy.scope) return;
  const target = await targetFor(call, operation, input);
  await assertOperationInScope(call, operation, target, false);
  denyIf(denialOfCall({ tool, operation, risk: 'read', target }, deps.policy, context.clock.now()));
}

/** Whether the policy lets the caller read at a target. */
const mayReadAt = ({ tool, deps, context }: GuardedCall, target: Target): boolean =>
  denialOfCall(
    { tool, operation: operations.list_services, risk: 'read', target },
    deps.policy,
    context.clock.now(),
  ) === undefined;

/**
 * The location of a found resource: the resource itself, or the owner of a variable, because a variable can't be
 * located by its id. Undefined if it isn't known.
 */
function locatedBy({
  kind,
  id,
  service,
  environment,
  project,
}: ResolvedResource): { readonly kind: ReferenceKind; readonly id: string } | undefined {
  if (kind !== 'environment_variable') return { kind, id };
  if (service) return service;
  const [around, outer] = [environment?.id, project?.id];
  return around === undefined
    ? outer === undefined
      ? undefined
      : { kind: 'project', id: outer }
    : { kind: 'environment', id: around };
}

/** Maximum number of resources of one answer that are checked for whether they may be shown. */
const mostExamined = 10;

/**
 * Filters found resources by whether the scope and the policy let the caller read where they are now. In doubt a
 * resource is left out; so are all after the first ten.
 */
export async function readableAmong(
  call: GuardedCall,
  resources: readonly ResolvedResource[],
): Promise<readonly ResolvedResource[]> {
  const {
    deps: { policy, scopeResolver },
    context,
    reader,
  } = call;
  const scope = policy.scope && (await scopeResolver?.resolve(lookupFor(call)));
  const isReadable = async (resource: ResolvedResource): Promise<boolean> => {
    const place = locatedBy(resource);
    if (!place || (policy.scope && !scope)) return false;
    const found = await findTargetById(place.kind, place.id, reader, searchLimitOf(context.clock));
    if (policy.scope && scope && denialOfArgument(policy.scope, scope, found)) return false;
    return mayReadAt(call, needsProjectName(policy) ? await withProjectName(found, reader) : found);
  };
  const looked = resources.slice(0, mostExamined);
  const readable = await Promise.all(
    looked.map((one) =>
      isReadable(one).catch((error: unknown) => (isPlatformFailure(error) ? false : Promise.reject(error as Error))),
    ),
  );
  return looked.filter((_, index) => readable[index]);
}

/**
 * Checks a tool that plans no operations against the policy's rules about locations, based on the resources that its
 * arguments refer to.
 * @throws CallFailure `denied`.
 */
export async function assertSubjectsPermitted(call: GuardedCall): Promise<void> {
  const { tool, deps, context, reader, resolved } = call;
  if (!tool.operations.some((operation) => needsLocation(tool, operation, deps.policy))) return;
  for (const { kind, id } of Object.values(resolved)) {
    const target = await findTargetById(kind, id, reader, searchLimitOf(context.clock));
    const named = needsProjectName(deps.policy) ? await withProjectName(target, reader) : target;
    denyIf(
      denialOfCall({ tool, operation: tool.operation, risk: 'read', target: named }, deps.policy, context.clock.now()),
    );
  }
}

/**
 * Determines the target and risk of an operation.
 * @param isSameEnvironment whether everything that the call names is known to be in one environment. If not, it may
 *   change another environment, whose mode is unknown.
 */
async function assessOperation(
  call: GuardedCall,
  planned: PlannedOperation,
  isSameEnvironment: boolean,
): Promise<TargetedOperation> {
  const found = await targetFor(call, planned.operation, planned.input);
  const target = isSameEnvironment
    ? found
    : { ...found, mode: 'unknown' as const, touched: [...(found.touched ?? []), unknownEnvironment('elsewhere')] };
  return { ...planned, target, ...(await operationRiskOf(planned, target, call.reader)) };
}

/** Why the policy forbids one operation of a call, or a part of one; undefined if it doesn't. */
const denialAt = async (
  call: GuardedCall,
  planned: PlannedOperation,
  at: Pick<OperationPart, 'target' | 'risk' | 'isAssumed'>,
): Promise<Denial | undefined> =>
  denialOfCall(await situationOf(call, planned, at), call.deps.policy, call.context.clock.now());

/**
 * The denial of a part of an operation. It names the part's target only if the caller may read it: the call itself need
 * not name it.
 */
const denialOfPart = (denial: Denial, { operation, target, isAssumed }: OperationPart, call: GuardedCall): Denial => ({
  ...denial,
  rule: `${denial.rule}, and this ${isAssumed ? 'may carry out' : 'carries out'} ${operation.name}${target.id !== undefined && mayReadAt(call, target) ? ` on ${target.kind} ${target.id}` : ''}`,
});

/** Checks that the policy permits an operation and each of its parts. @throws CallFailure `denied`. */
async function assertOperationPermitted(
  call: GuardedCall,
  { operation, input, target, risk, parts }: TargetedOperation,
): Promise<void> {
  for (const part of parts) {
    const planned = { operation: part.operation, input: part.input };
    // Parts come first, and the first denial is reported: it is more specific than one of the whole operation.
    const denial = await denialAt(call, planned, { target: part.target, risk: part.risk, isAssumed: part.isAssumed });
    if (denial) denyIf(denialOfPart(denial, part, call));
  }
  denyIf(await denialAt(call, { operation, input }, { target, risk }));
}

/** Whether the first has the higher risk, or the same risk but needs a typed name to confirm. */
const isHigher = (one: TargetRisk, other: TargetRisk): boolean =>
  isHigherRisk(one.risk, other.risk) ||
  (one.risk === other.risk && needsTypedName(one.risk, one.target) && !needsTypedName(other.risk, other.target));

/**
 * Determines the targets and risks of a call's operations. The call's own target and risk are those of its highest-risk
 * operation.
 * @throws ApiError if the platform fails.
 */
export async function assessOperations(call: GuardedCall, planned: readonly PlannedOperation[]): Promise<AssessedRisk> {
  const isSameEnvironment = planned.length === 0 || (await areInSameEnvironment(call));
  const isInPlace = async (one: PlannedOperation): Promise<boolean> =>
    isSameEnvironment && (!call.tool.spansEnvironments || (await namesOnlyItsOwn(one, call.reader)));
  const assessed = await Promise.all(planned.map(async (one) => assessOperation(call, one, await isInPlace(one))));
  const { target, risk } = assessed.reduce<TargetRisk>(
    (one, other) => (isHigher(other, one) ? other : one),
    assessed[0] ?? { target: noTarget, risk: 'read' },
  );
  return { operations: assessed, target, risk };
}

/**
 * Checks that the policy permits each operation of a call.
 * @throws CallFailure `denied`.
 */
export async function assertOperationsPermitted(call: GuardedCall & AssessedRisk): Promise<void> {
  for (const one of call.operations) await assertOperationInScope(call, one.operation, one.target, true);
  for (const one of call.operations) await assertOperationPermitted(call, one);
  await assertWithinLimit(call, 'nextAt');
}

/**
 * Counts the high-risk changes of a call, just before they are sent.
 * @throws CallFailure `denied` if the limit was reached since the call was checked.
 */
export const countHighRiskChanges = (call: GuardedCall & AssessedRisk): Promise<void> =>
  assertWithinLimit(call, 'take');
