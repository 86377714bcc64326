import { operations, terminalOutcome } from '../../src/contract/index.ts';
import { kindOfMember, notActedOn, otherMembers } from '../shared/other-kinds.ts';
import { defineTool, isRecord, pickPaths, pruneRecord, tableText, type JsonRecord, type Renderer } from '../../src/server/tool/index.ts';

const environmentFacts = [
  'state', 'id', 'last_deployment_state', 'last_deployment_date', 'last_deployment_id', 'deployment_status', 'origin', 'triggered_by',
  'total_deployment_duration_in_seconds',
];

const serviceFacts = [
  'state', 'id', 'service_deployment_status', 'last_deployment_date', 'status_details.action', 'status_details.status',
  'deployment_request_id', 'steps.total_duration_sec',
];

// Members of the response, and the kind of their rows.
const kinds = { applications: 'application', containers: 'container', databases: 'database', jobs: 'job', helms: 'helm', terraforms: 'terraform' };

const rowsOf = (answer: JsonRecord, member: string): JsonRecord[] => (Array.isArray(answer[member]) ? answer[member].filter(isRecord) : []);

/** The members that hold services, with their kinds: those that tools act on, and those that only this platform has. */
const kindsIn = (answer: JsonRecord): Readonly<Record<string, string>> => ({ ...kinds, ...Object.fromEntries(otherMembers(answer).map((member) => [member, kindOfMember(member)])) });

/** What is shown of a service: with its name, where nothing else can be asked about it. */
const factsIn = (member?: string): readonly string[] => (member !== undefined && member in kinds ? serviceFacts : ['name', ...serviceFacts]);

const isBad = (row: JsonRecord): boolean => terminalOutcome('DEPLOY', String(row['state'])) === 'bad';

const statuses: Renderer = {
  view: (answer) =>
    pruneRecord({
      environment: pickPaths(pruneRecord((answer['environment'] ?? {}) as JsonRecord), environmentFacts),
      ...Object.fromEntries(
        Object.keys(kindsIn(answer)).map((member) => [member, rowsOf(answer, member).map((row) => pickPaths(pruneRecord(row), factsIn(member)))]),
      ),
    }),
  text: (view) => {
    const rows = Object.entries(kindsIn(view)).flatMap(([member, kind]) => rowsOf(view, member).map((row): JsonRecord => ({ kind, ...row })));
    const failuresFirst = rows.toSorted((one, other) => Number(isBad(other)) - Number(isBad(one)));
    const environment = (view['environment'] ?? {}) as JsonRecord;
    const head = `environment\n${tableText([environment], environmentFacts)}`;
    return rows.length === 0 ? `${head}\nno services` : `${head}\n${rows.length} services\n${tableText(failuresFirst, ['kind', ...factsIn()])}${notActedOn(rows.map(({ kind }) => kind)).map((line) => `\n${line}`).join('')}`;
  },
  keep: 'first',
};

export const getEnvironmentStatus = defineTool(operations.get_environment_status, {
  toolset: 'environments',
  description:
    'See at a glance whether an environment is healthy: its state and that of every service in it, failures first. ' +
    'Use it to follow a deploy, restart or stop until it has ended.',
  render: statuses,
});
