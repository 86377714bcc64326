import { beforeEach, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { proxiedForEach } from '../support/connected-platform.ts';
import { connectorsTo } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient, type User } from '../support/mcp-clients.ts';
import type { RecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let user: User;
let client: TestClient;
/** Changes the answers of the platform. */
let alter: (path: string, body: unknown) => unknown;

beforeEach(() => {
  alter = (_, body) => body;
});
const { restart } = proxiedForEach(
  { alter: (method, path, body) => (method === 'GET' ? alter(path, body) : body) },
  (proxied) => ({ platform, proxy, user, client } = proxied),
);

const application = 'shop/staging/checkout-api';
const application_id = seedId(`service/${application}`);
const container_id = seedId('service/shop/staging/search');

const commits = async (): Promise<string[]> =>
  rowsOf(await platform.must('list_application_commits', { application_id })).map((row) =>
    String(row['git_commit_id']),
  );
const latestCommit = async (): Promise<unknown> => {
  const [{ details }] = rowsOf(await platform.must('list_application_deployments', { application_id })) as [
    { details: { commit?: Json } },
  ];
  return details.commit?.['git_commit_id'];
};

/** Commits of every branch: no others are listed. */
const onlyCommit = 'fedcba9876543210fedcba9876543210fedcba98';
const withOneCommit = (path: string, body: unknown): unknown =>
  path.endsWith('/commit') ? { results: [{ git_commit_id: onlyCommit, created_at: '2026-01-01T00:00:00Z' }] } : body;

describe('several services at versions', () => {
  test('are judged by their own ends, not by a neighbour that failed before', async () => {
    const billing = await startTestPlatform({ scenarios: ['flaky-migration-job'] });
    const own = connectorsTo(billing.url, billing.token);
    const caller = await own.modern(userAnswering(agree));
    const good = await caller.call('deploy_service', {
      services: [
        { service: 'billing/staging/billing-api', version: '5.2.0' },
        { service: 'billing/staging/billing-db' },
      ],
      wait: true,
    });
    expect(good.structuredContent).toMatchObject({
      outcome: 'succeeded',
      subject: 'billing/staging',
      ended: ['billing-api: succeeded', 'billing-db: succeeded'],
    });
    expect(textOf(good)).not.toMatch(/billing-migrate|_ERROR/);
    const bad = await caller.call('deploy_service', {
      services: [
        { service: 'billing/staging/billing-db' },
        { service: 'billing/staging/billing-api', version: '5.3.0' },
      ],
      wait: true,
    });
    expect(bad.structuredContent).toMatchObject({
      outcome: 'failed',
      subject: 'billing/staging/billing-api',
      ended: ['billing-db: succeeded', 'billing-api: failed'],
    });
    await own.close();
    await billing.close();
  });

  test('are deployed by one request, whatever their kinds, in the one deployment that is answered', async () => {
    const [, older] = await commits();
    const result = await client.call('deploy_service', {
      environment: 'shop/staging',
      services: [
        { service: 'checkout-api', version: older!.slice(0, 7) },
        { service: 'shop/staging/search', version: '9.9.9' },
        { service: seedId('service/shop/staging/orders-db') },
      ],
      wait: true,
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(proxy.writes()).toEqual([expect.stringMatching(/^POST .*\/service\/deploy$/)]);
    expect(await latestCommit()).toBe(older);
    expect(await platform.must('get_container', { container_id })).toMatchObject({ tag: '9.9.9' });
    const ends = await Promise.all([
      platform.must('get_application_status', { application_id }),
      platform.must('get_container_status', { container_id }),
      platform.must('get_database_status', { database_id: seedId('service/shop/staging/orders-db') }),
    ]);
    expect(new Set(ends.map((status) => status['deployment_request_id'])).size).toBe(1);
    expect(result.structuredContent).toMatchObject({
      outcome: 'succeeded',
      subject: 'shop/staging',
      deploys: expect.arrayContaining([
        expect.stringContaining(`→ commit ${older!.slice(0, 7)} ("`),
        'search: tag 2.4.1 → tag 9.9.9, configured for 1 to 5 instances',
        'orders-db: as it is configured',
      ]) as unknown,
    });
    expect(textOf(result)).toContain('search: tag 2.4.1 → tag 9.9.9');
    // In staging a deploy is a write, as that of a single service.
    expect(user.questions).toEqual([]);
  });

  test('take the version that their kind has: an image, a chart or a commit', async () => {
    const [job_id, helm_id, terraform_id] = ['job_id', 'helm_id', 'terraform_id'].map((name) => platform.seed[name]!);
    const [newest] = rowsOf(await platform.must('list_terraform_commits', { terraform_id }));
    const { source: job } = (await platform.must('get_job', { job_id })) as { source: { image?: Json } };
    const { source: helm } = (await platform.must('get_helm', { helm_id })) as { source: { repository?: Json } };
    const result = await client.call('deploy_service', {
      services: [
        { service: job_id, version: job.image ? '7.7.7' : 'abcdef0' },
        { service: helm_id, version: helm.repository ? '8.8.8' : 'abcdef0' },
        { service: terraform_id },
      ],
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    // What Terraform plans and applies is asked about, wherever it is.
    expect(user.questions).toHaveLength(1);
    expect(user.questions[0]!.message).toContain(String(newest!['git_commit_id']));
    expect(user.questions[0]!.message).toContain('Terraform plans and applies');
    expect(user.questions[0]!.message).toMatch(/also ran it once/);
    if (job.image)
      expect(await platform.must('get_job', { job_id })).toMatchObject({
        source: { image: { ...job.image, tag: '7.7.7' } },
      });
    if (helm.repository)
      expect(await platform.must('get_helm', { helm_id })).toMatchObject({
        source: { repository: { ...helm.repository, chart_version: '8.8.8' } },
      });
  });

  test('without a version are deployed at the newest commit, which the plan names', async () => {
    const [newest] = await commits();
    const { structuredContent } = await client.call('deploy_service', {
      services: [{ service: application }],
      dry_run: true,
    });
    const plan = (structuredContent as { dry_run: { summary: string; effects: string[]; requests: { body: Json }[] } })
      .dry_run;
    expect(plan.requests).toMatchObject([{ body: { applications: [{ application_id, git_commit_id: newest }] } }]);
    expect(plan.summary).toMatch(/^Deploy selected services .*: each at the version that is given for it/);
    expect(plan.effects.join('\n')).toMatch(new RegExp(`→ commit ${newest} \\("[^"]+"\\), the newest of branch main`));
    expect(proxy.writes()).toEqual([]);
  });

  test.each<[string, readonly (string | null)[]]>([
    [
      'by their times, whatever their offsets',
      ['2026-11-20T10:30:00+02:00', '2026-11-20T09:45:00Z', '2026-11-20T10:00:00+01:00'],
    ],
    ['as the platform orders them where one has no date', ['2026-11-20T10:30:00Z', '2026-11-20T11:45:00Z', null]],
  ])('without a version are deployed at the newest commit: %s', async (_, times) => {
    const ids = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
    const newest = times.includes(null) ? ids[0] : ids[1];
    alter = (path, body) =>
      path.endsWith('/commit')
        ? { results: times.map((created_at, index) => ({ git_commit_id: ids[index], message: 'x', created_at })) }
        : body;
    const { structuredContent } = await client.call('deploy_service', {
      services: [{ service: application }],
      dry_run: true,
    });
    expect((structuredContent as { dry_run: Json }).dry_run).toMatchObject({
      requests: [{ body: { applications: [{ application_id, git_commit_id: newest }] } }],
    });
  });

  test('stay at the commit that runs where the platform lists none, and the plan says that the newest is not known', async () => {
    const deployed = ((await platform.must('get_application', { application_id }))['git_repository'] as Json)[
      'deployed_commit_id'
    ];
    alter = (path, body) => (path.endsWith('/commit') ? { results: [] } : body);
    const { structuredContent } = await client.call('deploy_service', {
      services: [{ service: application }],
      dry_run: true,
    });
    const plan = (structuredContent as { dry_run: { effects: string[]; requests: { body: Json }[] } }).dry_run;
    expect(plan.requests).toMatchObject([{ body: { applications: [{ application_id }] } }]);
    expect(plan.effects.join('\n')).toContain(
      `commit ${String(deployed)} again: which is the newest could not be read`,
    );
  });

  test('are asked about in production, with what each is deployed at', async () => {
    const result = await client.call('deploy_service', {
      services: [{ service: 'shop/production/checkout-api' }, { service: 'shop/production/search', version: '9.9.9' }],
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(user.questions).toHaveLength(1);
    expect(user.questions[0]!.message).toContain(
      'Deploys container search in shop/production (PRODUCTION), now DEPLOYED: tag 2.4.0 → tag 9.9.9.',
    );
  });

  test('take a commit that the platform lists for no branch, and plan and answer say so', async () => {
    alter = withOneCommit;
    const version = 'abcdef0123456789abcdef0123456789abcdef01';
    const says =
      'commit abcdef0123456789abcdef0123456789abcdef01, which is not among the 1 newest of branch main that are listed';
    const planned = await client.call('deploy_service', {
      services: [{ service: application, version }],
      dry_run: true,
    });
    expect(textOf(planned)).toContain(says);
    const result = await client.call('deploy_service', { services: [{ service: application, version }], wait: true });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(textOf(result)).toContain(says.replace(version, 'abcdef0'));
    expect(await latestCommit()).toBe(version);
  });
});

describe('nothing is deployed, and what is wrong is named, where', () => {
  const right = { service: 'shop/staging/search', version: '9.9.9' };

  test.each<[string, Json, RegExp]>([
    ['a service is unknown', { services: [right, { service: 'shop/staging/nobody' }] }, /nobody/],
    [
      'a commit is none',
      { services: [right, { service: application, version: 'v1.2' }] },
      /"v1.2" is none: a commit has 7 to 40/,
    ],
    [
      'two things are wrong',
      {
        services: [
          { service: 'shop/staging/orders-db', version: '17' },
          { service: application, version: 'v1.2' },
        ],
      },
      /has no version to be deployed at.*; .*"v1.2" is none/,
    ],
    [
      'a database gets a version',
      { services: [right, { service: 'shop/staging/orders-db', version: '17' }] },
      /database .* has no version to be deployed at/,
    ],
    ['one is given twice', { services: [right, { service: container_id }] }, /is given twice/],
    [
      'one lies in another environment',
      { services: [right, { service: 'shop/production/search', version: '1' }] },
      /lies in another environment/,
    ],
    [
      'one lies outside the environment that is given',
      { environment: 'shop/staging', services: [right, { service: seedId('service/shop/production/search') }] },
      /lies in another environment/,
    ],
    ['none is given', { services: [] }, /names none/],
    ['a member is unknown', { services: [{ ...right, tag: '1' }] }, /"services\[0\].tag" is not known/],
    ['one is given beside them', { service: application, services: [right] }, /"service" goes without "services"/],
  ])('%s', async (_, args, says) => {
    alter = withOneCommit;
    const before = platform.dump();
    const result = await client.call('deploy_service', args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(says);
    expect(proxy.writes()).toEqual([]);
    expect(user.questions).toEqual([]);
    expect(platform.dump()['service']).toEqual(before['service']);
  });
});

const environment_id = (): unknown => platform.seed['environment_id'];

describe('the platform takes a request as a whole', () => {
  test.each<[string, () => Json, RegExp]>([
    [
      'a job made from an image gets a commit',
      () => ({
        containers: [{ id: container_id, image_tag: '9.9.9' }],
        jobs: [{ id: platform.seed['job_id'], git_commit_id: 'abcdef0' }],
      }),
      /^jobs.git_commit_id: job .* isn't built from a commit/,
    ],
    [
      'a chart gets a commit',
      () => ({
        containers: [{ id: container_id, image_tag: '9.9.9' }],
        helms: [{ id: platform.seed['helm_id'], git_commit_id: 'abcdef0' }],
      }),
      /^helms.git_commit_id: helm .* isn't built from a commit/,
    ],
    [
      'a service is of another environment',
      () => ({
        containers: [
          { id: container_id, image_tag: '9.9.9' },
          { id: seedId('service/shop/production/search'), image_tag: '9.9.9' },
        ],
      }),
      /^containers: no container of the environment/,
    ],
    [
      'one is named twice',
      () => ({ containers: [{ id: container_id, image_tag: '9.9.9' }, { id: container_id }] }),
      /named twice/,
    ],
  ])('and refuses it where %s', async (_, lists, says) => {
    const { status, body } = await platform.call('deploy_services', { environment_id: environment_id(), ...lists() });
    expect([status, body['message']]).toEqual([400, expect.stringMatching(says)]);
    expect(await platform.must('get_container', { container_id })).toMatchObject({ tag: '2.4.1' });
  });

  test('keeps the versions over a restart, and tells the deploy as an event', async () => {
    await platform.must('deploy_services', {
      environment_id: environment_id(),
      containers: [{ id: container_id, image_tag: '9.9.9' }],
    });
    const { events } = (await platform.must('list_events', {
      organization_id: (await platform.must('get_organization', {}))['id'],
    })) as { events: Json[] };
    // The end of the deployment may have its event already.
    expect(events.find(({ event_type: type }) => type === 'TRIGGER_DEPLOY')).toMatchObject({
      target_type: 'ENVIRONMENT',
      environment_name: 'staging',
    });
    await restart();
    expect(await platform.must('get_container', { container_id })).toMatchObject({ tag: '9.9.9' });
  });
});

describe('a deploy that is not waited for tells', () => {
  const sentFor = async (tool: string, args: Json): Promise<{ answer: Json; text: string; readsAfter: string[] }> => {
    const result = await client.call(tool, args);
    expect(result.isError, textOf(result)).toBeFalsy();
    const at = proxy.requests.findIndex((line) => !line.startsWith('GET'));
    return { answer: result.structuredContent as Json, text: textOf(result), readsAfter: proxy.requests.slice(at + 1) };
  };

  const reached = expect.arrayContaining([expect.stringMatching(/^https:.*\.apps\.invalid$/)]) as unknown;

  test.each<[string, Json, Json]>([
    [
      'deploy_application',
      { application_id: application },
      {
        deploys: expect.stringMatching(/^commit [0-9a-f]{7} → the newest commit of branch main$/) as unknown,
        instances: '1',
        public_addresses: reached,
      },
    ],
    [
      'deploy_application',
      { application_id: application, git_commit_id: 'abcdef0123456789abcdef0123456789abcdef01' },
      { deploys: expect.stringMatching(/ → commit abcdef0$/) as unknown },
    ],
    [
      'deploy_service',
      { service: 'shop/staging/search' },
      { deploys: 'image acme/search:2.4.1', instances: '1 to 5, as configured', public_addresses: reached },
    ],
    [
      'deploy_database',
      { database_id: 'shop/staging/orders-db' },
      { deploys: expect.stringMatching(/^POSTGRESQL /) as unknown },
    ],
    [
      'redeploy_terraform',
      { terraform_id: 'shop/staging/assets-bucket' },
      { deploys: expect.stringMatching(/newest commit of branch/) as unknown },
    ],
    [
      'deploy_service',
      { environment: 'shop/staging' },
      {
        deploys: expect.arrayContaining([
          'search: image acme/search:2.4.1, configured for 1 to 5 instances',
        ]) as unknown,
        public_addresses: reached,
      },
    ],
  ])('%s %j: the version, the instances and the addresses, for no read but of addresses', async (tool, args, tells) => {
    const { answer, text, readsAfter } = await sentFor(tool, args);
    expect(answer).toMatchObject(tells);
    expect(readsAfter.filter((line) => !/\/(?:link|customDomain|checkCustomDomain)$/.test(line))).toEqual([]);
    expect(text).toContain('deploys: ');
  });

  test.each([
    ['redeploy_terraform', 'terraform'],
    ['deploy_service', 'service'],
    ['wait_for_deployment', 'service'],
  ])('%s: the commit that Terraform applied, once it has ended', async (tool, member) => {
    const service = 'shop/staging/assets-bucket';
    if (tool === 'wait_for_deployment') await sentFor('deploy_service', { service });
    const result = await client.call(tool, {
      [member]: service,
      ...(tool === 'wait_for_deployment' ? {} : { wait: true }),
    });
    const { terraform_files_source: source } = (await platform.must('get_terraform', {
      terraform_id: platform.seed['terraform_id'],
    })) as { terraform_files_source: { git: { git_repository: Json } } };
    const commit = `${String(source.git.git_repository['deployed_commit_id']).slice(0, 7)} of branch main`;
    expect(result.structuredContent).toMatchObject({ outcome: 'succeeded', commit });
    expect(textOf(result)).toContain(`Commit: ${commit}`);
  });

  test('the commit that a finished deployment replaced', async () => {
    const [running, next] = ['a', 'b'].map((letter) => letter.repeat(40)) as [string, string];
    await platform.must('deploy_application', { application_id, git_commit_id: running });
    await expect
      .poll(async () => (await platform.must('get_application_status', { application_id }))['state'], { interval: 10 })
      .toBe('RUNNING');
    const deployed = await client.call('deploy_application', { application, git_commit_id: next, wait: true });
    expect(deployed.structuredContent).toMatchObject({ outcome: 'succeeded', replaces: 'commit aaaaaaa' });
    expect(textOf(deployed)).toContain('replaces: commit aaaaaaa');
  });

  test('the version that a rollback goes back to', async () => {
    const [one, other] = ['a', 'b'].map((letter) => letter.repeat(40)) as [string, string];
    for (const git_commit_id of [one, other]) {
      await platform.must('deploy_application', { application_id, git_commit_id });
      await expect
        .poll(async () => (await platform.must('get_application_status', { application_id }))['state'], {
          interval: 10,
        })
        .toBe('RUNNING');
    }
    const { answer } = await sentFor('rollback_application', { application });
    expect(answer).toMatchObject({
      deploys: 'commit bbbbbbb → commit aaaaaaa',
      instances: '1',
      public_addresses: reached,
    });
  });

  test('what it can, where the addresses can not be read', async () => {
    alter = (path, body) => (path.endsWith('/link') ? 'no list' : body);
    const { answer, text } = await sentFor('deploy_service', { service: 'shop/staging/search' });
    expect(answer).toMatchObject({ outcome: 'accepted', deploys: 'image acme/search:2.4.1' });
    expect(answer['public_addresses'] ?? []).not.toContainEqual(expect.stringContaining('.apps.invalid'));
    expect(text).toContain('Not read: get_container_links, because');
  });
});
