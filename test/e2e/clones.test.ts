import { expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

const { restart } = connectedForAll((connected) => ({ platform, connectors } = connected));

const tool = 'clone_environment';

async function cloning(args: Json, user = userAnswering(agree)) {
  const result = await (await connectors.modern(user)).call(tool, { environment_id: 'shop/staging', ...args });
  return {
    text: textOf(result),
    isError: result.isError === true,
    answer: (result.structuredContent ?? {}) as Json,
    questions: user.questions.map(({ message }) => message),
  };
}

type Row = Record<string, string | null>;

const table = (name: string): Row[] => platform.dump()[name] as Row[];
const servicesOf = (environment: unknown): Row[] =>
  table('service').filter(({ environment_id: id }) => id === environment);

/** The variables and secrets of an environment and its services, without ids and times. */
function variablesOf(environment: unknown): unknown[] {
  const services = new Map(servicesOf(environment).map(({ id, name }) => [id!, name]));
  const rows = table('variable').filter(
    (row) => row['environment_id'] === environment || services.has(row['service_id']!),
  );
  const keyOf = (id: string | null | undefined) => table('variable').find((row) => row['id'] === id)?.['key'];
  return rows
    .filter(({ variable_type: type }) => type !== 'BUILT_IN')
    .map(({ key, value, sealed_value, variable_type, scope, mount_path, service_id, linked_variable_id }) => ({
      key,
      value,
      sealed_value,
      variable_type,
      scope,
      mount_path,
      service: services.get(service_id!),
      linked: keyOf(linked_variable_id),
    }))
    .toSorted((one, other) => `${one.service} ${one.key}`.localeCompare(`${other.service} ${other.key}`));
}

const staging = seedId('environment/shop/staging');

test('everything of an environment is copied but the data of databases and the domains, and it survives a restart', async () => {
  const { answer, text, questions } = await cloning({ name: 'qa', mode: 'DEVELOPMENT' });
  const copy = answer['id'];
  expect(questions).toEqual([]);
  expect(answer).toMatchObject({ name: 'qa', mode: 'DEVELOPMENT', cluster_name: 'main' });
  expect(answer['not_made']).toEqual(['data of orders-db', expect.stringMatching(/^custom domains of .* \(/)]);
  for (const name of ['checkout-api', 'search', 'session-cache']) expect(String(answer['not_made'])).toContain(name);
  expect(answer['made']).toEqual(
    expect.arrayContaining(['checkout-api (application)', 'orders-db (database)', 'assets-bucket (terraform)']),
  );
  expect(text).toContain('Nothing of it runs yet');
  expect(text).not.toContain('never-shown');
  await restart();
  expect(
    new Set(
      servicesOf(copy).map(({ name, kind, deployed_state, deployment_status, deployed_spec }) =>
        [name, kind, deployed_state, deployment_status, deployed_spec].join(),
      ),
    ),
  ).toEqual(new Set(servicesOf(staging).map(({ name, kind }) => [name, kind, 'READY', 'NEVER_DEPLOYED', null].join())));
  expect(variablesOf(copy)).toEqual(variablesOf(staging));
  expect(variablesOf(copy)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ key: 'PAYMENT_API_KEY', value: null }),
      expect.objectContaining({ key: 'AWS_REGION', variable_type: 'ALIAS', linked: 'REGION' }),
    ]),
  );
  const ids = (environment: unknown) =>
    servicesOf(environment).flatMap(({ spec }) =>
      [...spec!.matchAll(/"(?:ports|storage)":(\[.*?\])/g)].flatMap(([, list]) =>
        (JSON.parse(list!) as { id: string }[]).map(({ id }) => id),
      ),
    );
  expect(ids(copy).length).toBe(ids(staging).length);
  expect(ids(copy).filter((id) => ids(staging).includes(id))).toEqual([]);
});

test('of what has no custom domain none is said to be missing, and what was not read is said to be so', async () => {
  const lacking = (await cloning({ environment_id: 'data/development', name: 'without-domains' })).answer['not_made'];
  expect(lacking).toEqual(['data of events-db']);
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => {
      if (/\/customDomain(\?|$)/.test(request.url!))
        response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"not for this token"}');
    },
  });
  const others = connectorsTo(proxy.url, platform.tokens.admin);
  const client = await others.modern(userAnswering(agree));
  const { structuredContent } = await client.call(tool, { environment_id: 'shop/staging', name: 'not-read' });
  expect((structuredContent as Json)['not_made']).toEqual([
    'data of orders-db',
    expect.stringMatching(/^custom domains of .*checkout-api.*, if there are any: that was not read/),
  ]);
  await others.close();
  await proxy.close();
});

test('a copy can be deployed by itself', async () => {
  const { answer } = await cloning({ name: 'to-deploy' });
  await platform.must('deploy_environment', { environment_id: answer['id'] });
  await expect
    .poll(
      async () =>
        ((await platform.must('get_environment_status', { environment_id: answer['id'] }))['environment'] as Json)[
          'state'
        ],
    )
    .toBe('DEPLOYED');
});

test('into PRODUCTION is asked about as creating there, out of PRODUCTION too, and says what is copied', async () => {
  for (const args of [
    { name: 'live', mode: 'PRODUCTION' },
    { environment_id: 'shop/production', name: 'copy-of-live', mode: 'DEVELOPMENT' },
  ]) {
    const user = userAnswering(() => ({ action: 'decline' }));
    const { isError, questions } = await cloning(args, user);
    expect(isError).toBe(true);
    expect(questions[0]).toContain('PRODUCTION');
    expect(questions[0]).toContain('Copies orders-db (database), empty: its data stay where they are.');
    expect('name' in user.questions[0]!.requestedSchema.properties).toBe(true);
  }
  expect(table('environment').map(({ name }) => name)).toEqual(expect.not.arrayContaining(['live', 'copy-of-live']));
});

test('in another project, what was an alias of the former project keeps its value', async () => {
  const { answer } = await cloning({ name: 'moved', project_id: 'data', cluster_id: 'main' });
  const copied = variablesOf(answer['id']) as Row[];
  expect(copied.find(({ key }) => key === 'AWS_REGION')).toMatchObject({
    variable_type: 'VALUE',
    value: 'eu-west-3',
    linked: undefined,
  });
  expect(copied.find(({ key, service }) => key === 'REGION' && service === 'search')).toMatchObject({
    variable_type: 'VALUE',
    value: 'eu-central-1',
  });
  expect(answer['project']).toEqual({ id: seedId('project/data'), name: 'data' });
});

test('a name that is taken, and a locked cluster, change nothing', async () => {
  const before = platform.dump();
  const clone = { environment_id: staging, mode: 'STAGING' };
  const named = await platform.call('clone_environment', { ...clone, name: 'PRODUCTION' });
  expect([named.status, named.body['message']]).toEqual([409, expect.stringContaining('has that name already')]);
  const locked = await platform.call('clone_environment', {
    ...clone,
    name: 'late',
    cluster_id: seedId('cluster/batch'),
  });
  expect([locked.status, locked.body['message']]).toEqual([400, expect.stringContaining('is locked by')]);
  expect(platform.dump()).toEqual(before);
});

test('a locked cluster keeps nobody from copying what is on it to another', async () => {
  await platform.must('lock_cluster', { cluster_id: seedId('cluster/main'), reason: 'incident' });
  const { isError, answer } = await cloning({ name: 'elsewhere', mode: 'PRODUCTION', cluster_id: 'production' });
  await platform.must('unlock_cluster', { cluster_id: seedId('cluster/main') });
  expect([isError, answer['cluster_name']]).toEqual([false, 'production']);
  expect(rowsOf(await platform.must('list_services', { environment_id: answer['id'] })).length).toBeGreaterThan(0);
});
