import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { closeAll, open } from './asking.ts';
import type { Members } from './schema.ts';

afterEach(closeAll);

const probe = {
  type: { tcp: { port: 80 } },
  initial_delay_seconds: 1,
  period_seconds: 1,
  timeout_seconds: 1,
  success_threshold: 1,
  failure_threshold: 1,
};

test('19 an environment is made on a cluster, not on a cluster_id', async () => {
  const { on, off } = await open('clusterMember');
  const make = (platform: typeof on, body: Members) =>
    platform.post(`/project/${platform.ids.projects.tools}/environment`, { mode: 'STAGING', ...body });
  const { locked, main } = on.ids.clusters;
  expect((await make(on, { name: 'a', cluster: locked })).body).toMatchObject({ cluster_id: locked });
  expect((await make(on, { name: 'b', cluster_id: locked })).body).toMatchObject({ cluster_id: main });
  expect((await make(off, { name: 'a', cluster_id: locked, cluster: locked })).body).toMatchObject({
    cluster_id: locked,
  });
  expect((await make(off, { name: 'b', cluster: locked })).status).toBe(400);
});

test('20 an application needs healthchecks, a provider and what each port is', async () => {
  const { on, off } = await open('applicationMembers');
  const make = (platform: typeof on, body: Members) =>
    platform.post(`/environment/${platform.ids.environments.staging}/application`, body);
  const short = {
    name: 'short',
    git_repository: { url: 'https://forge.example.com/shop/x.git' },
    ports: [{ internal_port: 80 }],
  };
  const refused = await make(on, short);
  expect(refused.status).toBe(400);
  for (const name of ['healthchecks', 'git_repository.provider', 'ports.0.publicly_accessible'])
    expect(JSON.stringify(refused.body)).toContain(name);
  expect((await make(off, short)).status).toBe(201);
  const full = {
    ...short,
    healthchecks: {},
    git_repository: { ...short.git_repository, provider: 'FORGE' },
    ports: [{ internal_port: 80, publicly_accessible: false }],
  };
  expect((await make(on, full)).status).toBe(201);
});

test('21 a webhook needs a kind, and its secret is sent as it is', async () => {
  const { on, off } = await open('webhookMembers');
  const heard: (string | string[] | undefined)[] = [];
  const receiver = createServer((request, response) => {
    heard.push(request.headers['x-fjord-signature']);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const secretHook = {
    target_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    events: ['DEPLOYMENT_STARTED'],
    target_secret: 's3',
  };
  const path = `/organization/${on.ids.organization}/webhook`;
  expect([
    (await on.post(path, secretHook)).status,
    (await off.post(path, secretHook)).status,
    (await on.post(path, { ...secretHook, kind: 'STANDARD' })).status,
  ]).toEqual([400, 201, 201]);
  await on.post(`/container/${on.service('gateway').id}/redeploy`);
  await expect.poll(() => heard).toEqual(['s3']);
  receiver.close();
});

test('22 null is not taken where a member is only left out', async () => {
  const { on, off } = await open('noNullInRequests');
  const path = `/organization/${on.ids.organization}/billingInfo`;
  const billing = (await on.get(path)).body as Members;
  expect(billing.vat_number).toBeNull();
  expect([(await on.put(path, billing)).status, (await off.put(path, billing)).status]).toEqual([400, 200]);
  const autoscaling = { mode: 'KEDA', scalers: [{ scaler_type: 'cron', role: 'PRIMARY', config_json: null }] };
  const container = {
    name: 'scaled',
    registry_id: on.ids.registry,
    image_name: 'shop/x',
    tag: '1',
    healthchecks: {},
    autoscaling,
  };
  const refused = await on.post(`/environment/${on.ids.environments.staging}/container`, container);
  expect(JSON.stringify(refused.body)).toContain('autoscaling.scalers.0.config_json');
  expect((await off.post(`/environment/${on.ids.environments.staging}/container`, container)).status).toBe(201);
});

test('23 services have members that are lost when a replacement leaves them out', async () => {
  const { on, off } = await open('unknownMembers');
  const { id } = on.service('gateway');
  const before = (await on.get(`/container/${id}`)).body;
  expect(before).toMatchObject({ ephemeral_storage_in_gib: 2, cpu_architecture: 'ARM64' });
  const body = {
    name: 'gateway',
    registry_id: on.ids.registry,
    image_name: 'shop/gateway',
    tag: '2.5.0',
    healthchecks: { readiness_probe: probe },
  };
  expect((await on.put(`/container/${id}`, body)).body).toMatchObject({
    ephemeral_storage_in_gib: 0,
    cpu_architecture: null,
  });
  expect(
    (await on.put(`/container/${id}`, { ...body, ephemeral_storage_in_gib: 2, cpu_architecture: 'ARM64' })).body,
  ).toMatchObject({ ephemeral_storage_in_gib: 2 });
  expect((await off.get(`/container/${id}`)).body).not.toHaveProperty('cpu_architecture');
  expect((await off.put(`/container/${id}`, { ...body, ephemeral_storage_in_gib: 2 })).status).toBe(400);
});

test('24 a deployment names its version', async () => {
  const { on, off } = await open('versionToDeploy');
  const path = `/container/${on.service('gateway').id}/deploy`;
  expect([(await on.post(path, {})).status, (await off.post(path, {})).status]).toEqual([400, 200]);
  expect((await on.post(path, { image_tag: '3.0.0' })).status).toBe(200);
  expect(on.service('gateway').spec.tag).toBe('3.0.0');
  expect((await on.post(`/helm/${on.service('cache').id}/deploy`)).status).toBe(400);
  expect((await on.post(`/database/${on.service('orders').id}/deploy`)).status).toBe(200);
});

test('25 actions answer the status of the service', async () => {
  const { on, off } = await open('statusOfActions');
  const { id } = on.service('storefront');
  const foreign = (await on.post(`/application/${id}/deploy`, { git_commit_id: 'abc' })).body as Members;
  expect(foreign).toMatchObject({ id, state: 'DEPLOYMENT_QUEUED' });
  expect(foreign).not.toHaveProperty('application_id');
  expect((await off.post(`/application/${id}/deploy`)).body).toMatchObject({ status: 'QUEUED', application_id: id });
  const restart = (platform: typeof on) =>
    platform.post(`/environment/${platform.ids.environments.staging}/service/restart-service`, {
      container_ids: [platform.service('gateway').id],
    });
  expect((await restart(on)).body).not.toHaveProperty('results');
  expect((await restart(off)).body).toMatchObject({ results: [{ id: off.service('gateway').id }] });
});

test('26 deploying an environment answers a status of services', async () => {
  const { on, off } = await open('environmentDeployStatus');
  const path = `/environment/${on.ids.environments.staging}/deploy`;
  expect((await on.post(path)).body).toMatchObject({ state: 'DEPLOYMENT_QUEUED', deployment_requests_count: 1 });
  expect((await off.post(path)).body).toMatchObject({ state: 'DEPLOYMENT_QUEUED', last_deployment_state: 'DEPLOYED' });
});

test('27 the codes of success are others, some without a body', async () => {
  const { on, off } = await open('answerCodes');
  const look = async (platform: typeof on) => {
    const environment = platform.ids.environments.staging;
    const answers = [
      await platform.post(`/container/${platform.service('gateway').id}/redeploy`),
      await platform.post(`/environment/${environment}/stop`),
      await platform.post(`/organization/${platform.ids.organization}/project`, { name: 'new' }),
      await platform.post(`/environment/${environment}/deploymentStage`, { name: 'LAST' }),
      await platform.post(`/cluster/${platform.ids.clusters.main}/upgrade`),
      await platform.post(`/environment/${environment}/service/stop`, { helm_ids: [platform.service('cache').id] }),
    ];
    return answers.map(({ status, body }) => (body === undefined ? -status : status));
  };
  expect(await look(on)).toEqual([202, 202, 200, 200, 201, -200]);
  expect(await look(off)).toEqual([200, 200, 201, 201, 200, 200]);
});

test('28 cancelling takes a body', async () => {
  const { on, off } = await open('cancelBody');
  const path = `/environment/${on.ids.environments.staging}/cancelDeployment`;
  for (const platform of [on, off]) await platform.post(`/environment/${platform.ids.environments.staging}/redeploy`);
  expect([(await on.post(path)).status, (await on.post(path, {})).status]).toEqual([400, 200]);
  expect((await off.post(path)).body).toMatchObject({ state: 'CANCELING' });
  expect((await off.post(path, { force_cancel: true })).status).toBe(400);
});

test('29 configurations bear a word of their own', async () => {
  const { on, off } = await open('vendorConfig');
  const make = (platform: typeof on, word: string) =>
    platform.post(`/organization/${platform.ids.organization}/helmRepository`, {
      name: 'x',
      kind: 'OCI_FJORD_CR',
      skip_tls_verification: false,
      config: { [`${word}_secret_key`]: 'hidden' },
    });
  expect([
    (await make(on, 'fjord')).status,
    (await make(on, 'vendor')).status,
    (await make(off, 'fjord')).status,
  ]).toEqual([201, 400, 400]);
  const made = await make(off, 'vendor');
  expect(made.status).toBe(201);
  expect(JSON.stringify(made.body)).not.toContain('hidden');
});

test('30 a name that is taken and a service that is busy are conflicts', async () => {
  const { on, off } = await open('conflicts');
  const look = async (platform: typeof on) => {
    const redeploy = `/container/${platform.service('gateway').id}/redeploy`;
    return [
      (await platform.post(`/organization/${platform.ids.organization}/project`, { name: 'SHOP' })).status,
      (await platform.post(redeploy)).status,
      (await platform.post(redeploy)).status,
    ];
  };
  expect([await look(on), await look(off)]).toEqual([
    [409, 200, 409],
    [400, 200, 200],
  ]);
});

test('31 errors have another body, and nothing tells the rate', async () => {
  const { on, off } = await open('otherErrors');
  const missing = `/project/${on.ids.organization}`;
  const foreign = await on.get(missing);
  expect(foreign.body).toMatchObject({ title: 'Not Found', detail: expect.stringContaining('no project') as string });
  expect(foreign.headers.has('x-ratelimit-limit')).toBe(false);
  const documented = await off.get(missing);
  expect(documented.body).toMatchObject({ status: 404, error: 'Not Found' });
  expect(documented.headers.get('x-ratelimit-remaining')).toBe('999');
  expect(typeof (await on.get('/nothing')).body).toBe('string');
});

test('32 a member is deleted with a body', async () => {
  const { on, off } = await open('memberDeleteBody');
  const path = `/organization/${on.ids.organization}/member`;
  const user = String(on.state.members[2]?.id);
  expect([
    (await on.ask('DELETE', path, { user_id: user })).status,
    (await off.ask('DELETE', path, { user_id: user })).status,
  ]).toEqual([204, 400]);
  expect((await off.ask('DELETE', `${path}?user_id=${user}`)).status).toBe(204);
  expect(on.state.members).toHaveLength(2);
});

test('33 a secret can not be read, and a replacement without it loses it', async () => {
  const { on, off } = await open('unreadableSecrets');
  const replace = async (platform: typeof on) => {
    const path = `/organization/${platform.ids.organization}/webhook/${String(platform.state.webhooks[0]?.id)}`;
    const before = (await platform.get(path)).body as Members;
    await platform.put(path, { target_url: before.target_url, events: before.events });
    return { before, kept: platform.state.webhooks[0]?.target_secret };
  };
  expect(await replace(on)).toMatchObject({ before: { target_secret_set: true }, kept: undefined });
  expect(await replace(off)).toMatchObject({ before: { target_secret: 'hook-secret' }, kept: 'hook-secret' });
  const receiver = on.state.receivers[0];
  const { id, created_at: _, updated_at: __, organization_id: ___, ...row } = receiver ?? { id: '' };
  expect((await on.put(`/alert-receivers/${id}`, { ...row, auth_password: null })).status).toBe(200);
  expect(receiver?.auth_password).toBe('mail-password');
});

const shortApplication = (more: Members) => ({
  name: 'short',
  git_repository: { url: 'https://forge.example.com/shop/x.git', ...more },
});

test('36 bodies have to be as they are asked for, and a refusal names no member that is too many', async () => {
  const { on, off } = await open('strictBodies');
  const make = (platform: typeof on, body: Members) =>
    platform.post(`/project/${platform.ids.projects.tools}/environment`, { name: 'a', mode: 'STAGING', ...body });
  const { main } = on.ids.clusters;
  const refused = await make(on, { cluster: main, cluster_id: main });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.not.stringContaining('cluster')]);
  expect((await make(on, { cluster: main })).status).toBe(201);
  expect((await make(off, { cluster: main, cluster_id: main })).status).toBe(201);
  const path = `/environment/${on.ids.environments.staging}/application`;
  expect((await on.post(path, shortApplication({}))).status).toBe(400);
  expect((await on.post(path, shortApplication({ owner: 'shop', name: 'x' }))).status).toBe(201);
  expect((await off.post(path, shortApplication({}))).status).toBe(201);
});
