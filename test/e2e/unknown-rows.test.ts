import { afterEach, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

const opened: { close: () => unknown }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

type AlterAnswer = (path: string, body: Json) => unknown;

/** A client of a server whose platform's answers to reads are altered so. */
async function clientWith(
  alter: AlterAnswer,
  beforeRequest?: RecordingProxyOptions['beforeRequest'],
): Promise<{ client: TestClient; platform: TestPlatform; proxy: RecordingProxy }> {
  const platform = await startTestPlatform();
  const proxy = await startRecordingProxy(platform.url, {
    ...(beforeRequest && { beforeRequest }),
    alter: (method, path, body) => (method === 'GET' ? alter(path, body as Json) : body),
  });
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(platform, proxy, connectors);
  return { client: await connectors.modern(userAnswering(agree)), platform, proxy };
}

const rowsIn = (body: Json): Json[] => body['results'] as Json[];

const withoutGhostIds: AlterAnswer = (path, body) =>
  path.endsWith('/alert-rules')
    ? {
        ...body,
        results: rowsIn(body).map((row) => (row['source'] === 'GHOST' ? { ...row, id: undefined, target: null } : row)),
      }
    : body;

test('an alert rule without an id is shown, and refused for change with the reason', async () => {
  const { client, proxy } = await clientWith(withoutGhostIds);
  const listed = await client.call('list_alert_rules');
  expect(listed.isError, textOf(listed)).toBeFalsy();
  expect(textOf(listed)).toContain('old-latency');
  expect(textOf(listed)).not.toContain('passed over');
  const refused = textOf(await client.call('update_alert_rule', { alert_rule_id: 'old-latency', enabled: false }));
  expect(refused).toContain('lists one of that name without an id');
  expect(proxy.writes()).toEqual([]);
});

test('the other alert rules can be changed beside one without an id', async () => {
  const { client } = await clientWith(withoutGhostIds);
  const name = (
    textOf(await client.call('list_alert_rules'))
      .split('\n')
      .find((line) => line.includes('MANAGED')) ?? ''
  ).split(' | ')[0]!;
  const changed = await client.call('update_alert_rule', {
    alert_rule_id: name,
    description: 'Changed beside a ghost',
  });
  expect(changed.isError, textOf(changed)).toBeFalsy();
});

test('an alert rule of the monitoring system alone is refused for change before anybody is asked', async () => {
  const { client, platform, proxy } = await clientWith((_, body) => body);
  const ghost = rowsIn(await platform.must('list_alert_rules', { organization_id: platform.organizationId })).find(
    (row) => row['source'] === 'GHOST',
  )!;
  expect(textOf(await client.call('update_alert_rule', { alert_rule_id: ghost['id'], enabled: true }))).toContain(
    'exists in the monitoring system only',
  );
  expect(proxy.writes()).toEqual([]);
});

const agentId = '9d3c1e0b-5f0a-4c3e-9d55-0a6c1b2f3d4e';
/** Beside the services of the seed, one of a kind that only this platform has. */
const withOtherKind: AlterAnswer = (path, body) => {
  if (/^\/environment\/[^/]+\/services$/.test(path))
    return { results: [...rowsIn(body), { id: agentId, name: 'triage', service_type: 'AGENTIC_WORKFLOW' }] };
  return /^\/environment\/[^/]+\/statuses$/.test(path)
    ? { ...body, agentic_workflows: [{ id: agentId, state: 'DEPLOYMENT_ERROR' }] }
    : body;
};

test.each([
  ['list_services', { environment_id: 'shop/staging' }, /triage.*agentic_workflow/],
  ['get_environment_overview', { environment: 'shop/staging' }, /triage.*agentic_workflow.*failed.*DEPLOYMENT_ERROR/],
  [
    'get_environment_status',
    { environment_id: 'shop/staging' },
    new RegExp(`agentic_workflow.*DEPLOYMENT_ERROR.*${agentId}`),
  ],
])('%s shows a service of an unknown kind, and says that no tool acts on it', async (tool, args, shows) => {
  const { client } = await clientWith(withOtherKind);
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(textOf(result)).toMatch(shows);
  expect(textOf(result)).toMatch(/No tool acts on services of this kind, they are only shown: agentic_workflow/i);
  expect(JSON.stringify(result._meta ?? {})).not.toContain(agentId);
});

test('find_resource finds a service of an unknown kind by its state', async () => {
  const { client } = await clientWith(withOtherKind);
  expect(textOf(await client.call('find_resource', { name: 'triage', state: 'ERROR' }))).toMatch(
    /shop\/staging\/triage \| agentic_workflow \|.*DEPLOYMENT_ERROR/,
  );
});

test.each([
  [
    'stop_environment',
    { environment_id: 'shop/staging' },
    /triage \(AGENTIC_WORKFLOW\), now DEPLOYMENT_ERROR\. No tool acts on services of this kind, and whether the platform does is not known\./,
  ],
  [
    'deploy_service',
    { environment: 'shop/staging' },
    /triage \(agentic_workflow\): no tool acts on services of this kind; whether it is deployed, and what that does, is not known\./,
  ],
  [
    'restart_services',
    { environment_id: 'shop/staging', application_ids: ['shop/staging/checkout-api'] },
    /Not among them: triage \(AGENTIC_WORKFLOW\), now DEPLOYMENT_ERROR\. No tool acts on services of this kind\./,
  ],
])('the plan of %s names the service that no tool acts on', async (tool, args, says) => {
  const { client } = await clientWith(withOtherKind);
  const plan = textOf(await client.call(tool, { ...args, dry_run: true }));
  expect(plan).toMatch(says);
  expect(plan).not.toMatch(/(Takes down|Restarts) triage/);
});

test('the plan of a stop names a service that is only among the statuses', async () => {
  const { client } = await clientWith((path, body) => (path.endsWith('/services') ? body : withOtherKind(path, body)));
  expect(textOf(await client.call('stop_environment', { environment_id: 'shop/staging', dry_run: true }))).toMatch(
    new RegExp(`${agentId} \\(AGENTIC_WORKFLOW\\), now DEPLOYMENT_ERROR\\. No tool acts`),
  );
});

test.each([
  ['stop_environment', { environment_id: 'shop/staging', wait: true }],
  ['deploy_service', { environment: 'shop/staging', wait: true }],
  ['wait_for_deployment', { environment: 'shop/staging', seconds: 10 }],
])('the outcome of %s is not taken for that of a service that no tool acts on', async (tool, args) => {
  const { client } = await clientWith(withOtherKind);
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(result.structuredContent).toMatchObject({ not_acted_on: ['triage (agentic_workflow), now DEPLOYMENT_ERROR'] });
  expect(textOf(result)).toContain(
    'No tool acts on these services of it, so they may have been passed over: triage (agentic_workflow)',
  );
});

const withStates =
  (stateOf: (state: unknown) => unknown): AlterAnswer =>
  (path, body) => {
    if (!path.endsWith('/statuses')) return body;
    const lists = Object.entries(body).map(([member, value]) => [
      member,
      Array.isArray(value) ? (value as Json[]).map((row) => ({ ...row, state: stateOf(row['state']) })) : value,
    ]);
    return Object.fromEntries(lists) as Json;
  };

test.each<[string, AlterAnswer, string, RegExp]>([
  [
    'whose states are in words of its own',
    withStates((state) => `X_${String(state).length}`),
    'unknown',
    /Not known, .*checkout-api \(application\)/,
  ],
  [
    'whose states can not be read',
    (path, body) => (path.endsWith('/statuses') ? [body] : body),
    'unknown',
    /Not known, .*checkout-api \(application\)/,
  ],
  [
    'where only a service of an unknown kind failed',
    (path, body) => withOtherKind(path, withStates(() => 'DEPLOYED')(path, body) as Json),
    'failed',
    /failed state, .*triage \(agentic_workflow\)\. No other service/,
  ],
])('diagnose_deployment does not say that nothing failed in an environment %s', async (_, alter, outcome, says) => {
  const { client } = await clientWith(alter);
  const result = await client.call('diagnose_deployment', { environment: 'shop/staging' });
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(result.structuredContent).toMatchObject({ outcome });
  expect(textOf(result)).toMatch(says);
});

test('whoever names a service of an unknown kind is told why no tool takes it', async () => {
  const { client } = await clientWith(withOtherKind);
  expect(textOf(await client.call('deploy_service', { service: 'shop/staging/triage' }))).toContain(
    'of a kind AGENTIC_WORKFLOW: no tool here acts on it',
  );
});

test('a change by name is not made where a namesake may stand in a row that can not be read', async () => {
  const { client, proxy } = await clientWith((path, body) =>
    /^\/project\/[^/]+\/environment$/.test(path) ? { results: [...rowsIn(body), { name: 'staging' }] } : body,
  );
  const refused = await client.call('stop_environment', { environment_id: 'shop/staging' });
  expect(failureIn(refused)).toMatchObject({ kind: 'api', why: 'bad_answer' });
  expect(textOf(refused)).toMatch(/"results\[\d\]\.id"/);
  expect(proxy.writes()).toEqual([]);
  const read = await client.call('get_environment_overview', { environment: 'shop/staging' });
  expect(read.isError, textOf(read)).toBeFalsy();
  expect(textOf(read)).toMatch(/list_environments: "results\[\d\]\.id" .*passed over/);
});

test.each([
  ['whole, and no production is on the cluster', [], false],
  ['not to be read in one row, which may be of production', [null], true],
])('a change is judged with a list that is %s', async (_, more, inDoubt) => {
  const { client, platform } = await clientWith((path, body) => {
    if (path.endsWith('/project')) return { results: [...rowsIn(body), ...more] };
    if (/^\/project\/[^/]+\/environment$/.test(path))
      return { results: rowsIn(body).map((row) => ({ ...row, mode: 'STAGING' })) };
    return path.endsWith('/cluster') ? { results: rowsIn(body).map((row) => ({ ...row, production: false })) } : body;
  });
  const plan = textOf(await client.call('upgrade_cluster', { cluster_id: platform.seed['cluster_id'], dry_run: true }));
  expect(plan).toContain('/cluster/');
  expect(/could not be determined|unknown/.test(plan), plan).toBe(inDoubt);
});

test('a service is found although another member of its row can not be read', async () => {
  const { client } = await clientWith((path, body) =>
    path.endsWith('/services') ? { results: rowsIn(body).map((row) => ({ ...row, updated_at: [] })) } : body,
  );
  const found = await client.call('get_service', { service: 'shop/staging/checkout-api' });
  expect(found.isError, textOf(found)).toBeFalsy();
  expect(textOf(found)).toContain('"results[0].updated_at" in the answer is of type array');
});

test('a change is not made from a present state that can be read in parts only', async () => {
  const { client, platform, proxy } = await clientWith((path, body) =>
    /^\/container\/[^/]+$/.test(path) ? { ...body, arguments: {} } : body,
  );
  const refused = textOf(
    await client.call('update_container', { container_id: platform.seed['container_id'], cpu: 300 }),
  );
  expect(refused).toContain('"arguments" in the answer is of type object, not of type array');
  expect(proxy.writes()).toEqual([]);
});

test('a list that holds null in place of rows has none, and says so', async () => {
  const { client } = await clientWith((path, body) => (path.endsWith('/project') ? { results: null } : body));
  const listed = await client.call('list_projects');
  expect(listed.isError).toBeFalsy();
  expect(textOf(listed)).toMatch(/0 projects[^]*"results" in the answer is null, not a list/);
});

test('a list without its rows is no empty list', async () => {
  const { client } = await clientWith((path, body) => (path.endsWith('/project') ? {} : body));
  const listed = await client.call('list_projects');
  expect(failureIn(listed)).toMatchObject({ kind: 'api', why: 'bad_answer' });
  expect(textOf(listed)).toContain('"results"');
});

/** The id of the service whose variables or secrets a request lists. */
const ownerOf = (url: string): string | undefined =>
  (
    /^\/(?:application|container|job)\/(?<id>[^/]+)\/(?:environmentVariable|secret)/.exec(url) ??
    /^\/variable\?scope=(?:APPLICATION|CONTAINER|JOB|HELM|TERRAFORM)&parent_id=(?<id>[^&]+)/.exec(url)
  )?.groups?.['id'];

test.each([
  ['are answered so that they can not be read', 200],
  ['are forbidden', 403],
  ['are gone with their service since it was listed', 404],
])('compare_environments calls no variable missing where those of a service %s', async (_, status) => {
  let refused: string | undefined;
  const { client } = await clientWith(
    (_path, body) => body,
    async (_method, request, response) => {
      // What lists them together with the secrets fails in the same way.
      const id = request.url!.includes('/secret') ? undefined : ownerOf(request.url!);
      if (id === undefined) return;
      refused ??= id;
      if (id === refused) response.writeHead(status, { 'content-type': 'application/json' }).end('{"message":"no"}');
    },
  );
  const result = await client.call('compare_environments', { first: 'shop/staging', second: 'shop/production' });
  expect(result.isError, textOf(result)).toBeFalsy();
  const [, service] =
    /Not compared, because they could not be read: of the variables of shop\/\w+ those of (\S+)\.$/m.exec(
      textOf(result),
    ) ?? [];
  expect(service, textOf(result)).toBeDefined();
  expect(textOf(result)).not.toContain(`missing variable | ${service}`);
});

test('compare_environments requests nothing further after a read that failed', async () => {
  const held: (() => void)[] = [];
  const asked = new Set<string>();
  let first: string | undefined;
  const { client, platform } = await clientWith(
    (_path, body) => body,
    async (_method, request, response) => {
      const id = ownerOf(request.url!);
      if (id === undefined) return;
      first ??= id;
      asked.add(id);
      if (id === first) response.writeHead(400, { 'content-type': 'application/json' }).end('{"message":"no"}');
      else await new Promise<void>((resolve) => held.push(resolve));
    },
  );
  const { id: copy } = await platform.must('clone_environment', {
    environment_id: platform.seed['environment_id'],
    name: 'trial',
  });
  const services = rowsIn(await platform.must('list_services', { environment_id: copy }));
  expect(2 * services.filter(({ service_type: type }) => type !== 'DATABASE').length).toBeGreaterThan(8);
  const result = await client.call('compare_environments', { first: 'shop/staging', second: 'shop/trial' });
  expect(result.isError, textOf(result)).toBe(true);
  // What was under way ends; nothing begins after it.
  for (const release of held) release();
  for (const project of ['shop', 'data']) await client.call('list_environments', { project_id: project });
  expect(asked.size).toBeLessThanOrEqual(8);
});

test.each([
  ['is forbidden too', true],
  ['leaves them out', false],
])(
  'compare_environments calls nothing missing that may be a secret of the side whose secrets could not be read, where the list of both %s',
  async (_, isForbidden) => {
    let environment: unknown;
    const { client, platform } = await clientWith(
      (path, body) =>
        path === '/variable' ? { ...body, results: rowsIn(body).filter((row) => row['is_secret'] === false) } : body,
      async (_method, request, response) => {
        const isListOfSecrets = request.url!.startsWith(`/environment/${String(environment)}/secret`);
        const isListOfBoth = request.url!.startsWith('/variable?') && request.url!.includes(`=${String(environment)}`);
        if (isListOfSecrets || (isForbidden && isListOfBoth))
          response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"no"}');
      },
    );
    await platform.must('create_environment_variable', {
      application_id: platform.seed['application_id'],
      key: 'ONLY_HERE',
      value: '1',
    });
    const compare = async () =>
      textOf(await client.call('compare_environments', { first: 'shop/staging', second: 'shop/production' }));
    expect(await compare()).toMatch(/^missing variable \| checkout-api \| ONLY_HERE \| set/m);
    environment = rowsIn(await platform.must('list_environments', { project_id: platform.seed['project_id'] })).find(
      ({ name }) => name === 'production',
    )!['id'];
    expect(await compare()).toMatch(
      /^variable not seen \| checkout-api \| ONLY_HERE \| set \| not among its variables; its secrets could not all be read$/m,
    );
    expect(await compare()).not.toContain('missing secret');
  },
);
