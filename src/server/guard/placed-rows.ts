import { ApiError } from '../../client/index.ts';
import type { AnyOperation, PlacedRows } from '../../contract/index.ts';
import { unknownEnvironment, type Target } from '../context/index.ts';
import { isRecord, omit, type JsonRecord } from '../json/index.ts';
import { lookupFor } from '../tool/index.ts';
import type { GuardedCall } from './guarded-call.ts';
import { denialOfCall, needsLocation, needsProjectName } from './policy/policy.ts';
import { findTargetById, withProjectName } from './risk/find-target.ts';
import { membersWithoutPlace, placeOfRow, type RowPlace } from './row-places.ts';
import { isPlaceInScope, type ResolvedScope } from './scope/scope.ts';

/** An answer of which only some rows are shown. */
interface Narrowed {
  readonly answer: unknown;
  /** The note about it; the same whether rows were left out or not, so that it reveals nothing about them. */
  readonly note?: string;
}

/** Maximum number of environments whose modes are read for the rows of one answer. The others count as unknown. */
const mostEnvironments = 40;

/** The current state of an environment, so that a changed name or mode can't bypass the rules. */
async function environmentNow({ reader }: GuardedCall, id: string): Promise<Target | undefined> {
  try {
    return await findTargetById('environment', id, reader);
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'not_found' || error.kind === 'forbidden')) return undefined;
    throw error;
  }
}

/** The targets that rows describe. If a row doesn't say, its target is an unknown environment. */
async function targetsOf(call: GuardedCall, places: readonly RowPlace[]): Promise<readonly Target[]> {
  const wanted = [
    ...new Set(places.flatMap(({ environment, is }) => (is || environment === undefined ? [] : [environment]))),
  ].slice(0, mostEnvironments);
  const known = new Map<string, Target | undefined>();
  // One after the other: this doesn't flood the platform, and rows have few different environments.
  for (const id of wanted) known.set(id, await environmentNow(call, id));
  const targets = places.map(({ environment, project, isInEnvironment, is }): Target => {
    if (is) return is;
    const location = project === undefined ? {} : { project: { id: project } };
    if (environment === undefined && !isInEnvironment)
      return { kind: project === undefined ? 'organization' : 'project', mode: 'none', ...location };
    return (
      known.get(environment ?? '') ?? {
        ...unknownEnvironment('elsewhere'),
        ...location,
        environment: environment === undefined ? {} : { id: environment },
      }
    );
  });
  return needsProjectName(call.deps.policy)
    ? Promise.all(targets.map((target) => withProjectName(target, call.reader)))
    : targets;
}

/**
 * Whether a row is in the scope. The project that contains a scope's environment is: it is known with the environment.
 */
const isRowInScope = ({ are }: PlacedRows, place: RowPlace, scope: ResolvedScope): boolean => {
  if (are === 'clusters') return true;
  return are === 'projects'
    ? place.project !== undefined && place.project === scope.projectId
    : isPlaceInScope(place, scope);
};

/** Corrects the number of rows for those left out; with several pages, it is an upper bound. */
function withFewer(pagination: unknown, hidden: number): JsonRecord {
  if (!isRecord(pagination)) return {};
  const { total_count: count } = pagination;
  return {
    pagination: { ...pagination, ...(typeof count === 'number' && { total_count: Math.max(0, count - hidden) }) },
  };
}

/**
 * An answer without the rows that the scope or the policy's rules about places hide from the caller, and without
 * members that can name resources anywhere. In doubt a row is left out.
 * @param input that the operation was given
 * @throws ApiError if the platform fails.
 */
export async function withoutHiddenRows(
  call: GuardedCall,
  operation: AnyOperation,
  input: JsonRecord,
  answer: unknown,
): Promise<Narrowed> {
  const {
    tool,
    deps: { policy, scopeResolver },
    context,
  } = call;
  const { placedRows: placed } = operation;
  const isJudged = needsLocation(tool, operation, policy);
  if (placed === undefined || !isRecord(answer) || (!policy.scope && !isJudged)) return { answer };
  const { member, are } = placed;
  const resolved = policy.scope && scopeResolver && (await scopeResolver.resolve(lookupFor(call)));
  const all = Array.isArray(answer[member]) ? answer[member].filter(isRecord) : [];
  const rows = all.map((row) => ({ row, place: placeOfRow(row, are, input) }));
  const inside = rows.filter(
    ({ place }) => !policy.scope || (resolved !== undefined && isRowInScope(placed, place, resolved)),
  );
  const targets = isJudged
    ? await targetsOf(
        call,
        inside.map(({ place }) => place),
      )
    : [];
  const shown = inside.filter(
    (_, index) =>
      !isJudged ||
      denialOfCall({ tool, operation, risk: 'read', target: targets[index]! }, policy, context.clock.now()) ===
        undefined,
  );
  const without = membersWithoutPlace(operation);
  const what = [
    ...(policy.scope ? ['outside of what this server is kept to'] : []),
    ...(isJudged ? ['in places that the policy denies, or whose place can not be told'] : []),
  ];
  return {
    answer: {
      ...answer,
      ...withFewer(answer['pagination'], all.length - shown.length),
      [member]: shown.map(({ row }) => (without.length > 0 ? omit(row, without) : row)),
      ...(are === 'events' && { is_narrowed: true }),
    },
    note:
      without.length > 0
        ? `Left out: ${without.join(' and ')} of ${are}, which can name what lies ${what.join(', or ')}.`
        : `Left out: ${are} ${what.join(', or ')}.`,
  };
}
