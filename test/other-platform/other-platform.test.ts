import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { DIFFERENCES } from './differences.ts';
import { askerOf, closeAll, open } from './asking.ts';
import type { Members } from './schema.ts';
import { startOtherPlatform } from './start.ts';
import type { Row } from './store.ts';

afterEach(closeAll);

const hook = (word: string) => ({ target_url: 'https://hooks.example.com/x', events: [word], enabled: true });

const probe = { type: { tcp: { port: 80 } }, initial_delay_seconds: 1, period_seconds: 1, timeout_seconds: 1, success_threshold: 1, failure_threshold: 1 };

describe('each difference changes what it is named for', () => {
  test('1 the environment log is a bare array of rows without ids', async () => {
    const { on, off } = await open('environmentLogRows');
    const path = `/environment/${on.ids.environments.staging}/logs`;
    const foreign = (await on.get(path)).body as Row[];
    expect(foreign[0]).toMatchObject({ type: 'INFO', details: { transmitter: { type: 'APPLICATION' } } });
    expect(foreign[0]).not.toHaveProperty('id');
    expect(foreign.some((row) => (row.error as Members | null)?.user_log_message === 'checkout: the image could not be built')).toBe(true);
    expect((await on.get(`${path}?version=2`)).status).toBe(200);
    expect((await off.get(path)).rows[0]).toHaveProperty('deployment_request_id');
  });

  test('2 only applications and containers have a log', async () => {
    const { on, off } = await open('logsOfTwoKinds');
    for (const [kind, name] of [['database', 'orders'], ['job', 'nightly'], ['helm', 'cache'], ['terraform', 'network']] as const) {
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
    expect([(await on.get(`/terraform/${id}/status`)).status, (await off.get(`/terraform/${id}/status`)).status]).toEqual([404, 200]);
    const statuses = (await on.get(`/environment/${on.ids.environments.staging}/statuses`)).body as { terraforms: Row[] };
    expect(statuses.terraforms[0]).toMatchObject({ id, state: 'DEPLOYED' });
  });

  test('5 lists have no pages', async () => {
    const { on, off } = await open('noPages');
    const path = `/organization/${on.ids.organization}/project`;
    expect((await off.get(`${path}?page=2&page_size=1`)).body).toMatchObject({ results: [{ name: 'tools' }], pagination: { page: 2, page_size: 1, total_count: 2, total_pages: 2 } });
    expect((await on.get(`${path}?page=2`)).status).toBe(400);
    expect((await on.get(path)).body).not.toHaveProperty('pagination');
  });

  test('6 histories take a size and no page', async () => {
    const { on, off } = await open('historiesWithoutPage');
    const path = `/job/${on.service('nightly').id}/deploymentHistoryV2?pageSize=1`;
    expect((await on.get(path)).body).toMatchObject({ page: 1, page_size: 1, results: [{ identifier: { name: 'nightly' } }] });
    expect([(await on.get(`${path}&page=2`)).status, (await off.get(`${path}&page=2`)).status]).toEqual([400, 200]);
  });

  test('7 what a history tells of a version is flat, by kind', async () => {
    const { on, off } = await open('flatHistoryDetails');
    const details = async (platform: typeof on, kind: string, name: string) =>
      (await platform.get(`/${kind}/${platform.service(name).id}/deploymentHistoryV2`)).rows[0]?.details;
    expect(await details(on, 'container', 'gateway')).toEqual({ image_name: 'shop/gateway', tag: '2.4.1', arguments: [] });
    expect(await details(off, 'container', 'gateway')).toEqual({ image: { image_name: 'shop/gateway', tag: '2.4.1' } });
    expect(await details(on, 'job', 'nightly')).toMatchObject({ job_type: 'CRON', commit: null, schedule: { cron_job: { scheduled_at: '0 3 * * *' } } });
    expect(await details(on, 'helm', 'cache')).toMatchObject({ repository: { chart_name: 'cache' } });
    expect(await details(on, 'database', 'orders')).toEqual({});
  });

  test('8 rows of an environment history hold their services inside stages', async () => {
    const { on, off } = await open('environmentHistoryStages');
    const path = `/environment/${on.ids.environments.staging}/deploymentHistoryV2`;
    const [foreign] = (await on.get(path)).rows;
    expect(foreign).toMatchObject({ trigger_action: 'DEPLOY', action_status: 'SUCCESS', stages: [{ name: 'DATABASE', services: [{ identifier: { name: 'orders' } }] }, {}] });
    expect(foreign).not.toHaveProperty('services');
    expect((await off.get(path)).rows[0]).toHaveProperty('services');
  });

  test('9 rules left behind have no id', async () => {
    const { on, off } = await open('ghostAlertRules');
    const ghost = async (platform: typeof on) => (await platform.get(`/organization/${platform.ids.organization}/alert-rules`)).rows.find((row) => row.source === 'GHOST');
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
      (await platform.get(`/environment/${platform.ids.environments.staging}/services`)).rows.map((row) => row.service_type);
    expect(await types(on)).toEqual(expect.arrayContaining(['SYNCED_APP', 'AGENTIC_WORKFLOW']));
    expect(await types(off)).toContain('GITOPS_APP');
    expect((await on.get(`/environment/${on.ids.environments.staging}/statuses`)).body).toMatchObject({ agentic_workflows: [{ state: 'DEPLOYED' }], synced_apps: [{}] });
    const workflow = on.service('assistant').id;
    expect((await on.get(`/variable?scope=AGENTIC_WORKFLOW&parent_id=${workflow}`)).rows.map(({ key }) => key)).toContain('MODEL');
  });

  test('12 members of a status are left out, and a total is null until the end', async () => {
    const { on, off } = await open('absentStatusMembers');
    const never = async (platform: typeof on) => (await platform.get(`/helm/${platform.service('cache', platform.ids.environments.development).id}/status`)).body;
    expect(await never(on)).not.toHaveProperty('steps');
    expect(await never(off)).toMatchObject({ steps: null, last_deployment_date: null, execution_id: null });
    const { id } = on.service('gateway');
    await on.post(`/container/${id}/redeploy`);
    expect((await on.get(`/container/${id}/status`)).body).toMatchObject({ steps: { total_duration_sec: null, total_computing_duration_sec: 0 } });
  });

  test('13 probes that are not there are null', async () => {
    const { on, off } = await open('nullProbes');
    const probes = async (platform: typeof on) => ((await platform.get(`/container/${platform.service('gateway').id}`)).body as Members).healthchecks;
    expect(await probes(on)).toMatchObject({ liveness_probe: null, readiness_probe: { type: { tcp: null, exec: null, grpc: null, http: { port: 8080 } } } });
    expect(await probes(off)).not.toHaveProperty('liveness_probe');
    expect(JSON.stringify(await probes(off))).not.toContain('null');
  });

  test('14 whoever owns a variable, it can be changed', async () => {
    const { on, off } = await open('ownedByAnyone');
    const change = async (platform: typeof on) => {
      const path = `/application/${platform.service('storefront').id}/environmentVariable`;
      const row = (await platform.get(path)).rows.find(({ key }) => key === 'VAULT_KEY');
      return { path, owner: row?.owned_by, status: (await platform.put(`${path}/${String(row?.id)}`, { key: 'VAULT_KEY', value: 'x' })).status };
    };
    const foreign = await change(on);
    expect(foreign).toMatchObject({ owner: 'FJORD', status: 200 });
    expect((await on.get(foreign.path)).rows.every((row) => row.owned_by === 'FJORD')).toBe(true);
    expect(await change(off)).toMatchObject({ owner: 'external-secrets', status: 400 });
  });

  test('15 locks are listed elsewhere, and need no end', async () => {
    const { on, off } = await open('lockPath');
    const [there, here] = [`/organization/${on.ids.organization}/lock`, `/organization/${on.ids.organization}/cluster/lock`];
    expect((await on.get(there)).rows).toMatchObject([{ cluster_id: on.ids.clusters.locked }]);
    expect((await off.get(here)).rows).toMatchObject([{ cluster_id: off.ids.clusters.locked }]);
    expect([(await on.get(here)).status, (await off.get(there)).status]).toEqual([404, 404]);
    const lock = `/cluster/${on.ids.clusters.main}/lock`;
    expect([(await on.post(lock, { reason: 'x' })).status, (await off.post(lock, { reason: 'x' })).status]).toEqual([201, 400]);
  });

  test('16 members are missing or written differently', async () => {
    const { on, off } = await open('unlikeMembers');
    const look = async (platform: typeof on) => ({
      cluster: (await platform.get(`/organization/${platform.ids.organization}/cluster`)).rows[0],
      terraform: (await platform.get(`/terraform/${platform.service('network').id}`)).body,
      application: (await platform.get(`/application/${platform.service('storefront').id}`)).body,
      container: (await platform.get(`/container/${platform.service('gateway').id}`)).body,
      secret: (await platform.get(`/variable?scope=APPLICATION&parent_id=${platform.service('storefront').id}&is_secret=true`)).rows[0],
    });
    const [foreign, documented] = [await look(on), await look(off)];
    expect(foreign.cluster).not.toHaveProperty('is_locked');
    expect(foreign.terraform).not.toHaveProperty('cpu');
    expect(foreign.container).not.toHaveProperty('registry_id');
    expect(foreign).toMatchObject({ terraform: { job_resources: { cpu_milli: 1000 } }, application: { maximun_gpu: 0 }, secret: { value: null } });
    expect(documented).toMatchObject({ cluster: { is_locked: false }, terraform: { cpu: 500 }, application: { maximum_gpu: 0 }, container: { registry_id: off.ids.registry } });
  });

  test('17 records of webhooks hold any request', async () => {
    const { on, off } = await open('freeWebhookRecords');
    const record = async (platform: typeof on) => (await platform.get(`/organization/${platform.ids.organization}/webhook/${String(platform.state.webhooks[0]?.id)}/event`)).rows[0];
    expect(await record(on)).toMatchObject({ request: { sent_by: { attempt: 1 } }, target_response_body: null });
    expect(await record(off)).toMatchObject({ target_response_body: 'ok' });
  });

  test('18 links bear the name of the platform', async () => {
    const { on, off } = await open('namedDomainFlag');
    const link = async (platform: typeof on) => (await platform.get(`/application/${platform.service('storefront').id}/link`)).rows[0];
    expect(await link(on)).toHaveProperty('is_fjord_domain', true);
    expect(await link(off)).toHaveProperty('is_platform_domain', true);
  });

  test('words that only come from there', async () => {
    const { on, off } = await open('words');
    const modes = async (platform: typeof on) => (await platform.get(`/project/${platform.ids.projects.shop}/environment`)).rows.map(({ mode }) => mode);
    expect([await modes(on), await modes(off)]).toEqual([['DEVELOPMENT', 'STAGING', 'PRODUCTION', 'PREVIEW'], ['DEVELOPMENT', 'STAGING', 'PRODUCTION']]);
    const state = async (platform: typeof on) => ((await platform.get(`/application/${platform.service('storefront').id}/status`)).body as Members).state;
    expect([await state(on), await state(off)]).toEqual(['DEPLOYED', 'RUNNING']);
    const history = async (platform: typeof on) => JSON.stringify((await platform.get(`/terraform/${platform.service('network').id}/deploymentHistoryV2`)).body);
    expect(await history(on)).toMatch(/FJORD_INTERNAL.*TERRAFORM_PLAN_ONLY.*SKILL/);
    expect(await history(off)).toContain('SERVICE_INTERNAL');
    expect((await on.get(`/organization/${on.ids.organization}/alert-rules`)).rows[0]).toMatchObject({ target: { target_type: ' CLUSTER' } });
    const path = `/organization/${on.ids.organization}/webhook`;
    expect([(await on.post(path, hook('DEPLOYMENT_SUCCEEDED'))).status, (await on.post(path, hook('DEPLOYMENT_SUCCESSFUL'))).status]).toEqual([400, 201]);
    expect([(await off.post(path, hook('DEPLOYMENT_SUCCEEDED'))).status, (await off.post(path, hook('DEPLOYMENT_SUCCESSFUL'))).status]).toEqual([201, 400]);
    const never = `/helm/${on.service('cache', on.ids.environments.development).id}/status`;
    expect((await on.get(never)).body).toMatchObject({ status_details: { action: 'UNKNOWN', status: 'NEVER' } });
    expect(JSON.stringify((await on.get(`/container/${on.service('gateway').id}/status`)).body)).toMatch(/BUILD_QUEUEING.*SKIP/);
    expect(JSON.stringify((await on.get(`/variable?scope=APPLICATION&parent_id=${on.service('storefront').id}`)).body)).toContain('FILE_EXTERNAL_SECRET');
  });

  test('19 an environment is made on a cluster, not on a cluster_id', async () => {
    const { on, off } = await open('clusterMember');
    const make = (platform: typeof on, body: Members) => platform.post(`/project/${platform.ids.projects.tools}/environment`, { mode: 'STAGING', ...body });
    const { locked, main } = on.ids.clusters;
    expect((await make(on, { name: 'a', cluster: locked })).body).toMatchObject({ cluster_id: locked });
    expect((await make(on, { name: 'b', cluster_id: locked })).body).toMatchObject({ cluster_id: main });
    expect((await make(off, { name: 'a', cluster_id: locked, cluster: locked })).body).toMatchObject({ cluster_id: locked });
    expect((await make(off, { name: 'b', cluster: locked })).status).toBe(400);
  });

  test('20 an application needs healthchecks, a provider and what each port is', async () => {
    const { on, off } = await open('applicationMembers');
    const make = (platform: typeof on, body: Members) => platform.post(`/environment/${platform.ids.environments.staging}/application`, body);
    const short = { name: 'short', git_repository: { url: 'https://forge.example.com/shop/x.git' }, ports: [{ internal_port: 80 }] };
    const refused = await make(on, short);
    expect(refused.status).toBe(400);
    for (const name of ['healthchecks', 'git_repository.provider', 'ports.0.publicly_accessible']) expect(JSON.stringify(refused.body)).toContain(name);
    expect((await make(off, short)).status).toBe(201);
    const full = { ...short, healthchecks: {}, git_repository: { ...short.git_repository, provider: 'FORGE' }, ports: [{ internal_port: 80, publicly_accessible: false }] };
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
    const hook = { target_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, events: ['DEPLOYMENT_STARTED'], target_secret: 's3' };
    const path = `/organization/${on.ids.organization}/webhook`;
    expect([(await on.post(path, hook)).status, (await off.post(path, hook)).status, (await on.post(path, { ...hook, kind: 'STANDARD' })).status]).toEqual([400, 201, 201]);
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
  });

  test('23 services have members that are lost when a replacement leaves them out', async () => {
    const { on, off } = await open('unknownMembers');
    const { id } = on.service('gateway');
    const before = (await on.get(`/container/${id}`)).body;
    expect(before).toMatchObject({ ephemeral_storage_in_gib: 2, cpu_architecture: 'ARM64' });
    const body = { name: 'gateway', registry_id: on.ids.registry, image_name: 'shop/gateway', tag: '2.5.0', healthchecks: { readiness_probe: probe } };
    expect((await on.put(`/container/${id}`, body)).body).toMatchObject({ ephemeral_storage_in_gib: 0, cpu_architecture: null });
    expect((await on.put(`/container/${id}`, { ...body, ephemeral_storage_in_gib: 2, cpu_architecture: 'ARM64' })).body).toMatchObject({ ephemeral_storage_in_gib: 2 });
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
    const restart = (platform: typeof on) => platform.post(`/environment/${platform.ids.environments.staging}/service/restart-service`, { container_ids: [platform.service('gateway').id] });
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
        await platform.post(`/container/${platform.service('gateway').id}/redeploy`), await platform.post(`/environment/${environment}/stop`),
        await platform.post(`/organization/${platform.ids.organization}/project`, { name: 'new' }), await platform.post(`/environment/${environment}/deploymentStage`, { name: 'LAST' }),
        await platform.post(`/cluster/${platform.ids.clusters.main}/upgrade`), await platform.post(`/environment/${environment}/service/stop`, { helm_ids: [platform.service('cache').id] }),
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
      platform.post(`/organization/${platform.ids.organization}/helmRepository`, { name: 'x', kind: 'OCI_FJORD_CR', skip_tls_verification: false, config: { [`${word}_secret_key`]: 'hidden' } });
    expect([(await make(on, 'fjord')).status, (await make(on, 'vendor')).status, (await make(off, 'fjord')).status]).toEqual([201, 400, 400]);
    const made = await make(off, 'vendor');
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body)).not.toContain('hidden');
  });

  test('30 a name that is taken and a service that is busy are conflicts', async () => {
    const { on, off } = await open('conflicts');
    const look = async (platform: typeof on) => {
      const redeploy = `/container/${platform.service('gateway').id}/redeploy`;
      return [
        (await platform.post(`/organization/${platform.ids.organization}/project`, { name: 'SHOP' })).status, (await platform.post(redeploy)).status, (await platform.post(redeploy)).status,
      ];
    };
    expect([await look(on), await look(off)]).toEqual([[409, 200, 409], [400, 200, 200]]);
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
    expect([(await on.ask('DELETE', path, { user_id: user })).status, (await off.ask('DELETE', path, { user_id: user })).status]).toEqual([204, 400]);
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
});

describe('what it doesn’t document is refused', () => {
  test('unknown and missing members, wrong words, wrong content types and unknown paths', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret' }));
    const path = `/organization/${platform.ids.organization}/project`;
    expect((await platform.post(path, { name: 'x', colour: 'red' })).body).toEqual({ status: 400, error: 'Bad Request', message: 'body member colour: is unknown' });
    expect((await platform.post(path, {})).body).toMatchObject({ message: 'body member name: is required' });
    expect((await platform.post(path, { name: 4 })).status).toBe(400);
    expect((await platform.get(`${path}?colour=red`)).body).toMatchObject({ message: 'query parameter colour: is unknown' });
    expect((await platform.ask('POST', path, { name: 'x' }, { 'content-type': 'text/plain' })).status).toBe(400);
    expect((await platform.get('/nothing')).status).toBe(404);
    expect((await platform.ask('DELETE', path)).status).toBe(404);
    expect((await platform.get('/project/seven')).status).toBe(400);
    expect((await platform.ask('GET', path, undefined, { authorization: 'Token other' })).status).toBe(401);
    expect(platform.refusals.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 404, 404, 400]);
    expect(platform.requests).toHaveLength(9);
    expect(platform.requests[0]).toEqual({ method: 'POST', path, body: { name: 'x', colour: 'red' }, status: 400 });
  });

  test('too many requests in an hour', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret', requestsPerHour: 1 }));
    expect([(await platform.get('/organization')).status, (await platform.get('/organization')).status]).toEqual([200, 429]);
  });

  test('a difference that isn’t one', async () => {
    await expect(startOtherPlatform({ token: 'secret', differences: { noSuchThing: true } as object })).rejects.toThrow('noSuchThing');
    expect(Object.values(DIFFERENCES)).toEqual(Array.from({ length: 34 }, (_, index) => index + 1));
  });
});

describe.each(['none', 'all'] as const)('with %s of the differences', (differences) => {
  test('deployments move from queued to running to their end', async () => {
    let now = Date.parse('2026-02-01T10:00:00Z');
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences, now: () => now }));
    const environment = platform.ids.environments.production;
    await platform.post(`/environment/${environment}/redeploy`);
    const states = async () => {
      const body = (await platform.get(`/environment/${environment}/statuses`)).body as { environment: Members; applications: Members[]; containers: Members[] };
      return [body.environment.state, ...body.applications.map(({ state }) => state), ...body.containers.map(({ state }) => state)];
    };
    expect(await states()).toEqual(Array.from({ length: 5 }, () => 'DEPLOYMENT_QUEUED'));
    now += 150;
    expect(await states()).toEqual(['DEPLOYING', 'BUILDING', 'BUILDING', 'DEPLOYING', 'DEPLOYING']);
    now += 200;
    expect(await states()).toEqual(['DEPLOYMENT_ERROR', 'DEPLOYED', 'BUILD_ERROR', 'DEPLOYED', 'DEPLOYMENT_ERROR']);
    expect(platform.refusals).toEqual([]);
  });

  test('a deployment ends by itself, and a deleted service is gone', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences, deploymentMs: 50 }));
    const { id } = platform.service('gateway');
    await platform.ask('DELETE', `/container/${id}`);
    expect((await platform.get(`/container/${id}`)).status).toBe(200);
    await expect.poll(async () => (await platform.get(`/container/${id}`)).status).toBe(404);
  });

  test('whatever can be read is read without a failure', async () => {
    const platform = askerOf(await startOtherPlatform({ token: 'secret', differences }));
    for (const path of platform.readable()) expect([path, (await platform.get(path)).status]).toEqual([path, 200]);
  });
});
