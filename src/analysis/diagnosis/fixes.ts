import { startableKinds, terminalOutcome, Uuid } from '../../contract/index.ts';
import { type RecordedChange } from '../recorded-changes.ts';
import type { ProposedCall } from './diagnosis.ts';
import { type DiagnosedService, whoText } from './evidence.ts';
import { safeName } from './inspections.ts';
import { serviceArgument, diagnosisTools, type CallBuilder } from './next-calls.ts';
// Fixes: proposed calls that correct a fault.

const updateTools = {
  application: diagnosisTools.updateApplication,
  container: diagnosisTools.updateContainer,
  database: diagnosisTools.updateDatabase,
  job: diagnosisTools.updateJob,
  helm: diagnosisTools.updateHelm,
} as const;

/**
 * The call that changes settings of a service; undefined if there is no tool for it, or the service is of none of these
 * kinds.
 */
export function update(
  { kind, id }: DiagnosedService,
  kinds: readonly (keyof typeof updateTools)[],
  settings: Readonly<Record<string, unknown>>,
  told: Pick<ProposedCall, 'why' | 'needs'>,
): ProposedCall | undefined {
  const changed = kinds.find((one) => one === kind);
  return changed && { tool: updateTools[changed], arguments: { [`${changed}_id`]: id, ...settings }, ...told };
}

/** A setting of the image that a container or job runs. */
const ofImage = (
  { kind }: DiagnosedService,
  setting: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => (kind === 'job' ? { source: { image: setting } } : setting);

export const useLastGoodTag: CallBuilder = ({ evidence: { service }, lastGood, deployment, configuration }) => {
  const tag = lastGood?.tag;
  if (
    tag === undefined ||
    (service.kind === 'job' && configuration.image === undefined) ||
    tag === (deployment?.tag ?? configuration.tag)
  )
    return undefined;
  return update(service, ['container', 'job'], ofImage(service, { tag }), {
    why: `${tag} is the tag that last ran well`,
  });
};

const isId = (text: string | undefined): text is string => text !== undefined && Uuid.safeParse(text).success;

type Settings = NonNullable<RecordedChange['before']>;

/**
 * A setting's value at the last good deployment, and who changed it since; only if the platform recorded the change.
 */
export function previous<Name extends keyof Settings>(
  recorded: readonly RecordedChange[] | undefined,
  name: Name,
): { readonly value?: Settings[Name]; readonly by?: string | undefined } {
  const changes = (recorded ?? [])
    .filter(({ before }) => before?.[name] !== undefined)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return {
    value: changes[0]?.before?.[name],
    by: new Set(changes.map(({ by }) => by)).size === 1 ? changes[0]?.by : undefined,
  };
}

export const takesBack = (by: string | undefined, what: string): string =>
  `takes back what ${whoText(by)} changed since the last good deployment: ${what}`;

/**
 * Restores the registry from before a change, if the platform recorded one; otherwise only the user knows which has the
 * image.
 */
export const useOtherRegistry: CallBuilder = ({ evidence: { service, recorded }, configuration }) => {
  const { value: before } = previous(recorded, 'registryId');
  if (isId(before) && before !== configuration.registryId)
    return update(service, ['container', 'job'], ofImage(service, { registry_id: before }), {
      why: 'the registry that it was pulled from before that was changed',
    });
  return update(
    service,
    ['container'],
    {},
    { needs: 'registry <its name>', why: 'with the name of a registry that gives it out, if there is another' },
  );
};

const plainBranch = /^\w[\w./-]{0,99}$/;

/**
 * Restores the branch from before a change, if the platform recorded one; otherwise only the user knows which is meant.
 */
export const useOtherBranch: CallBuilder = ({ evidence: { service, recorded }, configuration }, facts) => {
  if (facts['commit'] !== undefined) return undefined;
  const { value: before } = previous(recorded, 'branch');
  if (before !== undefined && plainBranch.test(before) && before !== configuration.branch) {
    return update(
      service,
      ['application'],
      { git_repository: { branch: before } },
      { why: 'the branch that it was built from before that was changed' },
    );
  }
  return update(
    service,
    ['application'],
    {},
    { needs: 'git_repository {"branch":"<its name>"}', why: 'with the name of a branch that is there' },
  );
};

/** Only the user knows where the Dockerfile is. */
export const useOtherDockerfile: CallBuilder = ({ evidence: { service } }, facts) =>
  facts['nofile'] === undefined
    ? undefined
    : update(
        service,
        ['application'],
        {},
        { needs: 'dockerfile_path <its path>', why: 'with the path of the Dockerfile, if it is elsewhere' },
      );

export const deployLastGoodCommit: CallBuilder = ({ evidence: { service }, lastGood, deployment }) => {
  const commit = lastGood?.commit;
  if (service.kind !== 'application' || commit === undefined || commit === deployment?.commit) return undefined;
  return {
    tool: diagnosisTools.deployApplication,
    arguments: { application_id: service.id, git_commit_id: commit },
    why: 'goes back to the commit that last ran well',
  };
};

/**
 * Restores the memory if it was reduced since the last good deployment; otherwise doubles it within the limit of the
 * cluster. A database that the cloud provider runs has the memory of its instance type.
 */
export const giveMoreMemory: CallBuilder = ({
  evidence: { service, recorded },
  configuration: { memory, maximumMemory, isManaged },
}) => {
  if (memory === undefined || isManaged) return undefined;
  const { value: before = 0, by } = previous(recorded, 'memory');
  const [wanted, why] =
    before > memory ? [before, takesBack(by, `it had ${before} MB`)] : [memory * 2, `it has ${memory} MB`];
  const most = Math.min(wanted, maximumMemory ?? Infinity);
  return most > memory
    ? update(service, ['application', 'container', 'database', 'job'], { memory: most }, { why })
    : undefined;
};

/** Doubles the disk of a database. Doesn't apply to the disks of nodes. */
export const giveMoreDisk: CallBuilder = ({ evidence: { service }, configuration: { storage } }, facts) =>
  storage === undefined || facts['node'] !== undefined
    ? undefined
    : update(service, ['database'], { storage: storage * 2 }, { why: `it has ${storage} GB` });

/** Doubles the time that a job may run. */
export const letRunLonger: CallBuilder = ({ evidence: { service }, configuration: { timeLimit } }) =>
  timeLimit
    ? update(
        service,
        ['job'],
        { max_duration_seconds: timeLimit * 2 },
        { why: `if it only needs longer than ${timeLimit} s` },
      )
    : undefined;
export const deployAgain: CallBuilder = ({ evidence: { service } }) => ({
  tool: diagnosisTools.deployService,
  arguments: serviceArgument(service.id),
  why: `${service.kind === 'terraform' ? 'runs' : 'deploys'} it again once the cause is gone`,
});

/** Starts a stopped service with which nothing is wrong. */
export const startAgain: CallBuilder = ({ evidence: { service, status } }) =>
  status?.state === 'STOPPED' && (startableKinds as readonly string[]).includes(service.kind)
    ? {
        tool: diagnosisTools.startServices,
        arguments: { services: [service.id] },
        why: 'it is stopped: starts it again, if it should run',
      }
    : undefined;

/** For a lock or deadlock, which is temporary: trying again may be enough. */
export const deployAgainIfTransient: CallBuilder = (situation, facts) =>
  /deadlock|lock (?:wait )?timeout/i.test(facts['what'] ?? '')
    ? { ...deployAgain(situation, facts)!, why: 'tries again: what was locked then may be free by now' }
    : undefined;

const plainChart = /^[\w.+-]{1,100}$/;

/** Restores the version of a chart that last ran well. */
export const useLastGoodChart: CallBuilder = ({
  evidence: { service, recorded },
  configuration: { chartName, chartVersion, chartRepositoryId },
  lastGood,
}) => {
  const { value: changed, by } = previous(recorded, 'chartVersion');
  const before = lastGood?.chartVersion ?? changed;
  if (
    before === undefined ||
    before === chartVersion ||
    (lastGood?.chart ?? chartName) !== chartName ||
    !chartName ||
    !isId(chartRepositoryId)
  )
    return undefined;
  if (!plainChart.test(before) || !plainChart.test(chartName)) return undefined;
  const why =
    changed === before
      ? takesBack(by, `${before} is the chart version that ran well`)
      : `${before} is the chart version that last ran well`;
  return update(
    service,
    ['helm'],
    { source: { helm_repository: { repository: chartRepositoryId, chart_name: chartName, chart_version: before } } },
    { why },
  );
};

export const waitLongerForHelm: CallBuilder = ({ evidence: { service }, configuration: { timeLimit } }) =>
  timeLimit
    ? update(service, ['helm'], { timeout_sec: timeLimit * 2 }, { why: `if it only needs longer than ${timeLimit} s` })
    : undefined;

const stateText = (state: string | null | undefined): string =>
  state && /^[A-Z_]{1,40}$/.test(state) ? state : 'not running';

export const deployDependency: CallBuilder = ({ evidence: { siblings } }, facts) => {
  const sibling = siblings?.find(({ id }) => id === facts['sibling'] && facts['down'] === 'yes');
  return (
    sibling && {
      tool: diagnosisTools.deployService,
      arguments: serviceArgument(sibling.id),
      why: `${safeName(sibling)} is ${stateText(sibling.state)}`,
    }
  );
};

const restartable = { application: 'application_ids', container: 'container_ids', database: 'database_ids' } as const;

const isRestartable = (kind: string): kind is keyof typeof restartable => kind in restartable;

/**
 * Restarts the service that holds the lock of a Terraform state, which releases the lock. The service may belong to
 * someone else, and may be working.
 */
export const restartLockHolder: CallBuilder = ({ evidence: { lockHolder: holder } }) => {
  if (holder === undefined || !isRestartable(holder.kind) || terminalOutcome('RESTART', holder.state ?? '') !== 'good')
    return undefined;
  return {
    tool: diagnosisTools.restartServices,
    arguments: { environment_id: holder.environmentId, [restartable[holder.kind]]: [holder.id] },
    why: `${safeName(holder)} holds the lock and gives it back; it is somebody else's work: only once they agree`,
  };
};

/**
 * Restores a database from its newest backup, if there is one. Later writes are lost, so wait for a node that may come
 * back.
 */
export const bringDatabaseBack: CallBuilder = ({ evidence: { service } }, facts) =>
  facts['backup']
    ? {
        tool: diagnosisTools.restoreDatabase,
        arguments: { database_id: service.id },
        why: 'only if its node does not come back: brings it back from its newest backup, without what was written since',
      }
    : undefined;

export const cancelRunningDeployment: CallBuilder = ({ evidence: { environment }, outcome }) =>
  environment && outcome === 'in_progress'
    ? {
        tool: diagnosisTools.cancelDeployment,
        arguments: { environment_id: environment.id },
        why: 'it is still going and keeps others of its environment waiting',
      }
    : undefined;

/** Never proposed as the first call, because a lock has a reason. */
export const proposeUnlockCluster: CallBuilder = ({ evidence: { cluster } }) =>
  cluster && {
    tool: diagnosisTools.unlockCluster,
    arguments: { cluster_id: cluster.id },
    why: 'nothing can be deployed while it is locked; only once whoever locked it agrees',
  };
