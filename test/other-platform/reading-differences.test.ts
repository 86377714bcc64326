import { afterEach, expect, test } from 'vitest';
import { closeAll, open } from './asking.ts';
import type { Members } from './schema.ts';
import type { Row } from './store.ts';

afterEach(closeAll);

const hook = (word: string) => ({ target_url: 'https://hooks.example.com/x', events: [word], enabled: true });

test('1 the environment log is a bare array of rows without ids', async () => {
  const { on, off } = await open('environmentLogRows');
  const path = `/environment/${on.ids.environments.staging}/logs`;
  const foreign = (await on.get(path)).body as Row[];
  expect(foreign[0]).toMatchObject({ type: 'INFO', details: { transmitter: { type: 'APPLICATION' } } });
  expect(foreign[0]).not.toHaveProperty('id');
  expect(
    foreign.some((row) => (row.error as Members | null)?.user_log_message === 'checkout: the image could not be built'),
  ).toBe(true);
  expect((await on.get(`${path}?version=2`)).status).toBe(200);
  expect((await off.get(path)).rows[0]).toHaveProperty('deployment_request_id');
});

test('2 only applications and containers have a log', async () => {
  const { on, off } = await open('logsOfTwoKinds');
  for (const [kind, name] of [
    ['database', 'orders'],
    ['job', 'nightly'],
    ['helm', 'cache'],
    ['terraform', 'network'],
  ] as const) {
    const path = `/${kind}/${on.service(name).id}/log`;
    expect([(await on.get(path)).status, (await off.get(path)).status]).toEqual([404, 200]);
  }
  expect((await on.get(`/container/${on.service('gateway').id}/log`)).status).toBe(200);
});

test('3 the number of last lines can not be asked for', async () => {
  const { on, off } = await open('noTail');
  const path = `/container/${on.service('gateway').id}/log`;
  expect((await off.get(`${path}?tail=5`)).rows).toHaveLength(5);
  expect((await on.get(`${path}?tail=5`)).status).toBe(400);
  expect(on.refusals[0]?.reason).toContain('tail');
  expect((await on.get(path)).rows).toHaveLength(1000);
});

test('4 terraform services have no status of their own', async () => {
  const { on, off } = await open('noTerraformStatus');
  const { id } = on.service('network');
  expect([(await on.get(`/terraform/${id}/status`)).status, (await off.get(`/terraform/${id}/status`)).status]).toEqual(
    [404, 200],
  );
  const statuses = (await on.get(`/environment/${on.ids.environments.staging}/statuses`)).body as { terraforms: Row[] };
  expect(statuses.terraforms[0]).toMatchObject({ id, state: 'DEPLOYED' });
});

test('5 lists have no pages', async () => {
  const { on, off } = await open('noPages');
  const path = `/organization/${on.ids.organization}/project`;
  expect((await off.get(`${path}?page=2&page_size=1`)).body).toMatchObject({
    results: [{ name: 'tools' }],
    pagination: { page: 2, page_size: 1, total_count: 2, total_pages: 2 },
  });
  expect((await on.get(`${path}?page=2`)).status).toBe(400);
  expect((await on.get(path)).body).not.toHaveProperty('pagination');
});

test('6 histories take a size and no page', async () => {
  const { on, off } = await open('historiesWithoutPage');
  const path = `/job/${on.service('nightly').id}/deploymentHistoryV2?pageSize=1`;
  expect((await on.get(path)).body).toMatchObject({
    page: 1,
    page_size: 1,
    results: [{ identifier: { name: 'nightly' } }],
  });
  expect([(await on.get(`${path}&page=2`)).status, (await off.get(`${path}&page=2`)).status]).toEqual([400, 200]);
});

test('7 what a history tells of a version is flat, by kind', async () => {
  const { on, off } = await open('flatHistoryDetails');
  const details = async (platform: typeof on, kind: string, name: string) =>
    (await platform.get(`/${kind}/${platform.service(name).id}/deploymentHistoryV2`)).rows[0]?.details;
  expect(await details(on, 'container', 'gateway')).toEqual({
    image_name: 'shop/gateway',
    tag: '2.4.1',
    arguments: [],
  });
  expect(await details(off, 'container', 'gateway')).toEqual({ image: { image_name: 'shop/gateway', tag: '2.4.1' } });
  expect(await details(on, 'job', 'nightly')).toMatchObject({
    job_type: 'CRON',
    commit: null,
    schedule: { cron_job: { scheduled_at: '0 3 * * *' } },
  });
  expect(await details(on, 'helm', 'cache')).toMatchObject({ repository: { chart_name: 'cache' } });
  expect(await details(on, 'database', 'orders')).toEqual({});
});

test('8 rows of an environment history hold their services inside stages', async () => {
  const { on, off } = await open('environmentHistoryStages');
  const path = `/environment/${on.ids.environments.staging}/deploymentHistoryV2`;
  const [foreign] = (await on.get(path)).rows;
  expect(foreign).toMatchObject({
    trigger_action: 'DEPLOY',
    action_status: 'SUCCESS',
    stages: [{ name: 'DATABASE', services: [{ identifier: { name: 'orders' } }] }, {}],
  });
  expect(foreign).not.toHaveProperty('services');
  expect((await off.get(path)).rows[0]).toHaveProperty('services');
});

test('9 rules left behind have no id', async () => {
  const { on, off } = await open('ghostAlertRules');
  const ghost = async (platform: typeof on) =>
    (await platform.get(`/organization/${platform.ids.organization}/alert-rules`)).rows.find(
      (row) => row.source === 'GHOST',
    );
  expect(Object.keys((await ghost(on)) ?? {}).toSorted()).toEqual(['name', 'source', 'starts_at', 'state', 'target']);
  expect(await ghost(off)).toHaveProperty('id');
});

test('10 there are several organizations', async () => {
  const { on, off } = await open('severalOrganizations');
  expect((await on.get('/organization')).rows.map(({ name }) => name)).toEqual(['Harbour', 'Lighthouse']);
  expect((await off.get('/organization')).body).toMatchObject({ id: off.ids.organization, name: 'Harbour' });
  expect((await on.get(`/organization/${on.ids.organization}`)).body).toMatchObject({ name: 'Harbour' });
});

test('11 there are kinds of services with names of their own', async () => {
  const { on, off } = await open('unknownServiceTypes');
  const types = async (platform: typeof on) =>
    (await platform.get(`/environment/${platform.ids.environments.staging}/services`)).rows.map(
      (row) => row.service_type,
    );
  expect(await types(on)).toEqual(expect.arrayContaining(['SYNCED_APP', 'AGENTIC_WORKFLOW']));
  expect(await types(off)).toContain('GITOPS_APP');
  expect((await on.get(`/environment/${on.ids.environments.staging}/statuses`)).body).toMatchObject({
    agentic_workflows: [{ state: 'DEPLOYED' }],
    synced_apps: [{}],
  });
  const workflow = on.service('assistant').id;
  expect((await on.get(`/variable?scope=AGENTIC_WORKFLOW&parent_id=${workflow}`)).rows.map(({ key }) => key)).toContain(
    'MODEL',
  );
});

test('12 members of a status are left out, and a total is null until the end', async () => {
  const { on, off } = await open('absentStatusMembers', { deploymentMs: 3_600_000 });
  const never = async (platform: typeof on) =>
    (await platform.get(`/helm/${platform.service('cache', platform.ids.environments.development).id}/status`)).body;
  expect(await never(on)).not.toHaveProperty('steps');
  expect(await never(off)).toMatchObject({ steps: null, last_deployment_date: null, execution_id: null });
  const { id } = on.service('gateway');
  await on.post(`/container/${id}/redeploy`);
  expect((await on.get(`/container/${id}/status`)).body).toMatchObject({
    steps: { total_duration_sec: null, total_computing_duration_sec: expect.any(Number) as number },
  });
});

test('13 probes that are not there are null', async () => {
  const { on, off } = await open('nullProbes');
  const probes = async (platform: typeof on) =>
    ((await platform.get(`/container/${platform.service('gateway').id}`)).body as Members).healthchecks;
  expect(await probes(on)).toMatchObject({
    liveness_probe: null,
    readiness_probe: { type: { tcp: null, exec: null, grpc: null, http: { port: 8080 } } },
  });
  expect(await probes(off)).not.toHaveProperty('liveness_probe');
  expect(JSON.stringify(await probes(off))).not.toContain('null');
});

test('14 whoever owns a variable, it can be changed', async () => {
  const { on, off } = await open('ownedByAnyone');
  const change = async (platform: typeof on) => {
    const path = `/application/${platform.service('storefront').id}/environmentVariable`;
    const row = (await platform.get(path)).rows.find(({ key }) => key === 'VAULT_KEY');
    return {
      path,
      owner: row?.owned_by,
      status: (await platform.put(`${path}/${String(row?.id)}`, { key: 'VAULT_KEY', value: 'x' })).status,
    };
  };
  const foreign = await change(on);
  expect(foreign).toMatchObject({ owner: 'FJORD', status: 200 });
  expect((await on.get(foreign.path)).rows.every((row) => row.owned_by === 'FJORD')).toBe(true);
  expect(await change(off)).toMatchObject({ owner: 'external-secrets', status: 400 });
});

test('15 locks are listed elsewhere, and need no end', async () => {
  const { on, off } = await open('lockPath');
  const [there, here] = [
    `/organization/${on.ids.organization}/lock`,
    `/organization/${on.ids.organization}/cluster/lock`,
  ];
  expect((await on.get(there)).rows).toMatchObject([{ cluster_id: on.ids.clusters.locked }]);
  expect((await off.get(here)).rows).toMatchObject([{ cluster_id: off.ids.clusters.locked }]);
  expect([(await on.get(here)).status, (await off.get(there)).status]).toEqual([404, 404]);
  const lock = `/cluster/${on.ids.clusters.main}/lock`;
  expect([(await on.post(lock, { reason: 'x' })).status, (await off.post(lock, { reason: 'x' })).status]).toEqual([
    201, 400,
  ]);
});

test('16 members are missing or written differently', async () => {
  const { on, off } = await open('unlikeMembers');
  const look = async (platform: typeof on) => ({
    cluster: (await platform.get(`/organization/${platform.ids.organization}/cluster`)).rows[0],
    terraform: (await platform.get(`/terraform/${platform.service('network').id}`)).body,
    application: (await platform.get(`/application/${platform.service('storefront').id}`)).body,
    container: (await platform.get(`/container/${platform.service('gateway').id}`)).body,
    secret: (
      await platform.get(`/variable?scope=APPLICATION&parent_id=${platform.service('storefront').id}&is_secret=true`)
    ).rows[0],
  });
  const [foreign, documented] = [await look(on), await look(off)];
  expect(foreign.cluster).not.toHaveProperty('is_locked');
  expect(foreign.terraform).not.toHaveProperty('cpu');
  expect(foreign.container).not.toHaveProperty('registry_id');
  expect(foreign).toMatchObject({
    terraform: { job_resources: { cpu_milli: 1000 } },
    application: { maximun_gpu: 0 },
    secret: { value: null },
  });
  expect(documented).toMatchObject({
    cluster: { is_locked: false },
    terraform: { cpu: 500 },
    application: { maximum_gpu: 0 },
    container: { registry_id: off.ids.registry },
  });
});

test('17 records of webhooks hold any request', async () => {
  const { on, off } = await open('freeWebhookRecords');
  const record = async (platform: typeof on) =>
    (
      await platform.get(
        `/organization/${platform.ids.organization}/webhook/${String(platform.state.webhooks[0]?.id)}/event`,
      )
    ).rows[0];
  expect(await record(on)).toMatchObject({ request: { sent_by: { attempt: 1 } }, target_response_body: null });
  expect(await record(off)).toMatchObject({ target_response_body: 'ok' });
});

test('18 links bear the name of the platform', async () => {
  const { on, off } = await open('namedDomainFlag');
  const link = async (platform: typeof on) =>
    (await platform.get(`/application/${platform.service('storefront').id}/link`)).rows[0];
  expect(await link(on)).toHaveProperty('is_fjord_domain', true);
  expect(await link(off)).toHaveProperty('is_platform_domain', true);
});

test('words that only come from there', async () => {
  const { on, off } = await open('words');
  const modes = async (platform: typeof on) =>
    (await platform.get(`/project/${platform.ids.projects.shop}/environment`)).rows.map(({ mode }) => mode);
  expect([await modes(on), await modes(off)]).toEqual([
    ['DEVELOPMENT', 'STAGING', 'PRODUCTION', 'PREVIEW'],
    ['DEVELOPMENT', 'STAGING', 'PRODUCTION'],
  ]);
  const state = async (platform: typeof on) =>
    ((await platform.get(`/application/${platform.service('storefront').id}/status`)).body as Members).state;
  expect([await state(on), await state(off)]).toEqual(['DEPLOYED', 'RUNNING']);
  const history = async (platform: typeof on) =>
    JSON.stringify((await platform.get(`/terraform/${platform.service('network').id}/deploymentHistoryV2`)).body);
  expect(await history(on)).toMatch(/FJORD_INTERNAL.*TERRAFORM_PLAN_ONLY.*SKILL/);
  expect(await history(off)).toContain('SERVICE_INTERNAL');
  expect((await on.get(`/organization/${on.ids.organization}/alert-rules`)).rows[0]).toMatchObject({
    target: { target_type: ' CLUSTER' },
  });
  const path = `/organization/${on.ids.organization}/webhook`;
  expect([
    (await on.post(path, hook('DEPLOYMENT_SUCCEEDED'))).status,
    (await on.post(path, hook('DEPLOYMENT_SUCCESSFUL'))).status,
  ]).toEqual([400, 201]);
  expect([
    (await off.post(path, hook('DEPLOYMENT_SUCCEEDED'))).status,
    (await off.post(path, hook('DEPLOYMENT_SUCCESSFUL'))).status,
  ]).toEqual([201, 400]);
  const never = `/helm/${on.service('cache', on.ids.environments.development).id}/status`;
  expect((await on.get(never)).body).toMatchObject({ status_details: { action: 'UNKNOWN', status: 'NEVER' } });
  expect(JSON.stringify((await on.get(`/container/${on.service('gateway').id}/status`)).body)).toMatch(
    /BUILD_QUEUEING.*SKIP/,
  );
  expect(
    JSON.stringify((await on.get(`/variable?scope=APPLICATION&parent_id=${on.service('storefront').id}`)).body),
  ).toContain('FILE_EXTERNAL_SECRET');
});
