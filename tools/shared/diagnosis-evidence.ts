import { joinPath, namesIn, operations, type ServiceKind } from '../../src/contract/index.ts';
import {
  chooseDeployment,
  deploymentsOf,
  readDeployment,
  type Evidence,
  type HistoryItem,
  type PastDeployment,
  type LenientServiceStatus,
  type Sibling,
  type VariableKey,
  isInstanceOf,
  lockingHost,
  type LockHolder,
  type LogLine,
} from '../../src/analysis/index.ts';
import {
  recordsIn,
  pick,
  readUses,
  rowsIn,
  textAt,
  wholeListIn,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { logOf, readAspect, readsByKind, readsInstead, statusOf, type Subject } from './any-service.ts';
import { clusterHosting, readsOfLock } from './environment-lock.ts';
import { observedServices, readsOfServices, type ObservedService } from './observed-services.ts';
import { isOwnerKind, ownedVariableReads, variablesSeenBy } from './owned-variables.ts';
import { environmentLogOf, logOfDeployment, type DeploymentLog } from './deployment-log.ts';
import { readsOfRecords, recordedSince } from './recorded-changes.ts';

/** Maximum number of other environments of the project that are searched for the holder of a lock. */
const mostEnvironments = 6;

/** An environment of the project, with its name. */
interface Place {
  readonly id: string;
  readonly path: string;
}

/** The environments of a project, from the whole list of all that the call has read, or else from its own. */
async function environmentsOf(context: ToolContext, project_id: string): Promise<readonly JsonRecord[]> {
  const [list] = await context.answered(operations.list_environments_of_organization);
  const all = wholeListIn(list);
  const isTold = all?.every((row) => textAt(row, 'project.id') !== undefined);
  const own = isTold ? all?.filter((row) => textAt(row, 'project.id') === project_id) : [];
  return own && own.length > 0 ? own : rowsIn(await context.attempt(operations.list_environments, { project_id }));
}

/** The environments of the project of a service, its own first. */
async function placesAround(
  context: ToolContext,
  { environmentId, projectId, path }: Subject,
): Promise<readonly Place[]> {
  if (environmentId === undefined) return [];
  // The path of a service that was found in its environment isn't known, but that of the environment is.
  const around = path ?? Object.values(context.resolved).find((resource) => resource?.path !== undefined)?.path;
  const project = around === undefined ? undefined : namesIn(around)[0];
  const rows = projectId === undefined ? [] : await environmentsOf(context, projectId);
  const all = rows.flatMap((row) => {
    const id = textAt(row, 'id');
    return id === undefined ? [] : [{ id, path: joinPath([project, textAt(row, 'name')]) }];
  });
  const own = all.find(({ id }) => id === environmentId) ?? {
    id: environmentId,
    path: joinPath(path === undefined ? [] : namesIn(path).slice(0, -1)),
  };
  return [own, ...all.filter(({ id }) => id !== environmentId)].slice(0, 1 + mostEnvironments);
}

const holderAt = async (
  context: ToolContext,
  { kind, id, name, status }: ObservedService,
  place: Place,
): Promise<LockHolder> => {
  const history = await readAspect(context, { kind, id }, 'deployments');
  const rows = recordsIn(history?.['results']) as HistoryItem[];
  const last = rows.map(readDeployment).find(({ action }) => action === 'DEPLOY');
  return {
    kind,
    id,
    name,
    path: joinPath([...(place.path ? namesIn(place.path) : []), name]),
    environmentId: place.id,
    state: status?.state,
    by: last?.triggeredBy,
    at: last?.startedAt,
  };
};

/**
 * The service that holds the lock of a Terraform state: the log names the instance, which is named after its service.
 * The project is searched for it. Undefined if the log names none, or there is no service of that name.
 */
async function lockHolder(
  context: ToolContext,
  subject: Subject,
  lines: readonly LogLine[],
): Promise<LockHolder | undefined> {
  const host = lockingHost(lines);
  if (host === undefined) return undefined;
  for (const place of await placesAround(context, subject)) {
    const found = (await observedServices(context, place.id))?.find(({ name }) => isInstanceOf(host, name));
    if (found) return holderAt(context, found, place);
  }
  return undefined;
}

// The states come from the environment first: if that read succeeds, a failed read of the service itself doesn't
// matter.
const whatever = ['not_offered', 'not_found', 'forbidden', 'bad_answer', 'server_error'] as const;

/** The reads of a diagnosis, all of them optional. */
export const readsOfDiagnosis: readonly ReadUse[] = [
  ...readsOfServices,
  ...readsByKind('deployments', 'the history'),
  ...readUses(
    'who stopped a service, and how it was before, is not told of an environment',
    operations.list_environment_deployments,
  ),
  ...readsByKind('logs', 'the log', operations.get_environment_logs),
  ...readsByKind('status', 'the state').map((use) => ({
    ...use,
    same: { reads: [operations.get_environment_status], after: whatever },
  })),
  ...readsInstead('status', 'the state'),
  ...readUses(
    'the configuration is not seen where the environment of a service is not known',
    operations.get_application,
    operations.get_container,
    operations.get_database,
    operations.get_job,
    operations.get_helm,
    operations.get_terraform,
  ),
  ...ownedVariableReads('variables'),
  ...readsOfRecords,
  ...readsOfLock('a locked cluster is not seen as a cause'),
];

const siblingOf = ({ kind, id, name, configuration = {}, status }: ObservedService): Sibling => ({
  kind,
  id,
  name,
  state: status?.state,
  last_deployment_date: status?.last_deployment_date,
  ...(pick(configuration, ['host', 'port', 'type']) as Partial<Sibling>),
});

/** The newest deployments of an environment; undefined if they can't be read. */
export async function readEnvironmentHistory(
  context: ToolContext,
  environment_id: string,
): Promise<readonly HistoryItem[] | undefined> {
  const history: JsonRecord | undefined = await context.attempt(operations.list_environment_deployments, {
    environment_id,
  });
  return history && recordsIn(history['results']);
}

/**
 * Siblings that were stopped since an old deployment, as they were at its end. Running ones are shown as they are:
 * their earlier problems are fixed.
 */
async function siblingsAt(
  context: ToolContext,
  environmentId: string,
  siblings: readonly Sibling[],
  { endedAt }: PastDeployment,
): Promise<Sibling[]> {
  const history =
    endedAt !== undefined && siblings.some(({ state }) => state === 'STOPPED')
      ? await readEnvironmentHistory(context, environmentId)
      : undefined;
  return siblings.map((sibling) => {
    const then =
      sibling.state === 'STOPPED'
        ? deploymentsOf(sibling.id, history ?? []).find(
            ({ startedAt }) => startedAt !== undefined && Date.parse(startedAt) <= Date.parse(endedAt!),
          )
        : undefined;
    return then ? { ...sibling, state: then.state, last_deployment_date: then.endedAt } : sibling;
  });
}

/** The keys of the variables that a service sees, never their values; undefined if they can't be read. */
async function variableKeys(
  context: ToolContext,
  { kind, id }: Subject,
  environmentId: string | undefined,
): Promise<VariableKey[] | undefined> {
  const owner = isOwnerKind(kind)
    ? { kind, id }
    : environmentId === undefined
      ? undefined
      : { kind: 'environment' as const, id: environmentId };
  const rows = owner && (await variablesSeenBy(owner, context));
  return rows?.map(
    (row) => pick(row, ['key', 'scope', 'variable_type', 'created_at', 'updated_at']) as unknown as VariableKey,
  );
}

/**
 * Log lines for the diagnosis of a deployment: from the log of the environment, which has the step of each line but
 * only the latest deployments, or else from the service's own log. The answer says if neither can be read.
 * @param chosen the deployment, if it isn't the latest
 */
async function logFor(
  context: ToolContext,
  subject: Subject,
  chosen: string | undefined,
  known: { readonly history: readonly HistoryItem[]; readonly status?: LenientServiceStatus | null },
): Promise<Partial<DeploymentLog>> {
  const inEnvironment =
    subject.environmentId === undefined
      ? []
      : ((await environmentLogOf(context, subject.environmentId, subject.id)) ?? []);
  if (chosen === undefined && inEnvironment.length > 0) return { lines: inEnvironment };
  const lines = chosen === undefined ? (await logOf(context, subject))?.lines : undefined;
  const log =
    chosen === undefined
      ? lines && { lines }
      : await logOfDeployment(context, subject, chosen, { ...known, lines: inEnvironment });
  if (!log) context.leftOut('No log could be read: the diagnosis rests on states and configuration alone.');
  return log ?? { missing: 'no log could be read' };
}

/** Causes outside the service, which may be the reason for a lock. */
const externalCauses: readonly string[] = [
  'unknown',
  'none',
  'disk_full',
  'insufficient_resources',
  'no_fitting_node',
  'quota_exceeded',
  'cluster_locked',
  'canceled',
  'cluster_unreachable',
  'changed_outside',
];

/**
 * Starts reads that nearly every diagnosis needs later. Failures are those of the read that needs the answer: nothing is
 * noted here.
 */
function readAhead(context: ToolContext, subject: Subject): void {
  const { environmentId } = subject;
  const quiet: ToolContext = { ...context, attempt: context.read, leftOut: () => undefined };
  if (environmentId !== undefined) environmentLogOf(quiet, environmentId).catch(() => undefined);
  variableKeys(quiet, subject, environmentId).catch(() => undefined);
}

/**
 * Reads the evidence for a diagnosis of a service, in as few requests as possible: depending on the cause that the rest
 * suggests, either its variables or the lock of its cluster.
 * @throws ApiError if the platform fails.
 */
export async function gather(
  context: ToolContext,
  subject: Subject & { readonly kind: ServiceKind },
  deployment?: string,
): Promise<Evidence> {
  const configuration =
    subject.environmentId === undefined ? await readAspect(context, subject, 'configuration') : undefined;
  const environmentId = subject.environmentId ?? textAt(configuration, 'environment.id');
  readAhead(context, { ...subject, environmentId });
  const [services, deployments] = await Promise.all([
    environmentId ? observedServices(context, environmentId) : undefined,
    readAspect(context, subject, 'deployments'),
  ]);
  const own = services?.find(({ id }) => id === subject.id);
  const status = own?.status ?? (await statusOf(context, { ...subject, environmentId }));
  const history = recordsIn(deployments?.['results']) as HistoryItem[];
  // Loaded on demand: the regular expression engine is large, and only needed here.
  const { diagnose } = await import('../../src/analysis/diagnosis/diagnose.ts');
  const chosen = chooseDeployment(history, status, deployment);
  const { lines = [], missing } = await logFor(
    context,
    { ...subject, environmentId },
    chosen === history[0] ? undefined : (chosen?.identifier?.execution_id ?? undefined),
    { history, status },
  );
  const siblings = (services ?? []).filter(({ id }) => id !== subject.id).map(siblingOf);
  const evidence: Evidence = {
    service: {
      kind: subject.kind,
      id: subject.id,
      name: own?.name ?? subject.name ?? subject.id,
      configuration: own?.configuration ?? configuration,
    },
    ...(environmentId && { environment: { id: environmentId } }),
    history,
    deployment,
    status,
    lines,
    missingLines: missing,
    siblings:
      chosen && environmentId && chosen !== history[0]
        ? await siblingsAt(context, environmentId, siblings, readDeployment(chosen))
        : siblings,
  };
  const { cause } = diagnose(evidence);
  if (environmentId && externalCauses.includes(cause.code)) {
    const { id, name, lock } = await clusterHosting(context, environmentId, subject.projectId);
    if (id !== undefined && lock) return { ...evidence, cluster: { id, name, lock } };
  }
  if (cause.code === 'terraform_state_locked')
    return { ...evidence, lockHolder: await lockHolder(context, { ...subject, environmentId }, lines) };
  const variables = await variableKeys(context, subject, environmentId);
  const known = { ...evidence, ...(variables && { variables }) };
  return { ...known, recorded: await recordedSince(context, { ...subject, environmentId }, known) };
}
