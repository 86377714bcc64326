import { isServiceKind, ownerKindOf, Uuid, type VariableScope, type VariableType } from '../../contract/index.ts';
import { isWithin, type VariableKey } from '../changes.ts';
import { howChanged, recordsByVariable, variablePlace, type RecordedChange } from '../recorded-changes.ts';
import type { DeploymentSituation } from './situation.ts';

/** A variable that is not as it was at the last good deployment. */
export interface ChangedVariable {
  readonly key: string;
  /** Replaced is a stored secret that is still there. */
  readonly how: NonNullable<ReturnType<typeof howChanged>>;
  readonly isSecret: boolean;
  /** Who changed it, if that was one. */
  readonly by?: string | undefined;
  /** Values then and now, where they are known and no secrets. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The argument that names what has the variable itself; absent if that isn't known. */
  readonly owner?: Readonly<Record<string, string>> | undefined;
}

/** Whether a variable has a value that people set. */
const hasValue = ({ scope, variable_type: type }: VariableKey): boolean => scope !== ('BUILT_IN' satisfies VariableScope) && (type === undefined || (['VALUE', 'FILE', 'OVERRIDE'] satisfies VariableType[] as readonly unknown[]).includes(type));

function ownerOf(scope: string | null | undefined, recordedId: string | undefined, { service, environment }: DeploymentSituation['evidence']): ChangedVariable['owner'] {
  const kind = ownerKindOf(scope);
  if (kind === undefined) return undefined;
  if (isServiceKind(kind)) return kind === service.kind ? { service: service.id } : undefined;
  const id = kind === 'environment' ? environment?.id : Uuid.safeParse(recordedId).data;
  return id === undefined ? undefined : { [kind]: id };
}

/** What became of one variable. @param records of its changes, oldest first. @param row absent if the list of variables doesn't have it */
function changeOf(records: readonly RecordedChange[], row: VariableKey | undefined, isRead: boolean, situation: DeploymentSituation): ChangedVariable | undefined {
  const { lastGood, deployment, evidence } = situation;
  const [first, last] = [records[0], records.at(-1)];
  const key = row?.key ?? first?.variable;
  const scope = row ? row.scope : first?.scope;
  // What was changed again after the deployment may be mended.
  if (key === undefined || (row && (!hasValue(row) || isWithin(row.updated_at, deployment?.startedAt, undefined)))) return undefined;
  const wasThere = first ? first.isAddition !== true : !isWithin(row?.created_at, lastGood?.startedAt, undefined);
  const isSecret = row === undefined && last?.isSecret === true;
  // The list has no secrets: whether one is there, only its last record tells.
  const isThere = isRead && !isSecret ? row !== undefined : last?.isRemoval !== true;
  const how = howChanged({ wasThere, isThere, isSecret });
  if (how === undefined) return undefined;
  const people = new Set(records.map(({ by }) => by));
  return {
    key, how, isSecret, by: people.size === 1 ? first?.by : undefined,
    before: wasThere ? first?.values?.before : undefined, after: isThere ? last?.values?.after : undefined, owner: ownerOf(scope, first?.ownerId, evidence),
  };
}

/** The variables that the service sees and that were changed between the last good deployment and the one that is diagnosed. */
export function changedVariables(situation: DeploymentSituation): readonly ChangedVariable[] {
  const { lastGood, deployment, evidence: { variables, recorded = [] } } = situation;
  if (!lastGood?.startedAt || !deployment?.startedAt) return [];
  const isSince = (at: string | null | undefined): boolean => isWithin(at, lastGood.startedAt, deployment.startedAt);
  const records = recordsByVariable(recorded.filter(({ at }) => isSince(at)));
  const rows = new Map((variables ?? []).map((row) => [variablePlace(row.key, row.scope), row]));
  const changedRows = [...rows].filter(([, row]) => isSince(row.updated_at ?? row.created_at)).map(([place]) => place);
  return [...new Set([...records.keys(), ...changedRows])].flatMap((place) => changeOf(records.get(place) ?? [], rows.get(place), variables !== undefined, situation) ?? []);
}
