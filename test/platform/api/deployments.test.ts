import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceKind } from '../../../src/contract/index.ts';
import {
  type Json,
  type TestPlatform,
  unknownId,
  type PlatformResponse,
  rowsOf,
  startTestPlatform,
} from '../../support/test-platform.ts';

// Deployments themselves are tried in engine/; here it is what the operations ask for and answer.
let platform: TestPlatform;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  platform = await startTestPlatform();
  ids = platform.seed;
});

afterAll(() => platform.close());

const expectRefusal = ({ status, body }: PlatformResponse, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
};

const idOf = (kind: ServiceKind) => ({ [`${kind}_id`]: ids[`${kind}_id`] });
const environment = () => ({ environment_id: ids['environment_id'] });
const statusOf = (kind: ServiceKind) => platform.must(`get_${kind}_status`, idOf(kind));
const reaches = (kind: ServiceKind, state: string) =>
  expect.poll(async () => (await statusOf(kind))['state'], { interval: 10 }).toBe(state);

describe('a deploy', () => {
  test.each(['application', 'container', 'database', 'helm', 'job'] as const)(
    'of a %s answers the deployment beside the status of the service',
    async (kind) => {
      const deployment = await platform.must(`deploy_${kind}`, idOf(kind));
      const { id } = deployment;
      expect(deployment).toMatchObject({
        ...idOf(kind),
        status: 'QUEUED',
        deployment_request_id: id,
        execution_id: id,
        created_at: expect.any(String),
        steps: expect.anything(),
      });
      expect(id).not.toBe(ids[`${kind}_id`]);
      await reaches(kind, kind === 'application' ? 'RUNNING' : 'DEPLOYED');
      expect(await statusOf(kind)).toMatchObject({
        id: ids[`${kind}_id`],
        deployment_request_id: id,
        service_deployment_status: 'UP_TO_DATE',
      });
      const history = rowsOf(await platform.must(`list_${kind}_deployments`, idOf(kind)));
      expect(history[0]).toMatchObject({
        identifier: { execution_id: id, service_id: ids[`${kind}_id`] },
        status: 'DEPLOYED',
        auditing_data: { origin: 'API', triggered_by: 'admin of the tests' },
      });
    },
  );

  test.each(['application', 'container', 'helm', 'job'] as const)(
    'again of a %s answers the status of the service, and deploys what runs',
    async (kind) => {
      const commit = '00112233445566778899aabbccddeeff00112233';
      if (kind === 'application') await platform.must('deploy_application', { ...idOf(kind), git_commit_id: commit });
      await reaches(kind, kind === 'application' ? 'RUNNING' : 'DEPLOYED');
      const status = await platform.must(`redeploy_${kind}`, idOf(kind));
      expect(status['id']).toBe(ids[`${kind}_id`]);
      await reaches(kind, kind === 'application' ? 'RUNNING' : 'DEPLOYED');
      const [latest] = rowsOf(await platform.must(`list_${kind}_deployments`, idOf(kind)));
      expect(latest).toMatchObject({
        identifier: { execution_id: status['deployment_request_id'] },
        status: 'DEPLOYED',
        ...(kind === 'application' && { details: { commit: { git_commit_id: commit } } }),
      });
    },
  );

  test('of a commit shows in the history and in the repository', async () => {
    const commit = 'abcdef0123456789abcdef0123456789abcdef01';
    await platform.must('deploy_application', { ...idOf('application'), git_commit_id: commit });
    await reaches('application', 'RUNNING');
    const [latest] = rowsOf(await platform.must('list_application_deployments', idOf('application')));
    expect(latest).toMatchObject({ details: { commit: { git_commit_id: commit } } });
    expect(await platform.must('get_application', idOf('application'))).toMatchObject({
      git_repository: { deployed_commit_id: commit },
    });
  });

  test('of a commit is refused where nothing is built from one', async () => {
    for (const kind of ['container', 'helm', 'job'] as const) {
      expectRefusal(
        await platform.call(`deploy_${kind}`, { ...idOf(kind), git_commit_id: 'abcdef0' }),
        new RegExp(`^git_commit_id: ${kind} .* isn't built from a commit; leave it out`),
      );
    }
    expectRefusal(
      await platform.call('deploy_application', { ...idOf('application'), git_commit_id: 'main' }),
      /^git_commit_id: /,
    );
  });

  test('an application is RUNNING to its own status, DEPLOYED everywhere else', async () => {
    await reaches('application', 'RUNNING');
    const { applications } = await platform.must('get_environment_status', environment());
    expect((applications as Json[]).find(({ id }) => id === ids['application_id'])).toMatchObject({
      state: 'DEPLOYED',
    });
  });

  test('of terraform answers the status of the service', async () => {
    expect(await platform.must('redeploy_terraform', idOf('terraform'))).toMatchObject({
      id: ids['terraform_id'],
      status_details: { action: 'DEPLOY', sub_action: 'TERRAFORM_PLAN_AND_APPLY' },
    });
    await reaches('terraform', 'DEPLOYED');
  });

  test('of an environment without services is refused', async () => {
    const empty = await platform.must('create_environment', {
      project_id: ids['project_id'],
      cluster_id: ids['cluster_id'],
      name: 'empty',
      mode: 'DEVELOPMENT',
    });
    expectRefusal(await platform.call('deploy_environment', { environment_id: empty['id'] }), /has no services/);
    expect((await platform.call('stop_environment', { environment_id: empty['id'] })).status).toBe(200);
  });
});

describe('a restart', () => {
  test('of several services answers for the first, with all of them in results', async () => {
    const answer = await platform.must('restart_services', {
      ...environment(),
      application_ids: [ids['application_id']],
      container_ids: [ids['container_id'], ids['container_id']],
    });
    const { results, ...first } = answer;
    expect((results as Json[]).map(({ id }) => id)).toEqual([ids['application_id'], ids['container_id']]);
    expect((results as Json[])[0]).toEqual(first);
    await reaches('container', 'RESTARTED');
    await reaches('application', 'RUNNING');
  });

  test('needs at least one service', async () => {
    expectRefusal(await platform.call('restart_services', environment()), /at least one service/);
    expectRefusal(
      await platform.call('restart_services', { ...environment(), application_ids: [], container_ids: [] }),
      /at least one service/,
    );
  });

  test.each([
    ['application_ids', unknownId],
    ['container_ids', 'application_id'],
    ['database_ids', 'container_id'],
  ])('names what is no such service of the environment: %s with %s', async (member, id) => {
    const wrong = ids[id] ?? id;
    expectRefusal(
      await platform.call('restart_services', { ...environment(), [member]: [wrong] }),
      new RegExp(`^${member}: .*${wrong}`),
    );
  });
});

test('an environment stops, says who asked, and starts again', async () => {
  expect(await platform.must('stop_environment', environment())).toMatchObject({
    id: ids['environment_id'],
    origin: 'API',
    triggered_by: 'admin of the tests',
  });
  await reaches('container', 'STOPPED');
  await platform.must('deploy_environment', environment());
  await reaches('container', 'DEPLOYED');
});

test('cancelling is refused where nothing is under way', async () => {
  const quiet = await platform.must('create_environment', {
    project_id: ids['project_id'],
    cluster_id: ids['cluster_id'],
    name: 'quiet',
    mode: 'DEVELOPMENT',
  });
  expectRefusal(await platform.call('cancel_deployment', { environment_id: quiet['id'] }), /./);
});

test('logs end with the newest, and tail says how many', async () => {
  const lines = rowsOf(await platform.must('get_application_logs', idOf('application')));
  const times = lines.map((line) => line['created_at'] as string);
  expect(times).toEqual(times.toSorted((one, other) => one.localeCompare(other)));
  expect(rowsOf(await platform.must('get_application_logs', { ...idOf('application'), tail: 3 }))).toHaveLength(3);
  expectRefusal(await platform.call('get_application_logs', { ...idOf('application'), tail: 1001 }), /^tail: /);
});

test('what was deployed is still there after a restart of the platform', async () => {
  await expect
    .poll(async () => JSON.stringify(await platform.must('get_environment_status', environment())), { interval: 10 })
    .not.toMatch(/"(?:DEPLOYING|DEPLOYMENT_QUEUED|ONGOING|QUEUED)"/);
  const before = await platform.must('get_environment_status', environment());
  platform = await platform.restart();
  expect(await platform.must('get_environment_status', environment())).toEqual(before);
});
