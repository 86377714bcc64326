import { afterEach, expect, test } from 'vitest';
import { allOperations, type OperationName } from '../../../src/contract/index.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { type ControlledPlatform, startControlledPlatform } from '../testing/control/controlled-platform.ts';
import { answerDeviations } from '../../contract/answer-deviations.ts';
import { answerShapes } from '../../contract/extension-shapes.ts';
import { strictReader, type StrictReader } from './read-platform.ts';
import { validRequests } from './valid-requests.ts';
import { isLanding } from '../../suites.ts';

// Every answer of every operation is read by the shapes of the document, retyped by hand, over a platform in many
// states.

let platform: TestPlatform;

afterEach(() => platform.close());

const found = ({ deviations }: StrictReader): string[] => [...deviations].toSorted();

const requestsOf = (): Record<OperationName, Json> =>
  validRequests({ ...platform.seed, organization_id: platform.organizationId }, 'a');

/** Makes an application and a database that nobody deploys, in an environment of their own. */
const addFresh = async (reader: StrictReader): Promise<unknown> => {
  const requests = requestsOf();
  const { id: project_id } = await reader.ask('create_project', requests.create_project);
  const { id: environment_id } = await reader.ask('create_environment', { ...requests.create_environment, project_id });
  await reader.readEnvironment(environment_id);
  await reader.ask('create_application', { ...requests.create_application, environment_id });
  await reader.ask('create_application', {
    environment_id,
    name: 'plain',
    git_repository: { url: 'git@git.example.com:team/plain.git' },
  });
  await reader.ask('create_database', { ...requests.create_database, environment_id });
  return environment_id;
};

test('fresh: seeded, with what was never deployed, and with nothing in it at all', async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  const reader = strictReader(platform);
  const environment_id = await addFresh(reader);
  await reader.readAll();
  for (const { id, service_type } of rowsOf(await platform.must('list_services', { environment_id }))) {
    const kind = String(service_type).toLowerCase() as 'application' | 'database';
    expect(await platform.must(`get_${kind}_status`, { [`${kind}_id`]: id })).toEqual({
      id,
      state: 'READY',
      service_deployment_status: 'NEVER_DEPLOYED',
      is_part_last_deployment: false,
      deployment_requests_count: 0,
      status_details: { action: 'UNKNOWN', status: 'NEVER', sub_action: 'NONE' },
    });
  }
  expect(found(reader)).toEqual([]);
  expect([...reader.states]).toEqual(expect.arrayContaining(['READY', 'DEPLOYED', 'DEPLOYMENT_ERROR']));
});

/** The totals of the steps are 0 until the deployment has ended. */
const expectTotals = ({ steps, status_details: details }: Json): void => {
  if (steps === undefined) return;
  const { total_duration_sec: total, total_computing_duration_sec: computing } = steps as Record<string, number>;
  const isUnderWay = ['QUEUED', 'ONGOING'].includes(String((details as Json)['status']));
  if (isUnderWay) expect([total, computing]).toEqual([0, 0]);
  else expect(total).toBeGreaterThanOrEqual(computing!);
};

/**
 * Moves time on from one due moment to the next while something of the environment is under way, and reads it at each.
 */
const readWhileUnderWay = async (
  controlled: ControlledPlatform,
  reader: StrictReader,
  environmentId: unknown,
): Promise<void> => {
  for (let moment = 0; moment < 200; moment += 1) {
    await reader.readEnvironment(environmentId);
    const { environment, applications } = await platform.must('get_environment_status', {
      environment_id: environmentId,
    });
    for (const status of applications as Json[]) expectTotals(status);
    if ((environment as Json)['total_deployment_duration_in_seconds'] !== null) return;
    const { next_due_at: due } = await controlled.mustControl('GET', '/time');
    await controlled.mustControl('POST', '/time/advance', { to: due });
  }
  throw new Error('the deployment did not end');
};

test.skipIf(isLanding)(
  'under way: deploying, restarting, stopping and canceling, from one moment to the next',
  async () => {
    const controlled = await startControlledPlatform({ randomSeed: 'of the test' });
    platform = controlled;
    const reader = strictReader(platform);
    const organization_id = platform.organizationId;
    await reader.ask('create_webhook', {
      organization_id,
      target_url: 'http://127.0.0.1:9/',
      events: ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'ANY_OTHER'],
    });
    const environment_id = await addFresh(reader);
    const requests = requestsOf();
    await reader.ask('deploy_environment', { environment_id });
    await readWhileUnderWay(controlled, reader, environment_id);
    const [application] = rowsOf(await platform.must('list_services', { environment_id }));
    await reader.ask('restart_services', { environment_id, application_ids: [application!['id']] });
    await readWhileUnderWay(controlled, reader, environment_id);
    await reader.ask('stop_environment', { environment_id });
    await readWhileUnderWay(controlled, reader, environment_id);
    await reader.ask('deploy_application', { application_id: application!['id'], git_commit_id: '0123456' });
    await reader.ask('cancel_deployment', { environment_id });
    await readWhileUnderWay(controlled, reader, environment_id);
    await reader.ask('upgrade_cluster', requests.upgrade_cluster);
    await reader.ask('update_alert_rule', requests.update_alert_rule);
    await reader.readAll();
    await controlled.mustControl('POST', '/time/advance', { by: 'PT1H' });
    await reader.ask('lock_cluster', requests.lock_cluster);
    await reader.readAll();
    expect(found(reader)).toEqual([]);
    expect([...reader.states]).toEqual(
      expect.arrayContaining([
        'DEPLOYMENT_QUEUED',
        'WAITING_RUNNING',
        'BUILDING',
        'DEPLOYING',
        'RUNNING',
        'RESTART_QUEUED',
        'RESTARTING',
        'STOP_QUEUED',
        'STOPPING',
        'STOPPED',
        'CANCELING',
        'CANCELED',
      ]),
    );
    const events = rowsOf(await platform.must('list_webhooks', { organization_id })).map(({ events: words }) => words);
    expect(events).toContainEqual(['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'ANY_OTHER']);
  },
);

test('failed: every scenario', async () => {
  platform = await startTestPlatform({ timeScale: 1000, scenarios: ['all'] });
  const reader = strictReader(platform);
  await reader.readAll();
  expect(found(reader)).toEqual([]);
  expect([...reader.states]).toEqual(expect.arrayContaining(['BUILD_ERROR', 'DEPLOYMENT_ERROR', 'DEPLOYED']));
});

/** Repositories that the seed has are changed by what comes after, and a locked cluster refuses it. */
const rank = (name: OperationName): number => (name === 'list_helm_charts' ? -1 : name === 'lock_cluster' ? 1 : 0);

test('every operation there is', async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  const reader = strictReader(platform);
  const requests = requestsOf();
  // Deletions answer nothing, and are refused during the deployments that the others begin.
  const names = allOperations
    .filter(({ method, response }) => method !== 'DELETE' || response !== undefined)
    .map(({ name }) => name as OperationName);
  for (const name of names.toSorted((one, other) => rank(one) - rank(other))) await reader.ask(name, requests[name]);
  expect(found(reader)).toEqual([]);
  expect([...reader.asked].toSorted()).toEqual(names.toSorted());
});

test('a deviation shows', async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  const status = await platform.must('get_database_status', { database_id: platform.seed['database_id'] });
  const shape = answerShapes['GET /database/{databaseId}/status']!;
  const changed = {
    ...status,
    id: '7',
    state: 'RUNNING',
    steps: null,
    last_deployment_date: 'today',
    deployment_requests_count: 0.5,
    colour: 'red',
  };
  expect(answerDeviations(shape, status)).toEqual([]);
  expect(answerDeviations(shape, changed)).toEqual([
    '.colour: is in no document',
    '.deployment_requests_count: 0.5 is no integer',
    '.id: "7" is no uuid',
    '.last_deployment_date: "today" is no date-time',
    expect.stringMatching(/^\.state: "RUNNING" is no /),
    '.steps: null',
  ]);
});

test('each line of a log has an id of its own, the same at every reading', async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  const idsOf = async () =>
    rowsOf(await platform.must('get_application_logs', { application_id: platform.seed['application_id'] })).map(
      ({ id }) => id,
    );
  const first = await idsOf();
  expect(new Set(first).size).toBe(first.length);
  const again = new Set(await idsOf());
  // Meanwhile a running service goes on logging, and the oldest lines leave.
  expect(first.filter((id) => !again.has(id)).length).toBeLessThan(10);
});

test.each([
  ['list_job_deployments', 'job_id', 'app://infra-mcp/job'],
  ['list_helm_deployments', 'helm_id', 'app://infra-mcp/helm'],
  ['list_environment_deployments', 'environment_id', 'app://infra-mcp/environment'],
] as const)('%s: every deployment has an icon', async (name, member, icon) => {
  platform = await startTestPlatform({ timeScale: 1000 });
  const icons = rowsOf(await platform.must(name, { [member]: platform.seed[member] })).map(({ icon_uri }) => icon_uri);
  expect([...new Set(icons)]).toEqual([icon]);
});

test('an alert rule names its target by its kind', async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  const rules = rowsOf(await platform.must('list_alert_rules', { organization_id: platform.organizationId }));
  const kinds = Object.fromEntries(rules.map(({ name, target }) => [name, (target as Json)['target_type']]));
  expect(kinds).toMatchObject({
    'checkout-errors': 'APPLICATION',
    'importer-down': 'CONTAINER',
    'report-late': 'CRONJOB',
    'node-memory': 'CLUSTER',
  });
});
