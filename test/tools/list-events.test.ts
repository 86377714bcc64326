import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform, unknownId } from '../support/test-platform.ts';

interface Told {
  readonly at: string;
  readonly who: string;
  readonly what: string;
  readonly where: string;
  readonly changes?: string;
}

let platform: TestPlatform;
let connectors: Connectors;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['wrong-variable-value'] });
  connectors = connectorsTo(platform.url, platform.tokens.read);
  const { seed } = platform;
  const variable = {
    environment_id: seed['environment_id'],
    environment_variable_id: seed['environment_variable_id'],
    key: 'LOG_LEVEL',
  };
  await platform.must('update_environment_variable', { ...variable, value: 'debug' });
  await platform.must('create_secret', {
    application_id: seed['application_id'],
    key: 'MAIL_PASSWORD',
    value: 'correct-horse-9',
  });
  await platform.must('lock_cluster', { cluster_id: seed['cluster_id'], reason: 'an incident', ttl_in_days: 1 });
  await platform.must('unlock_cluster', { cluster_id: seed['cluster_id'] });
  for (let index = 0; index < 120; index += 1)
    await platform.must('create_project', { organization_id: platform.organizationId, name: `many-${index}` });
});
afterAll(async () => {
  await connectors.close();
  for (const one of opened.toReversed()) await one.close();
  await platform.close();
});

const told = async (args: Record<string, unknown>) => {
  const result = await (await connectors.modern()).call('list_events', args);
  expect(result.isError, textOf(result)).toBeFalsy();
  const content = result.structuredContent as {
    results: Told[];
    looked_through: number;
    kept_since: string;
    more?: string;
    whole_since?: string;
  };
  return { ...content, text: textOf(result) };
};

/** The same from a platform that answers otherwise. */
async function behind(options: RecordingProxyOptions, args: Record<string, unknown> = {}) {
  const proxy = await startRecordingProxy(platform.url, options);
  const own = connectorsTo(proxy.url, platform.token);
  opened.push(proxy, own);
  const result = await (await own.modern()).call('list_events', args);
  return { text: textOf(result), isError: result.isError === true };
}

test('tells who changed what, from what to what', async () => {
  const { results } = await told({ environment: 'shop/staging', kind: 'updated variable' });
  expect(results).toEqual([
    expect.objectContaining({
      who: 'admin of the tests',
      what: 'updated variable LOG_LEVEL of environment',
      where: 'shop/staging',
      changes: 'value: info → debug',
    }),
  ]);
});

test('of a service tells what it inherits, even of the past, and who did that', async () => {
  const { results } = await told({ service: 'orders/staging/orders-api' });
  expect(results).toEqual([
    expect.objectContaining({
      who: 'Bo Lindqvist',
      what: 'updated variable QUEUE_HOST of environment',
      where: 'orders/staging',
      changes: 'value: queue.staging.acme.internal → queue.stagging.acme.internal',
    }),
  ]);
});

test('never shows a secret', async () => {
  const { results, text } = await told({ kind: 'secret' });
  expect(results).toEqual([
    expect.objectContaining({
      what: 'created secret MAIL_PASSWORD of application',
      where: 'shop/staging/checkout-api',
    }),
  ]);
  expect(text).not.toContain('correct-horse-9');
  const foreign = await behind({
    alter: (_, path, body) => {
      const { events = [], ...rest } = body as { events?: object[] };
      return path.endsWith('/events')
        ? {
            ...rest,
            events: events
              .slice(0, 1)
              .map((event) => ({
                ...event,
                sub_target_type: 'VARIABLE',
                change: '{"key":"STRIPE_TOKEN","value":"plain-9f2"}',
                original_change: '{"password":"older-7c1"}',
              })),
          }
        : body;
    },
  });
  expect(foreign.text).toContain('STRIPE_TOKEN');
  expect(foreign.text).not.toMatch(/plain-9f2|older-7c1/);
});

test('says once how far back events go, and shows changes in words', async () => {
  const application = {
    application_id: platform.seed['application_id'],
    ...(await platform.must('get_application', { application_id: platform.seed['application_id'] })),
  };
  await platform.must('update_application', {
    ...application,
    healthchecks: { readiness_probe: { type: { tcp: { port: 8080 } }, initial_delay_seconds: 7 } },
  });
  const { results, text } = await told({ service: 'shop/staging/checkout-api', kind: 'updated application' });
  expect(results[0]?.changes).toMatch(/initial_delay_seconds: .*→ 7/);
  expect(results[0]?.changes).not.toMatch(/[{}[\]]/);
  expect(text.match(/since \d{4}-/g)).toHaveLength(1);
});

test('of kind variable are those of secrets, too', async () => {
  const { results } = await told({ kind: 'variable', environment: 'shop/staging' });
  expect(results.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'created secret MAIL_PASSWORD of application',
      'updated variable LOG_LEVEL of environment',
    ]),
  );
  expect(JSON.stringify(results)).not.toContain('correct-horse-9');
});

test('show a deployment once, with who asked for it and how it ended', async () => {
  const deploying = { environment_id: platform.seed['environment_id'] };
  await platform.must('deploy_application', { application_id: platform.seed['application_id'] });
  const ofService = { service: 'shop/staging/checkout-api', kind: 'deploy', since: 'PT1H' };
  await expect
    .poll(async () => (await told(ofService)).results)
    .toEqual([
      expect.objectContaining({
        who: 'admin of the tests',
        what: 'deployed application',
        where: 'shop/staging/checkout-api',
        changes: expect.stringMatching(/^state: DEPLOYED; .*begun \d/) as string,
      }),
    ]);
  await platform.must('deploy_environment', deploying);
  await expect
    .poll(async () => (await told({ environment: 'shop/staging', kind: 'deploy', since: 'PT1H' })).results[0])
    .toMatchObject({
      what: 'asked to deploy environment',
      where: 'shop/staging',
      changes: expect.stringMatching(/checkout-api: DEPLOYED.*begun \d/) as string,
    });
});

test('a stop of one service is one event, and not a stop of its environment', async () => {
  const [environment_id, container_id] = [platform.seed['environment_id'], platform.seed['container_id']];
  await platform.must('stop_services', { environment_id, container_ids: [container_id] });
  await expect
    .poll(async () => (await told({ environment: 'shop/staging', kind: 'stop', since: 'PT1H' })).results)
    .toEqual([
      expect.objectContaining({
        what: 'asked to stop services of environment',
        where: 'shop/staging',
        changes: expect.stringMatching(/^services: search; search: STOPPED; begun \d/) as string,
      }),
    ]);
});

test('a restoration is one, with the name of its backup, and not only a deployment', async () => {
  await platform.must('restore_database', { database_id: platform.seed['database_id'] });
  await expect
    .poll(async () => (await told({ service: 'shop/staging/orders-db', kind: 'restore' })).results)
    .toEqual([
      expect.objectContaining({
        what: 'restored database',
        who: 'admin of the tests',
        where: 'shop/staging/orders-db',
        changes: expect.stringMatching(/restored_from: "nightly" of .*; state: DEPLOYED; .*begun \d/) as string,
      }),
    ]);
});

test('the deletion of an environment is one event of it, with what was in it', async () => {
  const { id: environment_id } = await platform.must('clone_environment', {
    environment_id: seedId('environment/data/development'),
    name: 'short-lived',
  });
  await platform.must('delete_environment', { environment_id });
  await expect
    .poll(async () => (await told({ environment: environment_id, kind: 'delete' })).results)
    .toEqual([
      expect.objectContaining({
        what: 'deleted environment',
        who: 'admin of the tests',
        where: 'data/short-lived',
        changes: expect.stringMatching(/events-db: DELETED.*begun \d/) as string,
      }),
    ]);
});

const addEnvironment = async (name: string): Promise<string> =>
  String(
    (
      await platform.must('create_environment', {
        project_id: seedId('project/data'),
        cluster_id: platform.seed['cluster_id'],
        name,
        mode: 'DEVELOPMENT',
      })
    )['id'],
  );

const call = async (args: Record<string, unknown>) => {
  const result = await (await connectors.modern()).call('list_events', args);
  return { text: textOf(result), failure: failureIn(result) };
};

describe('of what is gone', () => {
  test('events are found by the name and path that they have, and that it is deleted is said', async () => {
    const id = await addEnvironment('playground');
    const { id: database } = await platform.must('create_database', {
      environment_id: id,
      name: 'toys-db',
      type: 'REDIS',
      version: '7',
      mode: 'CONTAINER',
    });
    await platform.must('delete_environment', { environment_id: id });
    await expect.poll(async () => (await platform.call('get_environment', { environment_id: id })).status).toBe(404);
    for (const environment of ['data/playground', 'playground', 'Data/Playground', id]) {
      const { results, text } = await told({ environment });
      expect(text).toMatch(new RegExp(`The environment data/playground \\(id ${id}\\) was deleted at \\d`));
      expect(results.map(({ what }) => what)).toEqual([
        'deleted environment',
        'created database',
        'created environment',
      ]);
    }
    const { results, text } = await told({ service: 'data/playground/toys-db' });
    expect(text).toContain(`The database data/playground/toys-db (id ${String(database)}) was deleted`);
    expect(results.at(-1)).toMatchObject({ what: 'created database', where: 'data/playground/toys-db' });
    expect((await told({ environment: 'playground', kind: 'lock' })).text).toMatch(/was deleted.*\n.*None of the/);
  });

  test('a name that never was is an error with what is like it, and so is an id', async () => {
    const { text, failure } = await call({ environment: 'shop/stagin' });
    expect(failure).toMatchObject({ kind: 'bad_address', why: 'unknown' });
    expect(text).toMatch(/shop\/staging[^]*None of the \d+ events looked through names it, either\./);
    expect((await call({ service: 'playground' })).failure).toMatchObject({ kind: 'bad_address' });
    expect((await call({ environment: unknownId })).failure).toMatchObject({ kind: 'not_possible' });
    expect((await call({ service: unknownId })).failure).toMatchObject({ kind: 'bad_address' });
    // A name is not looked for elsewhere because what it is in is gone.
    const inside = await call({ environment: 'data/playground', service: 'checkout-api' });
    expect(inside.failure).toMatchObject({ kind: 'bad_address' });
  });

  test('a name that is used again stands for what has it now, and the other one is told of', async () => {
    const before = await addEnvironment('again');
    await platform.must('delete_environment', { environment_id: before });
    const now = await addEnvironment('again');
    const { results, text } = await told({ environment: 'data/again' });
    expect(results.map(({ what }) => what)).toEqual(['created environment']);
    expect(text).toMatch(new RegExp(`Another environment was called data/again \\(id ${before}\\)`));
    expect(text).toContain(`Next: list_events {"environment":"${before}"}`);
    expect((await told({ environment: before })).results.map(({ what }) => what)).toEqual([
      'deleted environment',
      'created environment',
    ]);
    await platform.must('delete_environment', { environment_id: now });
    const both = await told({ environment: 'data/again' });
    expect(both.text).toContain(`(id ${now}) was deleted`);
    expect(both.text).toContain(`Next: list_events {"environment":"${before}"}`);
    expect(both.results).toHaveLength(2);
  });

  test('what has another name now is not called deleted', async () => {
    const id = await addEnvironment('old-name');
    await platform.must('update_environment', { environment_id: id, name: 'new-name', mode: 'DEVELOPMENT' });
    const { text } = await told({ environment: 'data/old-name' });
    expect(text).toContain(`(id ${id}) is there, and now called "new-name".`);
    expect(text).not.toContain('deleted');
  });

  test('a project is found, too', async () => {
    const { id } = await platform.must('create_project', { organization_id: platform.organizationId, name: 'brief' });
    await platform.must('delete_project', { project_id: id });
    const { results, text } = await told({ project: 'brief' });
    expect(text).toContain(`The project brief (id ${String(id)}) was deleted at `);
    expect(results.map(({ what }) => what)).toEqual(['deleted project', 'created project']);
  });
});

test('variables that a service or an environment inherits count, each with its scope', async () => {
  await platform.must('create_secret_of_project', {
    project_id: seedId('project/shop'),
    key: 'OF_ALL',
    value: 'correct-horse-7',
  });
  const ofProject = expect.objectContaining({ what: 'created secret OF_ALL of project', where: 'shop' }) as object;
  for (const of of [
    { service: 'shop/staging/checkout-api' },
    { environment: 'shop/staging' },
    { environment: seedId('environment/shop/staging') },
    { service: `infra://service/application/${platform.seed['application_id']}` },
  ])
    for (const kind of ['variable', 'secret']) {
      const { results, text } = await told({ ...of, kind });
      expect(results).toContainEqual(ofProject);
      expect(text).toMatch(/it inherits from its (environment and )?project count, too\./);
    }
  const { results, text } = await told({ environment: 'data/development', kind: 'variable' });
  expect(results).toEqual([]);
  expect(text).toMatch(/None of the .*\n.*it inherits from its project count, too\./);
});

test('is narrowed by who, kind and time', async () => {
  expect((await told({ who: 'bo lind' })).results.map(({ what }) => what)).toEqual([
    'locked cluster',
    'updated variable QUEUE_HOST of environment',
  ]);
  expect((await told({ kind: 'lock' })).results.map(({ what, who }) => [what, who])).toEqual([
    ['unlocked cluster', 'admin of the tests'],
    ['locked cluster', 'admin of the tests'],
    // The one that the platform starts with.
    ['locked cluster', 'Bo Lindqvist'],
  ]);
  expect((await told({ until: 'P1D' })).results.every(({ at }) => Date.parse(at) < Date.now() - 86_000_000)).toBe(true);
  const nobody = await told({ who: 'nobody of this name' });
  expect(nobody.results).toEqual([]);
  expect(nobody.text).toMatch(
    /The record of events begins at \d\S+.*: what was changed or deployed before that may have no event\. None of the \d+ events/,
  );
  expect(nobody.text).not.toContain('Every change since');
});

test('shows the newest first, turns pages, and says how to get older ones', async () => {
  const { results, more, whole_since: since, text } = await told({});
  expect(results).toHaveLength(30);
  expect(since).toBe(results.at(-1)!.at);
  expect(text).toMatch(/There may be older ones that fit\. From .* on, none is missing\./);
  expect(results.map(({ at }) => at)).toEqual(
    results
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect(more).toBe('There may be older ones that fit.');
  expect(text).toContain(`Next: list_events {"until":"${results.at(-1)!.at}"}`);
  const { results: older, looked_through: looked, ...reach } = await told({ kind: 'created secret MAIL' });
  expect(reach).not.toHaveProperty('whole_since');
  expect(older).toHaveLength(1);
  expect(looked).toBeGreaterThan(100);
});

test('says what else there is where the platform keeps no events', async () => {
  const { isError, text } = await behind({
    beforeRequest: async (_, request, response) => {
      if (request.url!.includes('/events'))
        response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
    },
  });
  expect(isError).toBe(true);
  expect(text).toMatch(/this platform keeps no events.*list_deployments/s);
});

/** A platform that has one event, of a moment to come, and doesn't say since when it has them. */
const withOneEvent: RecordingProxyOptions['alter'] = (_, path, body) => {
  const { events = [] } = body as { events?: object[] };
  return path.endsWith('/events')
    ? {
        events: events
          .slice(0, 1)
          .map((event) => ({ ...event, timestamp: new Date(Date.now() + 60_000).toISOString() })),
        links: { previous: null, next: null },
        organization_max_limit_reached: false,
      }
    : body;
};

describe('deployments from before there were events', () => {
  const olderText =
    /Every change since (\S+) .*has its event; earlier ones, deployments too, may have none\.[\s\S]*Next: list_deployments \{"service":"/;

  test('are told of, with since when there are events', async () => {
    const { text, kept_since: since } = await told({ service: 'shop/staging/checkout-api' });
    expect(olderText.exec(text)?.[1]).toBe(since);
    expect((await told({ service: 'shop/staging/checkout-api', kind: 'deployed' })).text).toMatch(olderText);
    expect((await told({ environment: 'shop/staging' })).text).toContain('deployments too');
  });

  test.each<[string, Record<string, unknown>]>([
    ['of what was never deployed before', { service: 'shop/staging/new-one' }],
    ['in a time after that', { service: 'shop/staging/checkout-api', since: 'PT0S' }],
    ['of other kinds of events', { service: 'shop/staging/checkout-api', kind: 'variable' }],
    ['of the whole organization', {}],
  ])('but not %s', async (_, args) => {
    if (String(args['service']).endsWith('new-one'))
      await platform.must('create_application', {
        environment_id: platform.seed['environment_id'],
        name: 'new-one',
        git_repository: { url: 'https://git.acme.example/shop/new-one.git', branch: 'main' },
      });
    expect((await told(args)).text).not.toContain('deployments too');
  });

  test('are told of where the platform does not say since when it has events, but shows all of them', async () => {
    const first = '2026-01-02T03:04:05.000Z';
    expect((await behind({ alter: withOneEvent }, { service: 'shop/staging/checkout-api' })).text).toContain(
      'deployments too',
    );
    const early: RecordingProxyOptions['alter'] = (_, path, body) =>
      path.endsWith('/events')
        ? {
            ...(withOneEvent('GET', path, body, '') as object),
            events: [{ ...(body as { events: object[] }).events[0], timestamp: first.replace('2026', '2020') }],
          }
        : body;
    expect((await behind({ alter: early }, { service: 'shop/staging/checkout-api' })).text).not.toContain(
      'deployments too',
    );
  });
});

describe('where no event fits', () => {
  const proposed = /Next: list_deployments \{[^}]*\} \(deployments from before the record of events/;

  test('from before the record begins, that is said first, and where deployments of then may be', async () => {
    const since = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const { text, results, kept_since: begin } = await told({ who: 'nobody of this name', since });
    expect(results).toEqual([]);
    expect(text).toMatch(/^<platform-data>\nThe record of events begins at /);
    expect(text).toContain(begin);
    expect(text).toMatch(proposed);
    expect(text).toContain(`"since":"${since}"`);
    expect((await told({ who: 'nobody of this name', since, kind: 'variable' })).text).not.toMatch(proposed);
  });

  test('since the record began, nothing of before is said', async () => {
    const { text } = await told({ who: 'nobody of this name', since: 'PT0S' });
    expect(text).not.toContain('The record of events begins');
    expect(text).not.toMatch(proposed);
  });

  test('a search that finds some says where deployments of before may be, if it goes back further', async () => {
    expect((await told({ kind: 'deploy', since: 'P3D' })).text).toMatch(proposed);
    expect((await told({ kind: 'deploy', since: 'PT0S' })).text).not.toMatch(proposed);
  });

  test('of a platform that does not tell how far back its events go, that is not known', async () => {
    const { text } = await behind(
      { alter: (_, path, body) => (path.endsWith('/events') ? { events: [], links: {} } : body) },
      { since: 'P1D' },
    );
    expect(text).toContain('No event was found. How far back this platform has events is not known.');
  });
});
