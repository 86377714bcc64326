import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import {
  type Json,
  type PlatformResponse,
  type TestPlatform,
  startTestPlatform,
  unknownId,
} from '../../support/test-platform.ts';
import { validRequests } from './valid-requests.ts';

let platform: TestPlatform;
let ids: Readonly<Record<string, string>>;
let count = 0;

beforeAll(async () => {
  platform = await startTestPlatform();
  ids = { ...platform.seed, organization_id: platform.organizationId };
});
afterAll(() => platform.close());

const send = (name: 'create_job' | 'update_job' | 'update_database', change: Json = {}) =>
  platform.call(name, { ...validRequests(ids, `job-${(count += 1)}`)[name], ...change });

const expectRefusal = ({ status, body }: PlatformResponse, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
};

const cron = (change: Json) => ({ schedule: { cronjob: { scheduled_at: '0 3 * * *', ...change } } });

describe.each(['create_job', 'update_job'] as const)('%s', (name) => {
  test.each<[string, Json, RegExp]>([
    ['no schedule', { schedule: {} }, /^schedule: must have either cronjob or at least one of on_start/],
    [
      'both kinds',
      { schedule: { cronjob: { scheduled_at: '0 3 * * *' }, on_start: {} } },
      /^schedule: must have either/,
    ],
    [
      'a cron job with a lifecycle type',
      { schedule: { cronjob: { scheduled_at: '0 3 * * *' }, lifecycle_type: 'GENERIC' } },
      /^schedule: must have either/,
    ],
    ['seconds', cron({ scheduled_at: '0 0 3 * * *' }), /^schedule\.cronjob\.scheduled_at: .*five fields/],
    [
      'no cron expression',
      cron({ scheduled_at: '61 3 * * *' }),
      /^schedule\.cronjob\.scheduled_at: "61 3 \* \* \*" is no cron expression/,
    ],
    [
      'a day that never comes',
      cron({ scheduled_at: '0 3 31 2 *' }),
      /^schedule\.cronjob\.scheduled_at: .*never comes due/,
    ],
    [
      'an unknown time zone',
      cron({ timezone: 'Mars/Olympus' }),
      /^schedule\.cronjob\.timezone: there is no time zone "Mars\/Olympus"/,
    ],
    ['no source', { source: {} }, /^source: must have exactly one of image and docker/],
    [
      'an unknown registry',
      { source: { image: { image_name: 'team/app', tag: '1', registry_id: unknownId } } },
      /^source\.image\.registry_id: no registry/,
    ],
    [
      'an image name that the registry does not take',
      { source: { image: { image_name: 'Team/App', tag: '1', registry_id: 'registry' } } },
      /^source\.image\.image_name: "Team\/App"/,
    ],
    [
      'credentials in its address',
      { source: { docker: { git_repository: { url: 'https://me:secret@git.example/a/b.git' } } } },
      /^source\.docker\.git_repository\.url: must not hold/,
    ],
    ['unknown groups', { labels_groups: [{ id: unknownId }] }, /^labels_groups: no labels group/],
  ])('refuses %s', async (_, change, says) => {
    const text = JSON.stringify(change).replace('"registry_id":"registry"', `"registry_id":"${ids['registry_id']}"`);
    expectRefusal(await send(name, JSON.parse(text) as Json), says);
  });

  test('the schedule decides what kind of job it is', async () => {
    expect((await send(name, cron({}))).body).toMatchObject({
      job_type: 'CRON',
      schedule: { cronjob: { scheduled_at: '0 3 * * *', timezone: 'Etc/UTC' } },
    });
    expect((await send(name, { schedule: { on_delete: { arguments: ['down'] } } })).body).toMatchObject({
      job_type: 'LIFECYCLE',
      schedule: { on_delete: { arguments: ['down'] } },
    });
  });
});

test('a job that names no registry and says nothing of its schedule, as in older data directories, can be sent back', async () => {
  const job_id = seedId('service/data/development/migrate-schema');
  const { name, source, schedule, healthchecks } = await platform.must('get_job', { job_id });
  expect({ source, schedule, healthchecks }).toEqual({
    source: { image: { image_name: 'acme/migrate', tag: '3.2.0' } },
    schedule: { on_start: {} },
    healthchecks: {},
  });
  expect((await platform.call('update_job', { job_id, name, source, schedule, healthchecks })).body).toMatchObject({
    job_type: 'LIFECYCLE',
    source,
    schedule,
  });
});

describe('a job from git', () => {
  test('is deployed at a commit of choice; one from an image is not', async () => {
    const { body: fromGit } = await send('create_job', {
      source: { docker: { git_repository: { url: 'https://git.example/team/job.git' } } },
    });
    const { body: fromImage } = await send('create_job', cron({}));
    expect(
      (
        await platform.call('deploy_job', {
          job_id: fromGit['id'],
          git_commit_id: '0123456789abcdef0123456789abcdef01234567',
        })
      ).status,
    ).toBe(200);
    expectRefusal(
      await platform.call('deploy_job', {
        job_id: fromImage['id'],
        git_commit_id: '0123456789abcdef0123456789abcdef01234567',
      }),
      /^git_commit_id: job .* isn't built from a commit/,
    );
  });
});

describe('a database', () => {
  test('keeps its type, mode and, where left out, name and version', async () => {
    const before = await platform.must('get_database', { database_id: ids['database_id'] });
    const after = await platform.must('update_database', { database_id: ids['database_id'], cpu: 700 });
    for (const member of ['type', 'mode', 'name', 'version', 'host', 'port'])
      expect(after[member]).toEqual(before[member]);
    expect(after).toMatchObject({ cpu: 700, memory: 512, accessibility: 'PRIVATE' });
  });

  test('has an instance type only where the cloud manages it', async () => {
    expectRefusal(await send('update_database', { instance_type: 'large' }), /^instance_type: only MANAGED/);
  });
});
