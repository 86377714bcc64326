import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

/**
 * How the platform of a test differs: paths that it doesn't have, with what it answers there, and answers that it
 * alters.
 */
interface Difference {
  readonly lacks?: RegExp;
  readonly refusal?: { readonly status: number; readonly message: string };
  readonly alter?: (path: string, body: Json) => unknown;
}

const noSuchPage = { status: 404, message: 'no such page' };

let platform: TestPlatform;
let proxy: RecordingProxy;
let difference: Difference = {};
const opened: Connectors[] = [];

const refuse = (path: string, response: ServerResponse): void => {
  if (!difference.lacks?.test(path)) return;
  const { status, message } = difference.refusal ?? noSuchPage;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ status, message }));
};

beforeAll(async () => {
  platform = await startTestPlatform({
    scenarios: ['bad-image-tag', 'terraform-state-lock', 'database-down', 'cluster-locked'],
  });
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, request, response) => refuse(request.url!.split('?')[0]!, response),
    alter: (_method, path, body) => (difference.alter ? difference.alter(path, body as Json) : body),
  });
});

afterEach(async () => {
  difference = {};
  for (const connectors of opened.splice(0)) await connectors.close();
});

afterAll(async () => {
  await proxy.close();
  await platform.close();
});

/** Calls a tool through a client that knows nothing of the platform yet. */
async function ask(what: Difference, tool: string, args: Json) {
  difference = what;
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(connectors);
  const user = userAnswering(() => ({ action: 'decline' }));
  const result = await (await connectors.modern(user)).call(tool, args);
  return {
    text: textOf(result),
    data: (result.structuredContent ?? {}) as Json,
    isError: result.isError ?? false,
    asked: user.questions.length,
  };
}

const service = (path: string): string => seedId(`service/${path}`);
const pricing = service('pricing/staging/pricing-engine');
const network = service('network/staging/private-network');
const ledgerDatabase = service('ledger/staging/ledger-db');
const ledger = seedId('environment/ledger/staging');

const isEnvironmentLog = (path: string): boolean => /^\/environment\/[^/]+\/logs$/.test(path);

const isHistoryPath = /^\/container\/[^/]+\/deploymentHistory/;

const isHistory = (path: string): boolean => path.endsWith('/deploymentHistoryV2');

const execution = (id: unknown): string => `run-${String(id)}`;

const rowsIn = (body: Json): Json[] => body['results'] as Json[];

/** A row of the environment's log as other platforms write it, where the deployment is known by its execution. */
const asRecord = ({ created_at, message, step, service_id, service_name, deployment_request_id }: Json): Json => ({
  type: 'Info',
  timestamp: created_at,
  message: { safe_message: message, full_details: null },
  error: null,
  details: {
    execution_id: execution(deployment_request_id),
    transmitter: { id: service_id, name: service_name, type: 'Container' },
    stage: { step, id: null, name: null },
  },
});

const withRecords: Difference = { alter: (path, body) => (isEnvironmentLog(path) ? rowsIn(body).map(asRecord) : body) };

/** Requests and their executions have different ids: a status has both, histories and logs those of executions. */
const withExecutions: Difference = {
  alter: (path, body) => {
    if (isEnvironmentLog(path)) return rowsIn(body).map(asRecord);
    if (isHistory(path))
      return {
        results: rowsIn(body).map((row) => ({
          ...row,
          identifier: { execution_id: execution((row['identifier'] as Json)['execution_id']) },
        })),
      };
    if (/\/status(es)?$/.test(path))
      return JSON.parse(
        JSON.stringify(body).replaceAll(/"execution_id":(null|"[^"]*")/g, '"execution_id":null'),
        (_, value: unknown) => {
          const record = value as Json | null;
          return typeof record === 'object' && record !== null && 'execution_id' in record
            ? { ...record, execution_id: execution(record['deployment_request_id']) }
            : value;
        },
      ) as unknown;
    return body;
  },
};

describe('why a deployment failed is found', () => {
  const unreadable: [string, Difference, string][] = [
    [
      'an object',
      { alter: (path, body) => (isEnvironmentLog(path) ? { results: 'see the console' } : body) },
      'Not read: get_environment_logs, because',
    ],
    [
      'a list of numbers',
      { alter: (path, body) => (isEnvironmentLog(path) ? [1, 2, 3] : body) },
      'get_environment_logs: ',
    ],
  ];

  test.each(unreadable)("where the environment's log is %s", async (_, what, leftOut) => {
    const { data, text, isError } = await ask(what, 'diagnose_deployment', { service: pricing });
    expect(isError, text).toBe(false);
    expect(data['cause']).toMatchObject({ code: 'image_tag_not_found' });
    expect(text).toContain(leftOut);
  });

  test("where the environment's log has records instead of lines", async () => {
    const { data, text } = await ask({ ...withRecords, lacks: /^\/container\/[^/]+\/log$/ }, 'diagnose_deployment', {
      service: pricing,
    });
    expect(data['cause'], text).toMatchObject({ code: 'image_tag_not_found' });
    expect((data['lines'] as string[]).join('\n')).toContain('3.7.0-rc.2');
  });

  test.each<[string, Difference]>([
    ['logs and histories name executions', withExecutions],
    ['the log can not be read', unreadable[1]![1]],
  ])('after waiting too, where %s', async (_, what) => {
    const { data, text, isError } = await ask(
      { ...what, lacks: what === withExecutions ? /^\/container\/[^/]+\/log$/ : undefined },
      'wait_for_deployment',
      { service: pricing, seconds: 3 },
    );
    expect(isError, text).toBe(false);
    expect(data).toMatchObject({
      outcome: 'failed',
      state: 'DEPLOYMENT_ERROR',
      diagnosis: { outcome: 'failed', cause: { code: 'image_tag_not_found' } },
    });
  });

  test('or not, and how it ended is told all the same', async () => {
    const { data, text, isError } = await ask(
      { lacks: /deploymentHistoryV2$/, refusal: { status: 400, message: 'query is not allowed' } },
      'wait_for_deployment',
      { service: pricing, seconds: 3 },
    );
    expect(isError, text).toBe(false);
    expect(data).toMatchObject({ outcome: 'failed', state: 'DEPLOYMENT_ERROR' });
    expect(text).toContain('Why it failed is not said, because the platform failed');
  });

  test.each([
    [
      'not known, where neither its state nor its history can be read',
      true,
      /neither the state of this service nor its history can be read/,
    ],
    ['never deployed, where its history is empty', false, /never_deployed/],
  ])('or that it is %s', async (_, isUnreadable, says) => {
    const { text } = await ask(
      {
        alter: (path, body) => {
          if (isHistory(path)) return isUnreadable ? { data: body } : { ...body, results: [] };
          return /\/status(es)?$/.test(path) ? { data: body } : body;
        },
      },
      'diagnose_deployment',
      { service: pricing },
    );
    expect(text).toMatch(says);
  });

  test('without any log, and that is told', async () => {
    const { data, text } = await ask({ lacks: /\/logs?$/ }, 'diagnose_deployment', { service: pricing });
    expect(data['outcome'], text).toBe('failed');
    expect(text).toContain('No log could be read');
  });
});

describe('lines of a service that has no log of its own', () => {
  const without: Difference = { ...withRecords, lacks: /^\/(database|terraform)\/[^/]+\/log$/ };

  test('are not known where no line says which service it is from', async () => {
    const { text, data, isError } = await ask(
      {
        alter: (path, body) =>
          isEnvironmentLog(path)
            ? { results: rowsIn(body).map((row) => ({ ...row, service_id: undefined, service_name: undefined })) }
            : body,
        lacks: /^\/(database|terraform)\/[^/]+\/log$/,
      },
      'search_logs',
      { service: network, pattern: '.' },
    );
    expect(isError, text).toBe(false);
    expect(data).not.toHaveProperty('matched');
    expect(text).not.toContain('0 of 0');
  });

  test.each([
    ['terraform', network],
    ['database', ledgerDatabase],
  ])('are those in the log of its environment: %s', async (kind, id) => {
    const { data, text, isError } = await ask(without, 'search_logs', { service: id, pattern: '.' });
    expect(isError, text).toBe(false);
    expect(data['matched']).toBeGreaterThan(0);
    expect(text).toContain(`The log of this ${kind} itself is not read`);
    const all = await ask(without, 'search_logs', {
      environment: kind === 'database' ? ledger : seedId('environment/network/staging'),
      pattern: '.',
    });
    expect(data['matched']).toBeLessThanOrEqual(all.data['matched'] as number);
  });

  test('of one deployment are found by the id that the deploy answered, where lines name its execution', async () => {
    const { data: waited } = await ask(withExecutions, 'wait_for_deployment', { service: pricing, seconds: 3 });
    const { data, text } = await ask(withExecutions, 'search_logs', {
      service: pricing,
      deployment_id: waited['deployment_id'],
      pattern: 'not found',
    });
    expect(data['matched'], text).toBeGreaterThan(0);
  });

  test('can not be found where nothing can be read, which is not the same as none', async () => {
    const { text, data, isError } = await ask({ lacks: /\/logs?$/ }, 'search_logs', { service: network, pattern: '.' });
    expect(isError, text).toBe(false);
    expect(data).not.toHaveProperty('matched');
    expect(text).not.toContain('0 of 0');
    for (const read of ['get_terraform_logs', 'get_environment_logs']) expect(text).toContain(`Not read: ${read}`);
  });
});

describe('the log of an environment that can not be read', () => {
  const withoutLog: Difference = { lacks: /^\/environment\/[^/]+\/logs$/ };
  const pricingStaging = seedId('environment/pricing/staging');

  test.each<[string, Difference]>([
    ['is not offered', withoutLog],
    ['is a page', { alter: (path, body) => (isEnvironmentLog(path) ? '<html>' : body) }],
  ])('is put together from those of its services where it %s', async (_, what) => {
    const { data, text, isError } = await ask(what, 'search_logs', { environment: pricingStaging, pattern: '.' });
    expect(isError, text).toBe(false);
    expect(data['matched']).toBeGreaterThan(0);
    const own = await ask({}, 'search_logs', { service: pricing, pattern: '.' });
    const lines = (data['results'] as string[]).join('\n');
    for (const line of own.data['results'] as string[]) expect(lines).toContain(line.slice(-30));
  });

  test('names the services whose lines are not among them', async () => {
    const { text } = await ask({ lacks: /^\/environment\/[^/]+\/logs$|^\/database\/[^/]+\/log$/ }, 'search_logs', {
      environment: ledger,
      pattern: '.',
    });
    expect(text).toContain(`Not among them are those of database ${ledgerDatabase}`);
  });

  test('is not known where none of its services has one', async () => {
    const { text, data } = await ask({ lacks: /\/logs?$/ }, 'search_logs', {
      environment: pricingStaging,
      pattern: '.',
    });
    expect(text).toContain('The log could not be read, so it is not known whether there are such lines.');
    expect(data).not.toHaveProperty('matched');
  });

  test.each<[string, Difference]>([
    ['is not offered', withoutLog],
    [
      'names no deployments',
      {
        alter: (path, body) =>
          isEnvironmentLog(path)
            ? { results: rowsIn(body).map((row) => ({ ...row, deployment_request_id: undefined })) }
            : body,
      },
    ],
  ])('does not tell of one deployment where it %s', async (_, what) => {
    const { text, data } = await ask(what, 'search_logs', {
      service: pricing,
      deployment_id: seedId('deployment/any'),
      pattern: '.',
    });
    expect(text).toContain('The lines of that deployment can not be had');
    expect(data).not.toHaveProperty('matched');
  });
});

describe('an application without a status or log of its own', () => {
  const checkout = seedId('service/shop/production/checkout-api');
  const ways: readonly [string, (form: RegExp) => Difference][] = [
    ['has no route there', (form) => ({ lacks: form })],
    ['answers a page there', (form) => ({ alter: (path, body) => (form.test(path) ? '<html>' : body) })],
    ['fails there every time', (form) => ({ lacks: form, refusal: { status: 500, message: 'oh no' } })],
    ['answers nothing there', (form) => ({ alter: (path, body) => (form.test(path) ? {} : body) })],
  ];

  test.each(ways)('has the state that its environment tells, where it %s', async (_, without) => {
    const own = await ask({}, 'get_application_status', { application_id: checkout });
    const { data, text, isError } = await ask(without(/^\/application\/[^/]+\/status$/), 'get_application_status', {
      application_id: checkout,
    });
    expect(isError, text).toBe(false);
    expect(data).toMatchObject({ id: checkout, state: 'DEPLOYED' });
    expect(text).toContain(
      'The status of this application itself is not read: this is its row in the statuses of its environment, where DEPLOYED is good.',
    );
    expect(own.text).not.toContain('is not read');
  });

  test.each(ways)('has the lines that its environment has, where it %s', async (_, without) => {
    const { data, text, isError } = await ask(without(/^\/application\/[^/]+\/log$/), 'get_application_logs', {
      application_id: checkout,
      tail: 3,
    });
    expect(isError, text).toBe(false);
    expect(data['results']).toHaveLength(3);
    expect(text).toContain('The log of this application itself is not read');
  });

  test.each([
    ['get_application_status', /\/status(es)?$/],
    ['get_application_logs', /\/logs?$/],
  ])('fails at %s with the reason, where its environment tells nothing either', async (tool, lacks) => {
    const { text, isError } = await ask({ lacks }, tool, { application_id: checkout });
    expect(isError).toBe(true);
    expect(text).toContain(`${tool} failed`);
  });

  test.each(['get_application_status', 'get_application_logs'])(
    'is not looked for elsewhere by %s where the token may not read it',
    async (tool) => {
      const { text, isError } = await ask({ lacks: /\/(status|log)$/, refusal: { status: 403, message: 'no' } }, tool, {
        application_id: checkout,
      });
      expect(isError).toBe(true);
      expect(text).toMatch(/403/);
    },
  );

  test.each(['get_application_status', 'get_application_logs'])(
    'is unknown to %s where there is none of that id',
    async (tool) => {
      const { text, isError } = await ask({}, tool, { application_id: seedId('service/nothing') });
      expect(isError).toBe(true);
      expect(text).toContain(`${tool} failed`);
      expect(text).toContain('404');
    },
  );
});

describe('the state of a service that has no status of its own', () => {
  const without: Difference = { lacks: /^\/(container|database|terraform)\/[^/]+\/status$/ };

  test.each([
    ['terraform', network, 'DEPLOYMENT_ERROR'],
    ['container', pricing, 'DEPLOYMENT_ERROR'],
    ['database', ledgerDatabase, 'STOPPED'],
  ])('is that in its environment: %s', async (_, id, state) => {
    expect((await ask(without, 'get_service', { service: id })).data['status']).toMatchObject({ state });
  });

  test('is waited for', async () => {
    expect((await ask(without, 'wait_for_deployment', { service: network, seconds: 3 })).data).toMatchObject({
      outcome: 'failed',
      diagnosis: { cause: { code: 'terraform_state_locked' } },
    });
  });

  const failing: Difference = { lacks: without.lacks, refusal: { status: 500, message: 'oh no' } };

  test('is that in its environment where the platform fails at its own every time, and that is said', async () => {
    const { data, text } = await ask(failing, 'get_service', { service: network });
    expect(data['status']).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect(text).toContain(
      'The status of this terraform itself is not read: this is its row in the statuses of its environment',
    );
    const waited = await ask(failing, 'wait_for_deployment', { service: network, seconds: 3 });
    expect(waited.data).toMatchObject({ outcome: 'failed' });
    expect(waited.text).toContain('The status of this terraform itself is not read');
  });

  test('is not known where the platform fails at that of its environment, too, and the rest is shown', async () => {
    const { data, text, isError } = await ask({ ...failing, lacks: /\/status(es)?$/ }, 'get_service', {
      service: network,
    });
    expect([isError, data['status'], data['name']]).toEqual([false, undefined, 'private-network']);
    expect(text).toContain(
      'The status of this terraform could not be read: the platform fails there (HTTP 500), and its environment does not tell it either.',
    );
  });

  test('is in the plan of a deployment', async () => {
    const { text } = await ask(without, 'redeploy_terraform', { terraform_id: network, dry_run: true });
    expect(text).toContain('Now DEPLOYMENT_ERROR');
  });
});

const statusUnsaid: Difference['alter'] = (path, body) =>
  /\/cluster\/[^/]+\/status$/.test(path) ? { ...body, cluster_lock: undefined } : body;

const withoutCluster = (row: Json): Json => ({ ...row, cluster_id: undefined });

/** Alters what is read of environments: none has a cluster. */
function withoutClusters(path: string, body: Json): Json {
  if (/^\/environment\/[^/]+$/.test(path)) return withoutCluster(body);
  return /^\/project\/[^/]+\/environment$/.test(path)
    ? { ...body, results: (body['results'] as Json[]).map(withoutCluster) }
    : body;
}

describe('the lock of a cluster', () => {
  const cluster = seedId('cluster/warehouse');
  const stockSync = seedId('service/warehouse/production/stock-sync');
  const bothLists = /^\/organization\/[^/]+\/(cluster\/)?lock$/;
  const asOneOfTheClusters = { status: 404, message: 'Cluster lock was not found' };

  test.each<[string, Difference]>([
    ['is listed under its other path', { lacks: /\/cluster\/lock$/ }],
    [
      'is listed under its other path, and the first taken for the id of a cluster',
      { lacks: /\/cluster\/lock$/, refusal: asOneOfTheClusters },
    ],
    [
      'is an invalid id there',
      { lacks: /\/cluster\/lock$/, refusal: { status: 400, message: 'clusterId must be a UUID' } },
    ],
    ['is in the status of the cluster', { lacks: bothLists }],
    [
      'has no end that is told',
      {
        lacks: bothLists,
        alter: (_, body) =>
          body['cluster_lock']
            ? { ...body, cluster_lock: { ...(body['cluster_lock'] as Json), ttl_in_days: undefined } }
            : body,
      },
    ],
  ])('is known before anybody is asked where it %s', async (_, what) => {
    for (const [tool, args] of [
      ['deploy_service', { service: stockSync }],
      ['upgrade_cluster', { cluster_id: cluster }],
    ] as const) {
      const { text, isError, asked } = await ask(what, tool, args);
      expect({ isError, asked }, text).toEqual({ isError: true, asked: 0 });
      expect(text).toMatch(/Bo Lindqvist .*Incident 2291/);
    }
  });

  const couldNotLook = `Not known: whether cluster ${cluster} is locked, because neither the locks nor its status can be read; if it is, the platform refuses this.`;

  test.each<[string, Difference]>([
    ['no path of it is offered', { lacks: /^\/organization\/[^/]+\/(cluster\/)?lock$|\/cluster\/[^/]+\/status$/ }],
    [
      'the token may read none',
      {
        lacks: /^\/organization\/[^/]+\/(cluster\/)?lock$|\/cluster\/[^/]+\/status$/,
        refusal: { status: 403, message: 'no' },
      },
    ],
    [
      'no answer can be read',
      { alter: (path, body) => (/\/lock$|\/cluster\/[^/]+\/status$/.test(path) ? '<html>' : body) },
    ],
    ['the status does not say', { lacks: bothLists, alter: statusUnsaid }],
  ])('that nobody can look for is told to whoever has to agree: %s', async (_, what) => {
    for (const [tool, args] of [
      ['deploy_service', { service: stockSync }],
      ['upgrade_cluster', { cluster_id: cluster }],
    ] as const) {
      const user = userAnswering(() => ({ action: 'decline' }));
      difference = what;
      const connectors = connectorsTo(proxy.url, platform.token);
      opened.push(connectors);
      await (await connectors.modern(user)).call(tool, args);
      expect(
        user.questions.map(({ message }) => message),
        tool,
      ).toEqual([expect.stringContaining(couldNotLook) as string]);
      const { text } = await ask(what, tool, { ...args, dry_run: true });
      expect(text).toContain(couldNotLook);
    }
  });

  test('that nobody can look for is told where the cluster itself is not known', async () => {
    const { text } = await ask({ alter: withoutClusters }, 'deploy_service', { service: stockSync, dry_run: true });
    expect(text).toContain(
      'Not known: whether the cluster of this is locked, because nothing tells which cluster that is; if it is, the platform refuses this.',
    );
  });

  test('that can be looked for is no such line', async () => {
    const { text } = await ask({}, 'deploy_service', { service: pricing, dry_run: true });
    expect(text).not.toContain('locked');
  });

  test('is told where the status of the cluster does not say', async () => {
    const what: Difference = { alter: statusUnsaid };
    const unlock = await ask(what, 'unlock_cluster', { cluster_id: cluster, dry_run: true });
    expect(unlock.text).toContain('Bo Lindqvist');
    expect(
      (await ask({ ...what, lacks: bothLists }, 'unlock_cluster', { cluster_id: cluster, dry_run: true })).text,
    ).toMatch(/Not known: .* locked/);
  });
});

const statusesWith = (change: (body: Json) => Json): Difference => ({
  alter: (path, body) => (/^\/environment\/[^/]+\/statuses$/.test(path) ? change(body) : body),
});
const environmentOnly = ({ environment }: Json): Json => ({ environment });
const answeredAt = (form: RegExp, answer: Json): Difference => ({
  alter: (path, body) => (form.test(path) ? answer : body),
});
const lists = ['applications', 'containers', 'databases', 'jobs', 'helms', 'terraforms'];

describe('what could not be looked at is not said to be none', () => {
  const shop = seedId('environment/shop/production');

  test.each<[string, Difference, RegExp, string[]]>([
    [
      'lacks all lists',
      statusesWith(environmentOnly),
      /^Not known is whether there are services\. The answer of the platform has no list of them\.$/m,
      [],
    ],
    [
      'lacks the others',
      statusesWith((body) => ({ ...environmentOnly(body), containers: [], jobs: [] })),
      /^Not known is whether there are services of these kinds: application, database, helm, terraform\. /m,
      ['containers', 'jobs'],
    ],
    [
      'has null for one',
      statusesWith((body) => ({ ...body, applications: null })),
      /^Not known is whether there are services of these kinds: application\. /m,
      lists.slice(1),
    ],
  ])('in the status of an environment that %s', async (_, what, says, told) => {
    const { text, data, isError } = await ask(what, 'get_environment_status', { environment_id: shop });
    expect(isError, text).toBe(false);
    expect(text).toMatch(says);
    expect(text).not.toContain('no services');
    expect(data['not_listed']).toHaveLength(lists.length - told.length);
  });

  test('but an environment with empty lists has no services', async () => {
    const { text } = await ask(
      statusesWith((body) => ({ ...environmentOnly(body), ...Object.fromEntries(lists.map((list) => [list, []])) })),
      'get_environment_status',
      { environment_id: shop },
    );
    expect(text).toContain('no services');
    expect(text).not.toContain('Not known is');
  });

  test.each<[string, Difference, string]>([
    [
      'the platform does not offer it',
      { lacks: isHistoryPath },
      'does not offer GET /container/{containerId}/deploymentHistory',
    ],
    ['the token may not read it', { lacks: isHistoryPath, refusal: { status: 403, message: 'no' } }, '(HTTP 403)'],
    [
      'the answer is a page',
      { alter: (path, body) => (isHistoryPath.test(path) ? '<html>' : body) },
      'because the answer',
    ],
  ])('of deployments, but why: %s', async (_, what, why) => {
    const { text, isError } = await ask(what, 'list_deployments', { service: pricing });
    expect(isError).toBe(true);
    expect(text).toContain("the deployments of this container can't be read here, because ");
    expect(text).toContain(why);
  });

  test.each<[string, Difference]>([
    ['the organization has no id', answeredAt(/^\/organization$/, { name: 'Acme' })],
    ['the list of projects is null', answeredAt(/^\/organization\/[^/]+\/project$/, { results: null })],
    ['the list of services is null', answeredAt(/^\/environment\/[^/]+\/services$/, { results: null })],
  ])('by the name of a service, where %s', async (_, what) => {
    const { text, isError } = await ask(what, 'get_service', { service: 'shop/production/search' });
    expect(isError).toBe(true);
    expect(text).toContain(
      'The service "shop/production/search" could not be looked for everywhere, so it is not known whether there is one.',
    );
    expect(text).toContain('Give its id and kind: infra://service/<kind>/<id>.');
    expect(text).not.toContain('There is no');
    // What changes something rests on no such answer at all.
    expect((await ask(what, 'deploy_service', { service: 'shop/production/search' })).text).toMatch(
      /^deploy_service failed: "(?:id|results)"/,
    );
  });
});

describe('the history of a platform without pages', () => {
  const without: Difference = { alter: (path, body) => (isHistory(path) ? { results: rowsIn(body) } : body) };

  test('has older rows by a larger page_size, and nobody is told to ask for a page', async () => {
    const [first, second] = [
      await ask(without, 'list_deployments', { service: pricing, page_size: 1 }),
      await ask(without, 'list_deployments', { service: pricing, page_size: 2 }),
    ];
    expect(first.text).toContain('give page_size 2');
    expect(first.text).not.toMatch(/\bpage [2-9]/);
    expect(first.data['page']).toBeUndefined();
    expect(second.data['results'] as Json[]).toHaveLength(2);
  });

  test('has on its second page what follows the first, or says that it can not be known', async () => {
    const [first, second, whole] = [
      await ask(without, 'list_deployments', { service: pricing, page_size: 1 }),
      await ask(without, 'list_deployments', { service: pricing, page_size: 1, page: 2 }),
      await ask({}, 'list_deployments', { service: pricing }),
    ];
    expect([first, second].flatMap(({ data }) => data['results'])).toEqual(
      (whole.data['results'] as Json[]).slice(0, 2),
    );
    const capped: Difference = {
      alter: (path, body) => (isHistory(path) ? { results: rowsIn(body).slice(0, 1) } : body),
    };
    const beyond = await ask(capped, 'list_deployments', { service: pricing, page_size: 1, page: 2 });
    expect(beyond.data['results']).toEqual([]);
    expect(beyond.text).toContain('whether there are older ones is not known');
  });

  test('has images among the details of its rows', async () => {
    const flat: Difference = {
      alter: (path, body) =>
        isHistory(path)
          ? { results: rowsIn(body).map((row) => ({ ...row, details: (row['details'] as Json)['image'] ?? {} })) }
          : body,
    };
    const { data } = await ask(flat, 'list_deployments', { service: pricing });
    expect((data['results'] as Json[])[0]).toMatchObject({
      image: expect.stringContaining('pricing-engine:3.7.0-rc.2') as string,
    });
  });

  test('of an environment has its services in stages', async () => {
    const staged: Difference = {
      alter: (path, body) =>
        /^\/environment\/.*deploymentHistoryV2$/.test(path)
          ? {
              results: rowsIn(body).map(({ services, status_details: action, ...row }) => ({
                ...row,
                details: undefined,
                status_details: undefined,
                trigger_action: (action as Json)['action'],
                action_status: (action as Json)['status'],
                stages: [
                  {
                    name: 'all',
                    status: 'DONE',
                    services: (services as Json[]).map(({ service_id, name, service_type, status, details = {} }) => ({
                      identifier: { service_id, name, service_type },
                      status,
                      details,
                    })),
                  },
                ],
              })),
            }
          : body,
    };
    const rows = async (what: Difference): Promise<Json[]> =>
      (await ask(what, 'list_deployments', { environment: ledger })).data['results'] as Json[];
    expect(await rows(staged)).toEqual(await rows({}));
  });
});
