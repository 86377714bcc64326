import { variableOwnerKinds, VariableRequest } from '../../contract/index.ts';
import { changedVariables, type ChangedVariable } from './changed-variables.ts';
import type { ProposedCall } from './diagnosis.ts';
import { diagnosisTools, serviceArgument, type CallBuilder } from './next-calls.ts';
import { whoText } from './quote.ts';
import type { DeploymentSituation } from './situation.ts';

// Fixes that set or delete variables.

const isKey = (key: string | undefined): key is string => VariableRequest.shape.key.safeParse(key).success;

/** Sets a variable of `owner` to a value that only the user knows. What was no secret is given as .env text, in which a key that names a secret creates a secret. */
const askFor = (owner: Readonly<Record<string, string>>, key: string | undefined, why: string, isSecret = false): ProposedCall | undefined =>
  isKey(key) ? { tool: diagnosisTools.setVariables, arguments: { ...owner }, needs: isSecret ? `secrets {"${key}":"<its value>"}` : `env_text ${key}=<its value>`, why } : undefined;

/** Values that can be sent as they are, and can't be read as a sentence. */
const plainValue = /^[\w./:@=%+-]{1,200}$/;

const isNewVersion = ({ changes }: DeploymentSituation): boolean => changes.some(({ kind }) => kind === 'commit' || kind === 'image');

/** Undoes one change of a variable: by a complete call where what it was is known, and no secret. */
function takeBack({ key, how, isSecret, by, before, ...changed }: ChangedVariable, situation: DeploymentSituation): ProposedCall | undefined {
  const { service } = situation.evidence;
  // Where it isn't known what has it, the service may get a value of its own.
  const owner = changed.owner ?? ((how === 'changed' || how === 'replaced') && before === undefined && (variableOwnerKinds as readonly string[]).includes(service.kind) ? serviceArgument(service.id) : undefined);
  if (!isKey(key) || !owner) return undefined;
  const since = `${key}, which ${whoText(by)} ${how} since the last good deployment`;
  // What a new version needs may have been added for it.
  if (how === 'added' && !isNewVersion(situation)) return { tool: diagnosisTools.deleteVariable, arguments: { ...owner, key }, why: `takes back ${since}` };
  if (before === undefined || !plainValue.test(before)) return askFor(owner, key, `${since}: with its right value`, isSecret);
  return { tool: diagnosisTools.setVariables, arguments: { ...owner, variables: { [key]: before } }, why: `takes back the change of ${since}: the value from then` };
}

const onlyOne = <Item>(items: readonly Item[]): Item | undefined => (items.length === 1 ? items[0] : undefined);

/** Sets the variable that the log asks for: as it was, if it was removed; else with what the user says, if none of that name is set. */
export const setMissingVariable: CallBuilder = (situation, facts) => {
  const { service, variables } = situation.evidence;
  const { variable } = facts;
  if (variables?.some(({ key }) => key === variable)) return undefined;
  const removed = onlyOne(changedVariables(situation).filter(({ key, how }) => how === 'removed' && key === variable));
  return (removed && takeBack(removed, situation)) ?? (service.kind === 'application' ? askFor(serviceArgument(service.id), variable, `with the value that the user gives for ${variable}`) : undefined);
};

/** The only change that may have brought the host in question: by its value or, where none has it, by one that isn't known. */
function changeOfHost(changed: readonly ChangedVariable[], host: string): ChangedVariable | undefined {
  const holding = changed.filter(({ after }) => after?.includes(host));
  return onlyOne(holding.length > 0 ? holding : changed.filter(({ after }) => after === undefined));
}

/** Takes back the change of the variable that holds the host in question or, of an unknown one, the only change of a variable. */
export const takeBackVariable: CallBuilder = (situation, { host }) => {
  const changed = changedVariables(situation);
  const chosen = host === undefined ? onlyOne(changed) : changeOfHost(changed, host);
  return chosen && takeBack(chosen, situation);
};

/** Takes back the change of a variable that makes the app listen at another port than it is asked at. */
export const takeBackListening: CallBuilder = (situation, { listens, asked, loopback }) => {
  if (loopback !== undefined || listens === undefined) return undefined;
  const moved = onlyOne(changedVariables(situation).filter(({ after, before, how }) => after === listens || (how !== 'added' && before !== undefined && before === asked)));
  return moved && takeBack(moved, situation);
};
