import { ApiError } from '../../client/index.ts';
import type { AnyOperation } from '../../contract/index.ts';
import { textIn, unknownEnvironment, type Target } from '../context/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import { lookupFor } from '../tool/index.ts';
import type { GuardedCall } from './guarded-call.ts';
import { denialOfCall, needsLocation, needsProjectName } from './policy/policy.ts';
import { findTargetById, withProjectName } from './risk/find-target.ts';
import { isPlaceInScope } from './scope/scope.ts';

/** An answer of which only some rows are shown. */
interface Narrowed {
  readonly answer: unknown;
  /** What is said of it; the same whether rows were left out or not, so that it tells nothing of them. */
  readonly note?: string;
}

/** Most environments whose modes are looked up for the rows of one answer. Of the others nothing is known. */
const mostEnvironments = 40;

/** Where a row belongs, as it says. */
interface Place {
  readonly environment?: string;
  readonly project?: string;
  /** Whether it must belong to an environment, although it may not say to which. */
  readonly isInEnvironment: boolean;
}

/** The types of what no environment has. What is of any other type, such as one that is new, is in an environment. */
const typesOutside: readonly string[] = ['project', 'organization', 'cluster', 'webhook', 'helm_repository', 'container_registry', 'members_and_roles'];

function placeOf(row: JsonRecord): Place {
  const [type, id] = [textIn(row, 'target_type')?.trim().toLowerCase(), textIn(row, 'target_id')];
  const environment = textIn(row, 'environment_id') ?? (type === 'environment' ? id : undefined);
  const project = textIn(row, 'project_id') ?? (type === 'project' ? id : undefined);
  return { environment: environment?.toLowerCase(), project: project?.toLowerCase(), isInEnvironment: type === undefined || !typesOutside.includes(type) || textIn(row, 'environment_name') !== undefined };
}

/** An environment as it is now, so that neither a new name nor a new mode opens what rules close. */
async function environmentNow({ reader }: GuardedCall, id: string): Promise<Target | undefined> {
  try {
    return await findTargetById('environment', id, reader);
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'not_found' || error.kind === 'forbidden')) return undefined;
    throw error;
  }
}

/** The targets that rows stand for. Where nothing tells, it is an environment that nothing is known of. */
async function targetsOf(call: GuardedCall, places: readonly Place[]): Promise<readonly Target[]> {
  const wanted = [...new Set(places.flatMap(({ environment }) => environment ?? []))].slice(0, mostEnvironments);
  const known = new Map<string, Target | undefined>();
  // One after the other: the platform isn't flooded, and few differ.
  // oxlint-disable-next-line no-await-in-loop
  for (const id of wanted) known.set(id, await environmentNow(call, id));
  const targets = places.map(({ environment, project, isInEnvironment }): Target => {
    const location = project === undefined ? {} : { project: { id: project } };
    if (environment === undefined && !isInEnvironment) return { kind: project === undefined ? 'organization' : 'project', mode: 'none', ...location };
    return known.get(environment ?? '') ?? { ...unknownEnvironment('elsewhere'), ...location, environment: environment === undefined ? {} : { id: environment } };
  });
  return needsProjectName(call.deps.policy) ? Promise.all(targets.map((target) => withProjectName(target, call.reader))) : targets;
}

/**
 * An answer without the rows that the scope or the policy's rules about places don't let the caller see. In doubt a row is
 * left out.
 * @throws ApiError if the platform fails.
 */
export async function withoutHiddenRows(call: GuardedCall, operation: AnyOperation, answer: unknown): Promise<Narrowed> {
  const { tool, deps: { policy, scopeResolver }, context } = call;
  const member = operation.placedRows;
  const isJudged = needsLocation(tool, operation, policy);
  if (member === undefined || !isRecord(answer) || (!policy.scope && !isJudged)) return { answer };
  const resolved = policy.scope && scopeResolver && (await scopeResolver.resolve(lookupFor(call)));
  const rows = (Array.isArray(answer[member]) ? answer[member].filter(isRecord) : []).map((row) => ({ row, place: placeOf(row) }));
  const inside = rows.filter(({ place }) => !policy.scope || (resolved !== undefined && isPlaceInScope(place, resolved)));
  const targets = isJudged ? await targetsOf(call, inside.map(({ place }) => place)) : [];
  const shown = inside.filter((_, index) => !isJudged || denialOfCall({ tool, operation, risk: 'read', target: targets[index]! }, policy, context.clock.now()) === undefined);
  const what = [...(policy.scope ? ['outside of what this server is kept to'] : []), ...(isJudged ? ['in places that the policy denies, or whose place can not be told'] : [])];
  return { answer: { ...answer, [member]: shown.map(({ row }) => row), is_narrowed: true }, note: `Left out: ${member} ${what.join(', or ')}.` };
}
