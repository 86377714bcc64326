import { operations, terminalOutcome } from '../../src/contract/index.ts';
import { warningsOfServices } from '../../src/analysis/index.ts';
import { nodesUnder, readsOfNodes } from '../shared/cluster-nodes.ts';
import { readsOfServing, servingById, type Served } from '../shared/serving.ts';
import { lateRuns } from '../shared/late-runs.ts';
import { outlookOn, readsOfOutlook } from '../shared/environment-outlook.ts';
import { kindOfMember, notActedOn, otherMembers } from '../shared/other-kinds.ts';
import {
  defineTool,
  recordsIn,
  pickPaths,
  pruneRecord,
  readUses,
  tableText,
  type JsonRecord,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';

const environmentFacts = [
  'state',
  'id',
  'last_deployment_state',
  'last_deployment_date',
  'last_deployment_id',
  'deployment_status',
  'origin',
  'triggered_by',
  'total_deployment_duration_in_seconds',
];

const serviceFacts = [
  'name',
  'state',
  'serves',
  'warning',
  'id',
  'service_deployment_status',
  'last_deployment_date',
  'status_details.action',
  'status_details.status',
  'deployment_request_id',
  'steps.total_duration_sec',
];

// Members of the response, with the kinds of their rows.
const kinds = {
  applications: 'application',
  containers: 'container',
  databases: 'database',
  jobs: 'job',
  helms: 'helm',
  terraforms: 'terraform',
};

/** The kinds of services for which an answer has no list: whether there are any isn't known. */
const kindsNotListed = (answer: JsonRecord): readonly string[] =>
  Object.entries(kinds).flatMap(([member, kind]) => (Array.isArray(answer[member]) ? [] : [kind]));

/**
 * The members that contain services, with their kinds: those that tools act on, and those that only this platform has.
 */
const kindsIn = (answer: JsonRecord): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(kinds).filter(([member]) => Array.isArray(answer[member]))),
  ...Object.fromEntries(otherMembers(answer).map((member) => [member, kindOfMember(member)])),
});

const isBad = ({ state }: JsonRecord): boolean =>
  state === 'UNAVAILABLE' || terminalOutcome('DEPLOY', String(state)) === 'bad';

/** The statuses with each service's name and serving version from the list of services, and the platform's warnings. */
async function withNames(context: ToolContext, environment_id: string, answer: JsonRecord): Promise<JsonRecord> {
  const list: JsonRecord | undefined = await context.attempt(operations.list_services, { environment_id });
  const configurations = new Map(recordsIn(list?.['results']).map((row) => [row['id'], row]));
  const members = Object.entries(kindsIn(answer));
  const services = members.flatMap(([member, kind]) =>
    recordsIn(answer[member]).map((status): Served => ({
      kind,
      id: String(status['id']),
      status,
      configuration: configurations.get(status['id']),
    })),
  );
  const serving = list ? await servingById(context, services) : new Map<string, string>();
  const warnings = new Map([...warningsOfServices(services)].map(({ 0: { status }, 1: warning }) => [status, warning]));
  const late = await lateRuns(context, services);
  const named = (row: JsonRecord): JsonRecord => ({
    ...row,
    name: configurations.get(row['id'])?.['name'] ?? row['name'],
    serves: serving.get(String(row['id'])),
    warning: [warnings.get(row), late.get(String(row['id']))?.text].filter(Boolean).join('; ') || undefined,
  });
  return {
    ...answer,
    ...Object.fromEntries(members.map(([member]) => [member, recordsIn(answer[member]).map(named)])),
  };
}

/** The text about services that are unknown because an answer lacks their lists; empty if it has all of them. */
function unknownText(missing: readonly string[]): string {
  if (missing.length === 0) return '';
  const of = missing.length === Object.keys(kinds).length ? '' : ` of these kinds: ${missing.join(', ')}`;
  return `Not known is whether there are services${of}. The answer of the platform has no list of them.`;
}

const statuses: Renderer = {
  view: (answer) =>
    pruneRecord({
      environment: pickPaths(pruneRecord((answer['environment'] ?? {}) as JsonRecord), environmentFacts),
      ...Object.fromEntries(
        Object.keys(kindsIn(answer)).map((member) => [
          member,
          recordsIn(answer[member]).map((row) => pickPaths(pruneRecord(row), serviceFacts)),
        ]),
      ),
      not_listed: kindsNotListed(answer),
      nodes: answer['nodes'],
      outlook: answer['outlook'],
    }),
  text: (view) => {
    const rows = Object.entries(kindsIn(view)).flatMap(([member, kind]) =>
      recordsIn(view[member]).map((row): JsonRecord => ({ kind, ...row })),
    );
    const failuresFirst = rows.toSorted((one, other) => Number(isBad(other)) - Number(isBad(one)));
    const environment = (view['environment'] ?? {}) as JsonRecord;
    const head = `environment\n${tableText([environment], environmentFacts)}`;
    const missing = Array.isArray(view['not_listed']) ? view['not_listed'].map(String) : [];
    const table = [
      `${rows.length} services`,
      tableText(failuresFirst, ['kind', ...serviceFacts]),
      ...notActedOn(rows.map(({ kind }) => kind)),
    ];
    const found = rows.length > 0 ? table : missing.length === 0 ? ['no services'] : [];
    const outlook = Array.isArray(view['outlook']) ? view['outlook'].map(String) : [];
    return [head, typeof view['nodes'] === 'string' ? view['nodes'] : '', ...outlook, ...found, unknownText(missing)]
      .filter((line) => line !== '')
      .join('\n');
  },
  keep: 'first',
};

export const getEnvironmentStatus = defineTool(operations.get_environment_status, {
  toolset: 'environments',
  equivalentOperations: [operations.list_environment_statuses, operations.list_environment_overviews],
  title: 'Status of all services in an environment',
  description: 'State of every service in an environment (deployed, unhealthy …), failures first, with its version.',
  reads: [
    ...readUses('services are shown without names', operations.list_services),
    ...readsOfServing,
    ...readsOfNodes,
    ...readsOfOutlook,
  ],
  answer: async (args, context) => {
    const environment_id = String(args['environment_id']);
    const project = context.resolved['environment_id']?.project?.id;
    const [status, nodes] = await Promise.all([
      context.read(operations.get_environment_status, { environment_id }),
      nodesUnder(context, environment_id, project),
    ]);
    const outlook = await outlookOn(context, environment_id, project, status.environment?.state === 'STOPPED');
    return { ...(await withNames(context, environment_id, status)), nodes, ...(outlook.length > 0 && { outlook }) };
  },
  render: statuses,
});
