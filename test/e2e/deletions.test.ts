import type { CallToolResult } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, test } from 'vitest';
import { metaKeys } from '../../src/server/output/index.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { proxiedForEach } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import { failureIn, nameToType, type TestClient, textOf, type User } from '../support/mcp-clients.ts';
import type { RecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let user: User;
let client: TestClient;
/** Changes what is answered to a read. */
let alter: (path: string, body: unknown) => unknown;
/** Which reads are forbidden. */
let refuses: RegExp | undefined;

beforeEach(() => {
  alter = (_, body) => body;
  refuses = undefined;
});
const { restart } = proxiedForEach(
  {
    alter: (method, path, body) => (method === 'GET' ? alter(path, body) : body),
    beforeRequest: async (method, { url }, response) => {
      if (method === 'GET' && refuses?.test(url ?? ''))
        response
          .writeHead(403, { 'content-type': 'application/json' })
          .end('{"status":403,"error":"Forbidden","message":"no"}');
    },
  },
  (proxied) => ({ platform, proxy, connectors, user, client } = proxied),
);

/** From here on deployments take for ever. */
const stall = (): Promise<void> => restart({ timeScale: 1000 });

const planOf = async (tool: string, args: Json): Promise<string> =>
  textOf(await client.call(tool, { ...args, dry_run: true }));
/** What the plan of a deletion says of a service. */
const lineFor = (plan: string, name: string): string =>
  plan.split('\n').find((line) => line.includes(` ${name}, now `)) ?? '';
const nextOf = (result: CallToolResult): { tool: string; arguments: Json }[] =>
  (result._meta?.[metaKeys.next] ?? []) as { tool: string; arguments: Json }[];
const servicesIn = async (environment_id: unknown): Promise<unknown[]> =>
  rowsOf(await platform.must('list_services', { environment_id })).map(({ name }) => name);
const seed = () => platform.seed;

describe('the plan of a deletion', () => {
  test('tells the data of a database, and who is configured with its host', async () => {
    const application_id = seed()['application_id']!;
    await platform.must('create_environment_variable', {
      application_id,
      key: 'ORDERS',
      value: 'postgres://shop@orders-db:5432/orders',
    });
    await platform.must('create_environment_variable', { application_id, key: 'UNRELATED', value: 'preorders-db-old' });
    const plan = await planOf('delete_service', { service: 'shop/staging/orders-db' });
    expect(plan).toContain('Deletes database orders-db, now DEPLOYED, with its disk of 20 GB and all data on it.');
    expect(plan).toMatch(/Names it: application checkout-api \(ORDERS\)/);
    expect(plan).not.toContain('UNRELATED');
    expect(plan).not.toContain('DATABASE_');
    expect(plan).toContain('Its neighbours see its built-in variables too; whether they use them is not known.');
    expect(plan).not.toContain('Not known: whether');
    expect(plan).toContain('DELETE /database/');
  });

  test('tells volumes, public addresses, variables and alert rules, never a value', async () => {
    const { id } = await platform.must('create_environment_variable', {
      application_id: seed()['application_id'],
      key: 'TOKEN_OF_MINE',
      value: 'made-up-value-77',
    });
    expect(id).toBeDefined();
    const application = await planOf('delete_service', { service: 'shop/staging/checkout-api' });
    expect(application).toMatch(
      /Deletes application checkout-api, now \w+, with its public address; the custom domain checkout\.live\.acme\.example; the variables? .*TOKEN_OF_MINE/,
    );
    expect(application).toContain('Alert rules that watch it: checkout-errors.');
    expect(application).toContain('the secret PAYMENT_API_KEY');
    expect(application).not.toContain('never-shown');
    expect(application).not.toContain('made-up-value-77');
    expect(await planOf('delete_service', { service: 'shop/staging/search' })).toContain(
      'its volume /data (20 GB) and all data on it',
    );
    expect(await planOf('delete_service', { service: 'shop/staging/assets-bucket' })).toContain(
      'what it made, in the cloud account too',
    );
  });

  test('of an environment lists each service with what goes with it', async () => {
    const plan = await planOf('delete_environment', { environment: 'shop/staging' });
    for (const name of [
      'orders-db',
      'assets-bucket',
      'nightly-report',
      'checkout-api',
      'storefront',
      'search',
      'session-cache',
    ])
      expect(plan).toMatch(new RegExp(`Deletes \\w+ ${name}, now `));
    expect(plan).toMatch(/Variables of the environment itself: .*LOG_LEVEL/);
    expect(plan).toContain('Secrets of the environment itself: SHARED_TOKEN.');
    expect(plan).toMatch(/Deletes helm session-cache, .*the variable CACHE_TTL/);
    expect(plan).not.toMatch(/itself: .*(PLATFORM_|LICENCE)/);
    expect(plan, 'it has another environment').not.toMatch(/project .*stays/);
  });

  test('of what was never deployed says that it has no data, and nothing of that where a deployment was tried', async () => {
    const { id } = await platform.must('clone_environment', {
      environment_id: seed()['environment_id'],
      name: 'unused-copy',
      mode: 'DEVELOPMENT',
    });
    const plan = await planOf('delete_environment', { environment: String(id) });
    for (const name of ['orders-db', 'search'])
      expect(lineFor(plan, name)).toMatch(/; it was never deployed, so it has no data\.$/);
    expect(plan).not.toContain('and all data on');
    expect(lineFor(plan, 'nightly-report')).not.toContain('no data');
    alter = (path, body) =>
      path.endsWith('/statuses')
        ? {
            ...(body as Json),
            databases: ((body as Json)['databases'] as Json[]).map((row) => ({ ...row, state: 'DEPLOYMENT_ERROR' })),
          }
        : body;
    const tried = await planOf('delete_environment', { environment: String(id) });
    expect(lineFor(tried, 'orders-db')).toContain('with its disk of 20 GB and all data on it.');
    refuses = /\/statuses(\?|$)/;
    const unknown = await planOf('delete_environment', { environment: String(id) });
    expect(lineFor(unknown, 'orders-db')).toContain('with its disk of 20 GB and all data on it.');
  });

  test('says what stays when the last thing in it goes', async () => {
    expect(await planOf('delete_environment', { environment: 'data/development' })).toMatch(
      /The project(?: data)? stays, without any environment, .*another call, of the toolset administration\./,
    );
    const { id: environment_id } = await platform.must('create_environment', {
      project_id: seed()['project_id'],
      name: 'with-one',
      mode: 'DEVELOPMENT',
      cluster_id: seed()['cluster_id'],
    });
    await platform.must('create_database', {
      environment_id,
      name: 'only',
      type: 'REDIS',
      version: '7',
      mode: 'CONTAINER',
    });
    expect(await planOf('delete_service', { service: 'shop/with-one/only' })).toMatch(
      /The environment with-one stays, without any service, /,
    );
    expect(await planOf('delete_service', { service: 'shop/staging/orders-db' })).not.toMatch(/environment .*stays/);
  });

  test('says so where something can not be looked up', async () => {
    refuses = /\/(environmentVariable|variable|secret|services|statuses|alert-rules)(\?|$)/;
    const plan = await planOf('delete_service', { service: `infra://service/application/${seed()['application_id']}` });
    expect(plan).toMatch(/now in a state .*not known/);
    expect(plan).toContain('variables that can not be looked up; secrets that can not be looked up');
    expect(plan).toContain('Not known: what else is in its environment');
    expect(plan).toContain('Not known: which alert rules watch what is deleted');
  });

  test('tells what is under way', async () => {
    alter = (path, body) =>
      path.endsWith('/statuses')
        ? {
            ...(body as Json),
            databases: ((body as Json)['databases'] as Json[]).map((row) => ({ ...row, state: 'DEPLOYING' })),
          }
        : body;
    const line = 'Under way: a deployment of orders-db. The platform refuses the deletion until it has ended.';
    expect(await planOf('delete_service', { service: 'shop/staging/orders-db' })).toContain(line);
    expect(await planOf('delete_environment', { environment: 'shop/staging' })).toContain(line);
  });
});

describe('a deletion', () => {
  test('is agreed to by typing the path, waits until the service is gone, and frees its name', async () => {
    const result = await client.call('delete_service', { service: 'shop/staging/orders-db', wait: true });
    expect(user.questions.map(nameToType)).toContain('shop/staging/orders-db');
    expect(result.structuredContent).toMatchObject({
      outcome: 'succeeded',
      state: 'DELETED',
      action: 'DELETE',
      subject: 'shop/staging/orders-db',
    });
    expect(textOf(result)).toContain('it is gone, and its name is free again.');
    expect(await servicesIn(seed()['environment_id'])).not.toContain('orders-db');
    const again = await client.call('create_database', {
      environment_id: 'shop/staging',
      name: 'orders-db',
      type: 'REDIS',
      version: '7',
      mode: 'CONTAINER',
    });
    expect(again.isError, textOf(again)).toBeFalsy();
    // The name stands for the new one at once.
    expect(textOf(await client.call('get_service', { service: 'shop/staging/orders-db' }))).toContain('REDIS');
  });

  test('that is not waited for tells how to, and that tells the end', async () => {
    const result = await client.call('delete_service', { service: 'shop/staging/search' });
    expect(textOf(result)).toContain('accepted, not deleted yet');
    const [wait] = nextOf(result);
    expect(wait).toMatchObject({
      tool: 'wait_for_deployment',
      arguments: { service: seed()['container_id'], action: 'DELETE' },
    });
    expect((await client.call(wait!.tool, wait!.arguments)).structuredContent).toMatchObject({
      outcome: 'succeeded',
      state: 'DELETED',
    });
  });

  test('of an environment takes all of it', async () => {
    const result = await client.call('delete_environment', { environment: 'data/development', wait: true });
    expect(result.structuredContent, textOf(result)).toMatchObject({ outcome: 'succeeded', state: 'DELETED' });
    expect(textOf(result), 'what is gone is not asked').not.toContain('is not said');
    expect(textOf(result)).toMatch(/The project(?: data)? stays, without any environment/);
    const proposed = nextOf(result).find(({ tool }) => tool === 'delete_project');
    expect(proposed?.arguments).toEqual({ project: (result.structuredContent as Json)['empty_project'] });
    expect((await client.call('delete_project', { ...proposed?.arguments, dry_run: true })).isError).toBeFalsy();
    expect(textOf(await client.call('list_environments', { project_id: 'data' }))).not.toContain('development');
  });

  test('that fails says so, and what is left', async () => {
    await stall();
    let polls = 0;
    alter = (path, body) => {
      if (!/\/database\/[^/]+\/status$/.test(path)) return body;
      polls += 1;
      return {
        id: seed()['database_id'],
        state: polls < 3 ? 'DELETING' : 'DELETE_ERROR',
        service_deployment_status: 'UP_TO_DATE',
        is_part_last_deployment: true,
        deployment_requests_count: 0,
        status_details: { action: 'DELETE', status: 'ERROR', sub_action: 'NONE' },
      };
    };
    const result = await client.call('delete_service', { service: 'shop/staging/orders-db', wait: true });
    expect(result.structuredContent).toMatchObject({ outcome: 'failed', state: 'DELETE_ERROR' });
  });

  test('is refused by the platform while a deployment is under way, in its words', async () => {
    await stall();
    await platform.must('deploy_database', { database_id: seed()['database_id'] });
    const result = await client.call('delete_service', { service: 'shop/staging/orders-db' });
    expect(failureIn(result)).toMatchObject({ kind: 'api', why: 'invalid_input', status: 400 });
    expect(textOf(result)).toContain('deployment of orders-db');
  });

  test('of an environment is denied where one kind in it may not be deleted', async () => {
    const guarded = await connectors.modern(user, await policyFrom('deny: [{ tool: delete_service }]'));
    const result = await guarded.call('delete_environment', { environment: 'shop/staging' });
    expect([failureIn(result)?.kind, textOf(result)]).toEqual(['denied', expect.stringMatching(/delete_\w+ on \w+ /)]);
    expect(proxy.writes()).toEqual([]);
  });
});
