import {
  variableOwnerKinds,
  VariableRequest,
  isServiceKind,
  ownerKindOf,
  Uuid,
  type VariableScope,
  type VariableType,
} from '../../contract/index.ts';
import type { ProposedCall } from './diagnosis.ts';
import { diagnosisTools, serviceArgument, type CallBuilder } from './next-calls.ts';
import { whoText } from './evidence.ts';
import type { DeploymentSituation } from './situation.ts';
import { isWithin, type VariableKey } from '../changes.ts';
import { howChanged, recordsByVariable, variablePlace, type RecordedChange } from '../recorded-changes.ts';

/** A variable that differs from its state at the last good deployment. */
interface ChangedVariable {
  readonly key: string;
  /** `replaced`: a stored secret that still exists. */
  readonly how: NonNullable<ReturnType<typeof howChanged>>;
  readonly isSecret: boolean;
  /** Who changed it, if it was a single person. */
  readonly by?: string | undefined;
  /** Values then and now, if they are known and aren't secret. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The argument that names the owner of the variable; absent if the owner isn't known. */
  readonly owner?: Readonly<Record<string, string>> | undefined;
}

/** Whether a variable has a value that a user set. */
const hasValue = ({ scope, variable_type: type }: VariableKey): boolean =>
  scope !== ('BUILT_IN' satisfies VariableScope) &&
  (type === undefined || (['VALUE', 'FILE', 'OVERRIDE'] satisfies VariableType[] as readonly unknown[]).includes(type));

function ownerOf(
  scope: string | null | undefined,
  recordedId: string | undefined,
  { service, environment }: DeploymentSituation['evidence'],
): ChangedVariable['owner'] {
  const kind = ownerKindOf(scope);
  if (kind === undefined) return undefined;
  if (isServiceKind(kind)) return kind === service.kind ? { service: service.id } : undefined;
  const id = kind === 'environment' ? environment?.id : Uuid.safeParse(recordedId).data;
  return id === undefined ? undefined : { [kind]: id };
}

/**
 * The change of one variable.
 * @param records of its changes, oldest first.
 * @param row absent if the list of variables doesn't have it
 */
function changeOf(
  records: readonly RecordedChange[],
  row: VariableKey | undefined,
  isRead: boolean,
  situation: DeploymentSituation,
): ChangedVariable | undefined {
  const { lastGood, deployment, evidence } = situation;
  const [first, last] = [records[0], records.at(-1)];
  const key = row?.key ?? first?.variable;
  const scope = row ? row.scope : first?.scope;
  // A variable that was changed again after the deployment may already be fixed.
  if (key === undefined || (row && (!hasValue(row) || isWithin(row.updated_at, deployment?.startedAt, undefined))))
    return undefined;
  const wasThere = first ? first.isAddition !== true : !isWithin(row?.created_at, lastGood?.startedAt, undefined);
  const isSecret = row === undefined && last?.isSecret === true;
  // The list has no secrets: only the last record shows whether a secret exists.
  const isThere = isRead && !isSecret ? row !== undefined : last?.isRemoval !== true;
  const how = howChanged({ wasThere, isThere, isSecret });
  if (how === undefined) return undefined;
  const people = new Set(records.map(({ by }) => by));
  return {
    key,
    how,
    isSecret,
    by: people.size === 1 ? first?.by : undefined,
    before: wasThere ? first?.values?.before : undefined,
    after: isThere ? last?.values?.after : undefined,
    owner: ownerOf(scope, first?.ownerId, evidence),
  };
}

/** The service's visible variables that changed between the last good deployment and the diagnosed one. */
function changedVariables(situation: DeploymentSituation): readonly ChangedVariable[] {
  const {
    lastGood,
    deployment,
    evidence: { variables, recorded = [] },
  } = situation;
  if (!lastGood?.startedAt || !deployment?.startedAt) return [];
  const isSince = (at: string | null | undefined): boolean => isWithin(at, lastGood.startedAt, deployment.startedAt);
  const records = recordsByVariable(recorded.filter(({ at }) => isSince(at)));
  const rows = new Map((variables ?? []).map((row) => [variablePlace(row.key, row.scope), row]));
  const changedRows = [...rows].filter(([, row]) => isSince(row.updated_at ?? row.created_at)).map(([place]) => place);
  return [...new Set([...records.keys(), ...changedRows])].flatMap(
    (place) => changeOf(records.get(place) ?? [], rows.get(place), variables !== undefined, situation) ?? [],
  );
}

// Fixes that set or delete variables.

const isKey = (key: string | undefined): key is string => VariableRequest.shape.key.safeParse(key).success;

/**
 * Sets a variable of `owner` to a value that only the user knows. A value that was no secret is given as .env text, in
 * which a key that looks like a secret creates a secret.
 */
const askFor = (
  owner: Readonly<Record<string, string>>,
  key: string | undefined,
  why: string,
  isSecret = false,
): ProposedCall | undefined =>
  isKey(key)
    ? {
        tool: diagnosisTools.setVariables,
        arguments: { ...owner },
        needs: isSecret ? `secrets {"${key}":"<its value>"}` : `env_text ${key}=<its value>`,
        why,
      }
    : undefined;

/** Values that can be sent as they are, and can't be read as a sentence. */
const plainValue = /^[\w./:@=%+-]{1,200}$/;

const isNewVersion = ({ changes }: DeploymentSituation): boolean =>
  changes.some(({ kind }) => kind === 'commit' || kind === 'image');

/** Undoes one change of a variable. The call is complete if the previous value is known and isn't secret. */
function takeBack(
  { key, how, isSecret, by, before, ...changed }: ChangedVariable,
  situation: DeploymentSituation,
): ProposedCall | undefined {
  const { service } = situation.evidence;
  // If the owner isn't known, the service may get its own value.
  const owner =
    changed.owner ??
    ((how === 'changed' || how === 'replaced') &&
    before === undefined &&
    (variableOwnerKinds as readonly string[]).includes(service.kind)
      ? serviceArgument(service.id)
      : undefined);
  if (!isKey(key) || !owner) return undefined;
  const since = `${key}, which ${whoText(by)} ${how} since the last good deployment`;
  // The variable may have been added because a new version needs it.
  if (how === 'added' && !isNewVersion(situation))
    return { tool: diagnosisTools.deleteVariable, arguments: { ...owner, key }, why: `takes back ${since}` };
  if (before === undefined || !plainValue.test(before))
    return askFor(owner, key, `${since}: with its right value`, isSecret);
  return {
    tool: diagnosisTools.setVariables,
    arguments: { ...owner, variables: { [key]: before } },
    why: `takes back the change of ${since}: the value from then`,
  };
}

const onlyOne = <Item>(items: readonly Item[]): Item | undefined => (items.length === 1 ? items[0] : undefined);

/**
 * Sets the variable that the log reports as missing: to its previous value, if it was removed; otherwise to a value
 * from the user, if none of that name is set.
 */
export const setMissingVariable: CallBuilder = (situation, facts) => {
  const { service, variables } = situation.evidence;
  const { variable } = facts;
  if (variables?.some(({ key }) => key === variable)) return undefined;
  const removed = onlyOne(changedVariables(situation).filter(({ key, how }) => how === 'removed' && key === variable));
  return (
    (removed && takeBack(removed, situation)) ??
    (service.kind === 'application'
      ? askFor(serviceArgument(service.id), variable, `with the value that the user gives for ${variable}`)
      : undefined)
  );
};

/**
 * The only change that may have introduced the host in question: by its value or, if no value contains the host, by an
 * unknown value.
 */
function changeOfHost(changed: readonly ChangedVariable[], host: string): ChangedVariable | undefined {
  const holding = changed.filter(({ after }) => after?.includes(host));
  return onlyOne(holding.length > 0 ? holding : changed.filter(({ after }) => after === undefined));
}

/**
 * Undoes the change of the variable that contains the host in question or, if the host is unknown, the only change of a
 * variable.
 */
export const takeBackVariable: CallBuilder = (situation, { host }) => {
  const changed = changedVariables(situation);
  const chosen = host === undefined ? onlyOne(changed) : changeOfHost(changed, host);
  return chosen && takeBack(chosen, situation);
};

/** Undoes the change of a variable that makes the app listen on a different port than the one that is probed. */
export const takeBackListening: CallBuilder = (situation, { listens, asked, loopback }) => {
  if (loopback !== undefined || listens === undefined) return undefined;
  const moved = onlyOne(
    changedVariables(situation).filter(
      ({ after, before, how }) => after === listens || (how !== 'added' && before !== undefined && before === asked),
    ),
  );
  return moved && takeBack(moved, situation);
};
