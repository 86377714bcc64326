import { operations } from '../../src/contract/operations.ts';
import { serviceKinds, type ServiceKind } from '../../src/contract/resources/service.ts';
import type { Sibling, VariableKey } from '../../src/analysis/changes.ts';
import type { Evidence } from '../../src/analysis/diagnosis/evidence.ts';
import type { LenientServiceStatus } from '../../src/analysis/deployment-progress.ts';
import type { HistoryItem } from '../../src/analysis/history.ts';
import type { LogLine } from '../../src/analysis/logs/log-line.ts';
import { isRecord, pick, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from '../service/any-kind.ts';

/** A service with its status, as an environment's lists tell of it. */
export interface Seen {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  readonly configuration?: JsonRecord;
  readonly status?: LenientServiceStatus;
}

const textOf = (record: JsonRecord | undefined, member: string): string | undefined => (typeof record?.[member] === 'string' ? record[member] : undefined);

const rows = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const kindOf = (service: JsonRecord): ServiceKind | undefined => serviceKinds.find((kind) => kind === textOf(service, 'service_type')?.toLowerCase());

/** The services of an environment with what they are made of and how they are; undefined where the platform tells neither. */
export async function servicesIn(context: ToolContext, environmentId: string): Promise<Seen[] | undefined> {
  const [list, statuses] = await Promise.all([
    context.attempt(operations.list_services, { environment_id: environmentId }),
    context.attempt(operations.get_environment_status, { environment_id: environmentId }),
  ]);
  if (!list && !statuses) return undefined;
  const configured = new Map(rows(list?.results).map((row) => [row['id'], row]));
  const statusOf = (id: string, kind: ServiceKind): LenientServiceStatus | undefined => rows(statuses?.[`${kind}s`]).find((row) => row['id'] === id);
  if (list) {
    return [...configured.values()].flatMap((row) => {
      const [kind, id] = [kindOf(row), textOf(row, 'id')];
      return kind && id ? [{ kind, id, name: textOf(row, 'name') ?? id, configuration: row, status: statusOf(id, kind) }] : [];
    });
  }
  return serviceKinds.flatMap((kind) => rows(statuses?.[`${kind}s`]).map((status) => ({ kind, id: String(status['id']), name: String(status['id']), status })));
}

const siblingOf = ({ kind, id, name, configuration = {}, status }: Seen): Sibling => ({
  kind, id, name,
  state: status?.state,
  last_deployment_date: status?.last_deployment_date,
  ...(pick(configuration, ['host', 'port', 'type']) as Partial<Sibling>),
});

/** The keys of the variables a service sees, never their values. */
async function variableKeys(context: ToolContext, { kind, id }: Subject, environmentId: string | undefined): Promise<VariableKey[]> {
  const list =
    kind === 'application' ? await context.attempt(operations.list_environment_variables, { application_id: id })
    : kind === 'container' ? await context.attempt(operations.list_variables_of_container, { container_id: id })
    : environmentId ? await context.attempt(operations.list_variables_of_environment, { environment_id: environmentId })
    : undefined;
  return rows(list?.results).map((row) => pick(row, ['key', 'scope', 'variable_type', 'created_at', 'updated_at']) as unknown as VariableKey);
}

/** The environment's log says which step and service a line is of; where there is none, the service's own does. */
async function linesOf(context: ToolContext, subject: Subject, environmentId: string | undefined): Promise<LogLine[]> {
  const whole = environmentId ? rows((await context.attempt(operations.get_environment_logs, { environment_id: environmentId }))?.results) : [];
  const own = whole.filter((line) => line['service_id'] === subject.id);
  return own.length > 0 ? own : rows((await readAspect(context, subject, 'logs'))?.['results']);
}

/** An environment, from its project's list where that tells it: whoever went there by its path has read that already. */
async function environmentAt(context: ToolContext, environmentId: string, projectId: string | undefined) {
  const list = projectId === undefined ? undefined : await context.read(operations.list_environments, { project_id: projectId }).catch(() => undefined);
  return list?.results?.find(({ id }) => id === environmentId) ?? context.attempt(operations.get_environment, { environment_id: environmentId });
}

/** The lock that keeps the environment from being changed. Where nothing is locked, nobody needs to know the cluster. */
async function lockOn(context: ToolContext, environmentId: string, projectId: string | undefined): Promise<Evidence['cluster']> {
  const organization = await context.attempt(operations.get_organization, {});
  const locks = organization && rows((await context.attempt(operations.list_cluster_locks, { organization_id: organization.id }))?.results);
  if (!locks?.length) return undefined;
  const environment = await environmentAt(context, environmentId, projectId);
  const lock = locks.find((one) => one['cluster_id'] === environment?.cluster_id);
  return environment?.cluster_id ? { id: environment.cluster_id, name: environment.cluster_name, lock: lock ?? null } : undefined;
}

/** Causes that lie outside the service: a lock may be there because of them. */
const aroundIt: readonly string[] = ['unknown', 'none', 'disk_full', 'insufficient_resources', 'quota_exceeded', 'cluster_locked', 'canceled'];

/**
 * Reads what a diagnosis of a service is made of, in as few requests as it can be: of its variables, and of a lock of its
 * cluster, only the one that fits what the rest tells.
 * @throws ApiError as the platform fails.
 */
export async function gather(context: ToolContext, subject: Subject & { readonly kind: ServiceKind }, deployment?: string): Promise<Evidence> {
  const configuration = subject.environmentId === undefined ? await readAspect(context, subject, 'configuration') : undefined;
  const environmentId = subject.environmentId ?? textOf(configuration?.['environment'] as JsonRecord | undefined, 'id');
  const [services, past] = await Promise.all([
    environmentId ? servicesIn(context, environmentId) : undefined,
    readAspect(context, subject, 'deployments'),
  ]);
  const own = services?.find(({ id }) => id === subject.id);
  const status = own?.status ?? (await readAspect(context, subject, 'status'));
  const history = rows(past?.['results']) as HistoryItem[];
  const evidence: Evidence = {
    service: { kind: subject.kind, id: subject.id, name: own?.name ?? subject.name ?? subject.id, configuration: own?.configuration ?? configuration },
    ...(environmentId && { environment: { id: environmentId } }),
    history, deployment, status,
    lines: await linesOf(context, subject, environmentId),
    siblings: (services ?? []).filter(({ id }) => id !== subject.id).map(siblingOf),
  };
  // The engine of regular expressions is large, and needed here only.
  const { diagnose } = await import('../../src/analysis/diagnosis/diagnose.ts');
  const { cause } = diagnose(evidence);
  if (environmentId && aroundIt.includes(cause.code)) {
    const cluster = await lockOn(context, environmentId, subject.projectId);
    if (cluster?.lock) return { ...evidence, cluster };
  }
  return { ...evidence, variables: await variableKeys(context, subject, environmentId) };
}
