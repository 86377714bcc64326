import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);
const unaltered = (_: string, body: Json): Json => body;
/** Alters what is read of one service. */
let alter: (path: string, body: Json) => Json = unaltered;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) => (method === 'GET' ? alter(path, body as Json) : body),
  });
  connectors = connectorsTo(proxy.url, platform.token);
  client = await connectors.modern(user);
});
afterEach(() => {
  alter = unaltered;
  user.questions.splice(0);
});
afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const raw = async (path: string): Promise<Json> =>
  (await (
    await fetch(`${platform.url}${path}`, { headers: { authorization: `Token ${platform.token}` } })
  ).json()) as Json;
const container = (): Json => ({ container_id: platform.seed['container_id'] });
const stored = () => raw(`/container/${platform.seed['container_id']}`);
const portsOf = async () => (await stored())['ports'] as Json[];
/** The seeded container has a scaler with credentials; most have none. */
const withoutScaler = (path: string, body: Json): Json =>
  /^\/container\/[^/]+$/.test(path)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'autoscaling'))
    : body;

async function change(tool: string, args: Json): Promise<Json> {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as Json;
}

/** How the last question was to be answered. */
const howAsked = (): string => ('name' in user.questions.at(-1)!.requestedSchema.properties ? 'name' : 'yes');

test('the question says what is changed before it says that the platform replaces, and the description that somebody is asked', async () => {
  await change('update_container', { ...container(), memory: 896, tag: '2.2.0' });
  expect(user.questions.at(-1)!.message).toMatch(
    /\nChange (?:memory, tag|tag, memory); the rest is sent back as it is\. The platform's request for that: replace a container's whole configuration\.\n/,
  );
  expect(user.questions.at(-1)!.message).not.toContain('\nReplace a container');
});

describe('the items of a list', () => {
  test('are merged by name: a partial port keeps its public address, and the answer tells what changed', async () => {
    await change('update_container', {
      ...container(),
      ports: [
        {
          name: 'web',
          internal_port: 8080,
          external_port: 8443,
          publicly_accessible: true,
          protocol: 'HTTP',
          public_path: '/shop',
        },
      ],
    });
    const before = await portsOf();
    const { changes } = await change('update_container', {
      ...container(),
      ports: [{ name: 'web', internal_port: 8081 }],
    });
    expect(changes).toEqual(['ports[web].internal_port: 8080 → 8081']);
    expect(user.questions.at(-1)!.message).toContain('ports[web].internal_port: 8080 → 8081');
    expect(await portsOf()).toEqual(
      before.map((port) => (port['name'] === 'web' ? { ...port, internal_port: 8081 } : port)),
    );
  });

  test('are removed where that is said, and by null all of them', async () => {
    await change('update_container', {
      ...container(),
      storage: [{ mount_point: '/cache', size: 10, type: 'FAST_SSD' }],
    });
    const { changes } = await change('update_container', {
      ...container(),
      storage: [{ mount_point: '/cache', remove: true }],
    });
    expect(changes).toEqual([expect.stringMatching(/^storage: removes .*"\/cache"/)]);
    expect((await stored())['storage']).toEqual([expect.objectContaining({ mount_point: '/data', size: 20 })]);
    await change('update_container', { ...container(), ports: null });
    expect(await portsOf()).toEqual([]);
  });

  test('that say other words than the contract knows do not keep their neighbours from being changed', async () => {
    const odd = {
      id: platform.seed['container_id'],
      name: 'odd',
      internal_port: 7000,
      protocol: 'QUIC',
      publicly_accessible: false,
    };
    alter = (path, body) =>
      /^\/container\/[^/]+$/.test(path)
        ? {
            ...body,
            ports: [odd, { id: platform.seed['helm_id'], name: 'web', internal_port: 80, publicly_accessible: true }],
          }
        : body;
    const plan = textOf(
      await client.call('update_container', {
        ...container(),
        ports: [{ name: 'web', internal_port: 81 }],
        dry_run: true,
      }),
    );
    expect(plan).toContain('ports[web].internal_port: 80 → 81');
    expect(plan).toContain('"protocol":"QUIC"');
  });

  test('that are not there are told before anybody is asked', async () => {
    const result = await client.call('update_container', {
      ...container(),
      ports: [{ name: 'nowhere', remove: true }],
    });
    expect(textOf(result)).toContain('item nowhere: there is no such item now');
    expect(user.questions).toEqual([]);
  });
});

describe('somebody', () => {
  test('says yes to a new tag on staging, and types its path on production', async () => {
    await change('update_container', { ...container(), tag: '2.5.0' });
    expect(howAsked()).toBe('yes');
    await change('update_container', { container_id: 'shop/production/search', tag: '2.5.0' });
    expect(howAsked()).toBe('name');
  });

  test.each<[string, (body: Json) => Json, Json]>([
    ['a member can not be sent back', (body) => ({ ...body, sidecar: { pull_password: '[hidden]' } }), { cpu: 320 }],
    [
      'a member is shown only in part',
      (body) => ({ ...body, entrypoint: 'serve --token hunter2-hunter2' }),
      { entrypoint: 'serve' },
    ],
    [
      'a secret is not shown, and may be lost',
      (body) =>
        JSON.parse(JSON.stringify(body, (name, member: unknown) => (name === 'config_yaml' ? null : member))) as Json,
      { cpu: 321 },
    ],
    [
      'a secret is replaced',
      (body) => body,
      {
        autoscaling: {
          scalers: [{ scaler_type: 'kafka', trigger_authentication: { config_yaml: 'password: other-one-2' } }],
        },
      },
    ],
  ])('types the path on staging where %s', async (_, altered, args) => {
    alter = (path, body) => (/^\/container\/[^/]+$/.test(path) ? altered(body) : body);
    const refuses = userAnswering(() => ({ action: 'decline' }));
    const result = await (await connectors.modern(refuses)).call('update_container', { ...container(), ...args });
    expect(refuses.questions, textOf(result)).toHaveLength(1);
    expect(Object.keys(refuses.questions[0]!.requestedSchema.properties)).toEqual(['name']);
    expect(refuses.questions[0]!.message).toContain('(destructive)');
  });

  test('is told of scaling, of the one member that changes', async () => {
    alter = withoutScaler;
    const { changes } = await change('update_container', { ...container(), max_running_instances: 6 });
    expect(changes).toEqual(['max_running_instances: 5 → 6']);
  });
});

test('what is hidden is told to have changed, and no more', async () => {
  await change('update_container', { ...container(), entrypoint: 'serve --token first-token-1' });
  const result = await client.call('update_container', { ...container(), entrypoint: 'serve --token second-token-2' });
  expect((result.structuredContent as Json)['changes']).toEqual([
    'entrypoint: serve --token [hidden] → serve --token [hidden]',
  ]);
  expect(textOf(result)).not.toMatch(/first-token|second-token/);
});

/** The services of the seed's staging by the names of the tools that change them, with what is changed and told. */
const others: readonly (readonly [tool: string, id: string, change: Json, told: string[]])[] = [
  [
    'update_application',
    'application_id',
    { memory: 1536, git_repository: { branch: 'next' } },
    ['git_repository.branch: main → next', 'memory: 512 → 1536'],
  ],
  [
    'update_application',
    'application_id',
    { healthchecks: { readiness_probe: { type: { tcp: { port: 8080 } } } } },
    [
      expect.stringMatching(/^healthchecks\.readiness_probe\.type\.http: .* → removed$/) as string,
      expect.stringMatching(/^healthchecks\.readiness_probe\.type\.tcp: /) as string,
    ],
  ],
  [
    'update_database',
    'database_id',
    { version: '17', accessibility: 'PUBLIC' },
    ['accessibility: PRIVATE → PUBLIC', 'version: 16 → 17'],
  ],
  [
    'update_job',
    'job_id',
    { source: { image: { tag: '3.3.0' } }, schedule: { cronjob: { timezone: 'Europe/Paris' } } },
    ['schedule.cronjob.timezone: Etc/UTC → Europe/Paris', 'source.image.tag: 3.2.0 → 3.3.0'],
  ],
  [
    'update_job',
    'job_id',
    { schedule: { on_stop: { arguments: ['down'] } } },
    [
      expect.stringMatching(/^schedule\.cronjob: .* → removed$/) as string,
      expect.stringMatching(/^schedule\.on_stop: .*"down"/) as string,
    ],
  ],
  [
    'update_helm',
    'helm_id',
    { values_override: { file: { raw: { values: [{ name: 'more.yaml', content: 'a: 1' }] } } } },
    [expect.stringMatching(/^values_override\.file\.raw\.values: adds .*more\.yaml/) as string],
  ],
];

const deployedStatus = async (kind: string, id: string) =>
  (await raw(`/${kind}/${platform.seed[id]}/status`))['service_deployment_status'];

describe('every kind of service', () => {
  test.each(others)(
    '%s %s with %j asks for a yes, changes that and nothing else, once, and is out of date',
    async (tool, id, change_, told) => {
      const kind = id.replace(/_id$/, '');
      const before = await raw(`/${kind}/${platform.seed[id]}`);
      const { changes } = await change(tool, { [id]: platform.seed[id], ...change_ });
      expect((changes as string[]).toSorted()).toEqual(told);
      expect(howAsked()).toBe('yes');
      const after = await raw(`/${kind}/${platform.seed[id]}`);
      const own = ['updated_at', ...(tool === 'update_job' ? ['job_type'] : []), ...Object.keys(change_)];
      expect(Object.fromEntries(Object.entries(after).filter(([name]) => !own.includes(name)))).toEqual(
        Object.fromEntries(Object.entries(before).filter(([name]) => !own.includes(name))),
      );
      expect(await deployedStatus(kind, id)).toBe('OUT_OF_DATE');
      const [writes, asked] = [proxy.writes().length, user.questions.length];
      expect(textOf(await client.call(tool, { [id]: platform.seed[id], ...change_ }))).toMatch(/^There is nothing/);
      expect([proxy.writes().length, user.questions.length]).toEqual([writes, asked]);
    },
  );
});

const next = async (tool: string, id: string): Promise<string> =>
  textOf(await client.call(tool, { [id]: platform.seed[id], memory: 1024 }));

test('what is proposed next is the commit that runs, or the newest one of an application, which is said', async () => {
  const { git_repository: repository } = await raw(`/application/${platform.seed['application_id']}`);
  const told = await next('update_application', 'application_id');
  expect(told).toMatch(/Next: deploy_application .*\(what differs takes effect, and the code stays as it is\)/);
  expect(told).toContain(`"commit":"${(repository as Json)['deployed_commit_id'] as string}"`);
  expect(told).toMatch(
    /deploy_service .*\(what differs takes effect with the next deployment, which takes the newest commit\)/,
  );
  const git_repository = { branch: 'release' };
  const onBranch = await client.call('update_application', {
    application: told.match(/"application":"([^"]+)"/)![1],
    git_repository,
  });
  expect(textOf(onBranch)).toMatch(/Next: deploy_service /);
  expect(textOf(onBranch)).not.toContain('Next: deploy_application');
  expect(await next('update_container', 'container_id')).toMatch(
    /Next: deploy_service .*\(what differs takes effect with the next deployment\)/,
  );
});

describe('what is made', () => {
  test('a container from an image, with a port that is not public', async () => {
    const { id } = await change('create_container', {
      environment_id: 'data/development',
      registry_id: platform.seed['registry_id'],
      name: 'web',
      image_name: 'library/nginx',
      tag: '1.27',
      ports: [{ internal_port: 80 }],
    });
    expect(await raw(`/container/${String(id)}`)).toMatchObject({
      tag: '1.27',
      ports: [{ internal_port: 80, publicly_accessible: false }],
      healthchecks: {},
    });
    expect(user.questions).toEqual([]);
  });

  test('jobs by the clock and at events, and each becomes the other kind', async () => {
    const image = { image_name: 'library/report', tag: '1.0', registry_id: platform.seed['registry_id'] };
    const { id } = await change('create_job', {
      environment_id: 'shop/staging',
      name: 'report',
      source: { image },
      schedule: { cronjob: { scheduled_at: '*/5 * * * *' } },
    });
    expect(await raw(`/job/${String(id)}`)).toMatchObject({
      job_type: 'CRON',
      source: { image },
      schedule: { cronjob: { scheduled_at: '*/5 * * * *', timezone: 'Etc/UTC' } },
    });
    await change('update_job', { job_id: id, schedule: { on_start: { arguments: ['up'] } } });
    await change('update_job', { job_id: id, schedule: { on_stop: { arguments: ['down'] } } });
    expect(await raw(`/job/${String(id)}`)).toMatchObject({
      job_type: 'LIFECYCLE',
      schedule: { on_start: { arguments: ['up'] }, on_stop: { arguments: ['down'] } },
    });
  });

  test('a job from git runs the commit that it was deployed at', async () => {
    const docker = {
      git_repository: { url: 'https://git.acme.example/shop/migrate.git', branch: 'main' },
      dockerfile_path: 'Dockerfile',
    };
    const { id } = await change('create_job', {
      environment_id: 'data/development',
      name: 'migrate-git',
      source: { docker },
      schedule: { on_start: { arguments: ['up'] } },
    });
    expect((await raw(`/job/${String(id)}`))['source']).toMatchObject({
      docker: { git_repository: { url: docker.git_repository.url, branch: 'main' } },
    });
    await change('deploy_service', { service: `infra://service/job/${String(id)}`, wait: true });
    expect((await raw(`/job/${String(id)}`))['source']).toMatchObject({
      docker: { git_repository: { deployed_commit_id: expect.stringMatching(/^[0-9a-f]{40}$/) as string } },
    });
    await change('update_job', { job_id: id, source: { image: { image_name: 'library/migrate', tag: '1.0' } } });
    expect((await raw(`/job/${String(id)}`))['source']).toEqual({
      image: { image_name: 'library/migrate', tag: '1.0' },
    });
  });
});
