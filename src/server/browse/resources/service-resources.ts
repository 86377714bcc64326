import { warningsIn } from '../../../analysis/index.ts';
import {
  allOperations,
  defaultPageSizes,
  DeploymentAction,
  isAtRest,
  operations,
  reference,
  serviceKinds,
  terminalOutcome,
  type AnyOperation,
  type ServiceKind,
} from '../../../contract/index.ts';
import { anyService, logLines, record, table, type ResolvedResource, type ToolContext } from '../../tool/index.ts';
import { readShownLog, readServiceStatus, type ServiceReference } from '../../context/index.ts';
import { at, isRecord, pick, recordsIn, type JsonRecord } from '../../json/index.ts';
import { platformResource, recordWithTable, type PlatformResource } from './resource.ts';

/** The number of newest messages shown of a log. */
const messagesShown = 200;

const service = { service: anyService() };
const environment = { environment: reference('environment') };

/** The operation of each service kind, by name; undefined for kinds without one. */
const forEachKind = (nameOf: (kind: ServiceKind) => string): Partial<Record<ServiceKind, AnyOperation>> =>
  Object.fromEntries(serviceKinds.map((kind) => [kind, allOperations.find(({ name }) => name === nameOf(kind))]));

const configurations = forEachKind((kind) => `get_${kind}`);
const statuses = forEachKind((kind) => `get_${kind}_status`);
const logs = forEachKind((kind) => `get_${kind}_logs`);
const histories = forEachKind((kind) => `list_${kind}_deployments`);
const variables: typeof configurations = {
  application: operations.list_environment_variables,
  container: operations.list_variables_of_container,
};

const listOf = (perKind: typeof configurations): [AnyOperation, ...AnyOperation[]] =>
  Object.values(perKind) as [AnyOperation, ...AnyOperation[]];

/** Reads a service with the operation of its kind. */
async function readForKind(
  perKind: typeof configurations,
  { resolved, read }: ToolContext,
  parameters: JsonRecord = {},
): Promise<JsonRecord> {
  const { kind, id } = resolved['service'] as ResolvedResource & { kind: ServiceKind };
  const answer: unknown = await read(perKind[kind]!, { [`${kind}_id`]: id, ...parameters });
  return isRecord(answer) ? answer : {};
}

const referenceOf = ({ resolved }: ToolContext): ServiceReference => {
  const { kind, id, environment: serviceEnvironment } = resolved['service']!;
  return { kind, id, environmentId: serviceEnvironment?.id };
};

/** The newest messages of a service, from its own log or that of its environment. */
async function readLog(context: ToolContext): Promise<JsonRecord> {
  // Already read: the repeated read fails with the reason.
  return (await readShownLog(referenceOf(context), context, { tail: messagesShown })) ?? readForKind(logs, context);
}

/**
 * Whether the service's current action hasn't ended: judged by the action's terminal states or, if these aren't known,
 * by the state alone.
 */
function isUnderWay({ action, state }: JsonRecord): boolean {
  if (typeof action !== 'string') return false;
  return DeploymentAction.safeParse(action).success
    ? terminalOutcome(action, String(state)) === undefined
    : !isAtRest(String(state));
}

/** The shown fields of a status, with their paths in the answer. */
const statusFacts = {
  state: 'state',
  version: 'service_deployment_status',
  action: 'status_details.action',
  result: 'status_details.status',
  deployed_at: 'last_deployment_date',
  took_seconds: 'steps.total_duration_sec',
  deployment_id: 'deployment_request_id',
} as const;

/** The shown fields of a deployment in a history, with their paths in the answer. */
const deploymentFacts = {
  action: 'status_details.action',
  state: 'status',
  at: 'auditing_data.created_at',
  took: 'total_duration',
  by: 'auditing_data.triggered_by',
  from: 'auditing_data.origin',
  commit: 'details.commit.git_commit_id',
  message: 'details.commit.message',
  image: 'details.image.image_name',
  tag: 'details.image.tag',
  id: 'identifier.execution_id',
} as const;

const pickFacts = (facts: Readonly<Record<string, string>>, row: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(facts).map(([name, path]) => [name, at(row, path)]));

/** The shown part of a status. The total time of its steps counts once the action has ended. */
const shownStatus = (status: JsonRecord): JsonRecord => {
  const shown = pickFacts(statusFacts, status);
  return isUnderWay(shown) ? { ...shown, took_seconds: undefined } : shown;
};

const stepText = ({ step_name: name, status, duration_sec: seconds }: JsonRecord): string =>
  `${String(name)} ${String(status)} (${String(seconds)} s)`;

const endText = ({ name, status }: JsonRecord): string => `${String(name)} ${String(status)}`;

const deploymentRow = (deployment: JsonRecord): JsonRecord => ({
  ...pickFacts(deploymentFacts, deployment),
  services: recordsIn(deployment['services']).map(endText).join(', ') || undefined,
});

/** The rows of a deployment history, with the result of each service if there are several. */
const historyOf = ({ results, ...page }: JsonRecord): JsonRecord => ({
  ...page,
  results: recordsIn(results).map(deploymentRow),
});

const history = table('deployment', [...Object.keys(deploymentFacts), 'services']);

/** The statuses of an environment's services in one list, with kinds and, if the services could be listed, names. */
function statusRows(answer: JsonRecord, services: JsonRecord | undefined): JsonRecord[] {
  const names = new Map(recordsIn(services?.['results']).map((row) => [row['id'], row['name']]));
  return serviceKinds.flatMap((kind) =>
    recordsIn(answer[`${kind}s`]).map((row) => ({
      name: names.get(row['id']),
      kind,
      id: row['id'],
      ...shownStatus(row),
    })),
  );
}

/** The resources of services, and the status and history of environments. */
export const serviceResources: readonly PlatformResource[] = [
  platformResource({
    name: 'environment_status',
    uri: 'infra://environment/{+environment}/status',
    title: 'Status of an environment',
    description: 'The deployment states of an environment and of each of its services.',
    toolset: 'environments',
    input: environment,
    operations: [operations.get_environment_status],
    read: async ({ environment: id }, { read, attempt }) => {
      const [answer, services, shown] = await Promise.all([
        read(operations.get_environment_status, { environment_id: id }),
        attempt(operations.list_services, { environment_id: id }),
        attempt(operations.get_environment, { environment_id: id }),
      ]);
      const { environment: environmentStatus, ...rest } = answer as JsonRecord;
      return {
        ...(isRecord(environmentStatus) && environmentStatus),
        ...pick(shown ?? {}, ['ends_at', 'end_reason', 'end_set_by']),
        results: statusRows(rest, services),
      };
    },
    render: recordWithTable('service', ['name', 'kind', 'id', ...Object.keys(statusFacts)], ['metrics']),
    watched: { requests: 3, isMoving: (view) => recordsIn(view['results']).some(isUnderWay) },
  }),
  platformResource({
    name: 'environment_history',
    uri: 'infra://environment/{+environment}/history',
    title: 'History of an environment',
    description: 'The newest deployments of an environment: what, when, by whom, and how they ended.',
    toolset: 'environments',
    input: environment,
    operations: [operations.list_environment_deployments],
    read: async ({ environment: id }, { read }) =>
      historyOf(
        (await read(operations.list_environment_deployments, {
          environment_id: id,
          page_size: defaultPageSizes.rows,
        })) as JsonRecord,
      ),
    render: history,
  }),
  platformResource({
    name: 'service',
    uri: 'infra://service/{kind}/{+service}',
    title: 'Service',
    description: 'The configuration of a service of any kind.',
    toolset: 'services',
    input: service,
    operations: listOf(configurations),
    read: async (_, context) => readForKind(configurations, context),
    render: record(),
  }),
  platformResource({
    name: 'service_status',
    uri: 'infra://service/{kind}/{+service}/status',
    title: 'Status of a service',
    description:
      'The deployment state of a service: what it does now, when it was last deployed, and what is not as it should be of what runs.',
    toolset: 'services',
    input: service,
    operations: listOf(statuses),
    read: async (_, context) => {
      const status =
        (await readServiceStatus(referenceOf(context), context))?.status ?? (await readForKind(statuses, context));
      return {
        id: status['id'],
        ...shownStatus(status),
        warnings: warningsIn(status).join(' ') || undefined,
        steps: recordsIn(at(status, 'steps.details')).map(stepText).join(', ') || undefined,
      };
    },
    render: record(),
    watched: { requests: 1, isMoving: isUnderWay },
  }),
  platformResource({
    name: 'service_logs',
    uri: 'infra://service/{kind}/{+service}/logs',
    title: 'Logs of a service',
    description: `The newest ${messagesShown} messages in the log of a service; those that repeat once.`,
    toolset: 'services',
    input: service,
    operations: listOf(logs),
    read: async (_, context) => readLog(context),
    render: logLines,
    // Log lines don't show whether a deployment is in progress.
    watched: { requests: 1, isMoving: () => false },
  }),
  platformResource({
    name: 'service_variables',
    uri: 'infra://service/{kind}/{+service}/variables',
    title: 'Variables of a service',
    description: 'The environment variables that a service sees, by their keys and scopes; never their values.',
    toolset: 'variables',
    input: service,
    operations: listOf(variables),
    read: async (_, context) => {
      const { kind, environment: serviceEnvironment } = context.resolved['service']!;
      if (kind in variables) return readForKind(variables, context);
      if (serviceEnvironment?.id === undefined)
        return context.refuse(
          `the variables of a ${kind} can't be listed`,
          'Read those of an application or container in the same environment: they share what its environment sets.',
        );
      return {
        shown: `Those of its environment: the ones of its own can't be listed for a ${kind}.`,
        ...(await context.read(operations.list_variables_of_environment, { environment_id: serviceEnvironment.id })),
      };
    },
    render: recordWithTable('variable', [
      'key',
      'scope',
      'variable_type',
      'mount_path',
      'description',
      'updated_at',
      'id',
    ]),
  }),
  platformResource({
    name: 'service_history',
    uri: 'infra://service/{kind}/{+service}/history',
    title: 'History of a service',
    description: 'The newest deployments of a service: which version, when, by whom, and how they ended.',
    toolset: 'services',
    input: service,
    operations: listOf(histories),
    read: async (_, context) => historyOf(await readForKind(histories, context, { page_size: defaultPageSizes.rows })),
    render: history,
  }),
];
