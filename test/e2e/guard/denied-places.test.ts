import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFile } from '../../../src/platform/store/index.ts';
import { allResources } from '../../../src/server/browse/index.ts';
import type { Policy } from '../../../src/server/guard/index.ts';
import { tools } from '../../../tools/index.ts';
import { eventually } from '../../support/eventually.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { resourceServersOf, type ResourceClient, type ResourceServers } from '../../support/resource-clients.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../../support/test-platform.ts';
import { isLanding } from '../../suites.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';

let platform: TestPlatform;
let servers: ResourceServers;
/** Ids of what is kept from the caller: of the project, and of what is in its environment. */
const ids: { project: string[]; environment: string[] } = { project: [], environment: [] };
/** The seed's ids, with those of what is kept from the caller in place of what is like it. */
let aimed: TestPlatform['seed'];

// Everything in the denied project has "quagga" in its name, and everything in its PRODUCTION environment "zebra".
beforeAll(async () => {
  platform = await startTestPlatform();
  const made = async (name: Parameters<TestPlatform['must']>[0], input: Json): Promise<string> =>
    String((await platform.must(name, input))['id']);
  const organization = { organization_id: platform.organizationId };
  const project = await made('create_project', { ...organization, name: 'quagga-project' });
  const place = { project_id: project, cluster_id: platform.seed['cluster_id'] };
  const environment = await made('create_environment', { ...place, name: 'zebra-live', mode: 'PRODUCTION' });
  const application = await made('create_application', {
    environment_id: environment,
    name: 'zebra-api',
    git_repository: { url: 'https://git.example/shop/zebra.git' },
  });
  const database = await made('create_database', {
    environment_id: environment,
    name: 'zebra-db',
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
  });
  const variable = await made('create_environment_variable', {
    application_id: application,
    key: 'ZEBRA_KEY',
    value: 'x',
  });
  await platform.must('deploy_application', { application_id: application });
  ids.project.push(project);
  ids.environment.push(environment, application, database, variable, watchService(application));
  await copyWithEveryKind(project);
  servers = resourceServersOf(platform.url, platform.token);
  // What a caller saw when it was allowed to, it isn't told once it isn't.
  const open = await servers.connect('modern');
  await open.client.callTool({ name: 'find_resource', arguments: { limit: 500 } });
  await open.client.callTool({ name: 'list_alert_rules', arguments: {} });
});

/** Copies an environment that has services of every kind into the denied project. */
async function copyWithEveryKind(project: string): Promise<void> {
  const { id } = await platform.must('clone_environment', {
    environment_id: platform.seed['environment_id'],
    name: 'zebra-copy',
    mode: 'PRODUCTION',
    project_id: project,
  });
  const services = rowsOf(await platform.must('list_services', { environment_id: id }));
  const own = Object.fromEntries(
    services.map((row) => [`${String(row['service_type']).toLowerCase()}_id`, String(row['id'])]),
  );
  aimed = {
    ...platform.seed,
    ...own,
    project_id: project,
    environment_id: String(id),
    alert_rule_id: ids.environment.at(-1)!,
  };
  ids.environment.push(String(id), ...services.map((row) => String(row['id'])));
}

/** Adds an alert rule that watches a service, as nothing that the API offers does. @returns its id */
function watchService(service: string): string {
  const db = new DatabaseSync(join(platform.dataDir, databaseFile));
  const id = randomUUID();
  const row = {
    ...db.prepare('SELECT * FROM alert_rule WHERE id = ?').get(platform.seed['alert_rule_id']!),
    id,
    name: 'zebra-errors',
    target_id: service,
  };
  db.prepare(
    `INSERT INTO alert_rule (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
      .map(() => '?')
      .join(', ')})`,
  ).run(...Object.values(row));
  db.close();
  return id;
}

afterAll(async () => {
  await servers.close();
  await platform.close();
});

const all = (): RegExp => new RegExp(['quagga', 'zebra', ...ids.project, ...ids.environment].join('|'), 'i');
const inside = (): RegExp => new RegExp(['zebra', ...ids.environment].join('|'), 'i');

const scoped = (scope: Policy['scope']): Policy => ({ readOnly: false, scope });

const policies: readonly (readonly [string, () => Promise<Policy> | Policy, () => RegExp])[] = [
  ['a project is denied', () => policyFrom('deny: [{ project: quagga-project }]'), all],
  ['reading a project is denied', () => policyFrom('deny: [{ project: quagga-project, tier: read }]'), all],
  [
    'environments are denied',
    () => policyFrom('deny: [{ environment: [quagga-project/zebra-live, quagga-project/zebra-copy] }]'),
    inside,
  ],
  ['only another project is allowed', () => policyFrom('allow: [{ project: shop }]'), all],
  ['a mode is denied', () => policyFrom('deny: [{ mode: PRODUCTION }]'), inside],
  ['calls are kept to another project', () => scoped({ project: { name: 'shop', setBy: 'INFRA_PROJECT' } }), all],
  [
    'calls are kept to another environment',
    () => scoped({ environment: { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' } }),
    all,
  ],
];

const said = async (request: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await request);
  } catch (error) {
    const { message, data } = error as { message: string; data?: unknown };
    return JSON.stringify({ message, data });
  }
};

/** Where what is kept from the caller was told, and with which words around it. */
class Answers {
  readonly leaks: string[] = [];
  count = 0;
  readonly #kept: RegExp;
  constructor(kept: RegExp) {
    this.#kept = kept;
  }
  async take(what: string, request: Promise<unknown>): Promise<void> {
    const text = await said(request);
    this.count += 1;
    const found = this.#kept.exec(text);
    if (found) this.leaks.push(`${what}: ${text.slice(Math.max(0, found.index - 200), found.index + 80)}`);
  }
}

/** Arguments that ask more of a tool than the ordinary ones. */
const furtherCalls: Readonly<Record<string, readonly Json[]>> = {
  find_resource: [
    { limit: 500 },
    { kind: 'environment' },
    { kind: 'project' },
    { kind: 'cluster' },
    { state: 'DEPLOYED', limit: 500 },
    { name: 'a' },
    { name: 'qu' },
  ],
  get_service: [{ service: 'api' }, { service: 'nothing' }, { service: 'application:nothing' }],
  get_environment_overview: [{ environment: 'live' }],
  list_environments: [{ project_id: 'proj' }],
  update_alert_rule: [{ alert_rule_id: 'errors' }],
  get_organization_overview: [{ project: 'shop' }],
  list_events: [{ until: 'P1D' }, { kind: 'project' }, { kind: 'environment' }],
  list_projects: [
    { page: 1, page_size: 1 },
    { page: 2, page_size: 1 },
    { page: 1, page_size: 100 },
  ],
};

async function askEverything({ client, watch: subscribe }: ResourceClient, answers: Answers): Promise<void> {
  await answers.take('instructions', Promise.resolve(client.getInstructions()));
  await answers.take('tools/list', client.listTools());
  const calls = toolCallsOn(platform);
  for (const { name, operation } of tools) {
    const isRead = operation.effect === 'read';
    for (const args of [calls[name]?.() ?? {}, ...(furtherCalls[name] ?? [])]) {
      await answers.take(
        `${name} ${JSON.stringify(args)}`,
        client.callTool({ name, arguments: isRead ? args : { ...args, dry_run: true } }),
      );
    }
  }
  await answers.take('resources/list', client.listResources());
  const { resourceTemplates } = await client.listResourceTemplates();
  for (const { uri } of allResources) {
    const read = uri.replaceAll(/\{\+?(\w+)\}/g, (_, name: string) =>
      name === 'kind'
        ? 'application'
        : name === 'service'
          ? platform.seed['application_id']!
          : platform.seed[`${name}_id`]!,
    );
    const nothing = uri.replaceAll(/\{\+?(\w+)\}/g, (_, name: string) => (name === 'kind' ? 'application' : 'e'));
    for (const one of new Set([read, nothing])) await answers.take(one, client.readResource({ uri: one }));
    await answers.take(
      `subscribe ${read}`,
      subscribe([read]).then(({ agreed }) => agreed),
    );
  }
  const typed = [
    '',
    'z',
    'quagga-project/',
    'quagga-project/zebra-live/',
    ...[...ids.project, ...ids.environment.slice(0, 2)].map((id) => id.slice(0, 6)),
  ];
  for (const { uriTemplate } of resourceTemplates) {
    for (const [, name = ''] of uriTemplate.matchAll(/\{\+?(\w+)\}/g)) {
      for (const value of typed) {
        await answers.take(
          `complete ${uriTemplate} ${name} "${value}"`,
          client.complete({ ref: { type: 'ref/resource', uri: uriTemplate }, argument: { name, value } }),
        );
      }
    }
  }
  const { prompts } = await client.listPrompts();
  const values: Readonly<Record<string, string>> = {
    service: 'shop/staging/checkout-api',
    environment: 'shop/staging',
    source: 'shop/staging',
    target: 'shop/production',
    cluster: 'main',
    project: 'shop',
    email: 'ann@example.com',
    repository: 'https://git.example/shop/app.git',
  };
  for (const { name, arguments: declared = [] } of prompts) {
    const args = Object.fromEntries(
      declared.flatMap((one) => (values[one.name] === undefined ? [] : [[one.name, values[one.name]!]])),
    );
    await answers.take(`prompt ${name}`, client.getPrompt({ name, arguments: args }));
    for (const argument of declared) {
      for (const value of typed) {
        await answers.take(
          `complete prompt ${name} ${argument.name} "${value}"`,
          client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument.name, value } }),
        );
      }
    }
  }
}

/** Further calls about what is kept from the caller. */
const aimedCalls = (): readonly (readonly [string, Json])[] => {
  const { environment_id, application_id, database_id, container_id } = aimed;
  const shop = platform.seed['environment_id'];
  return [
    ['delete_environment', { environment: environment_id }],
    ['delete_service', { service: `infra://service/database/${database_id}` }],
    [
      'stop_services',
      { services: [`infra://service/application/${application_id}`, `infra://service/database/${database_id}`] },
    ],
    ['start_services', { environment: environment_id }],
    ['clone_environment', { environment_id, name: 'copy', mode: 'STAGING', project_id: 'shop' }],
    ['set_environment_variables', { environment: environment_id, variables: { A: 'b' } }],
    ['create_custom_domain', { service: `infra://service/application/${application_id}`, domain: 'a.b.example' }],
    ['restart_services', { environment_id: shop, container_ids: [container_id] }],
    ['compare_environments', { first: shop, second: environment_id }],
    ['get_service', { service: `infra://service/container/${container_id}` }],
    ['get_organization_overview', { project: aimed['project_id'] }],
    ...['checkout-api', 'search', 'session-cache'].flatMap(
      (service) =>
        [
          ['get_service', { service }],
          ['deploy_service', { service }],
        ] as const,
    ),
  ];
};

/** What a server tells, of calls aimed at what is kept from the caller, that the calls themselves didn't say. */
async function leaksOfAimedCalls({ client }: ResourceClient, kept: RegExp): Promise<readonly string[]> {
  const calls = toolCallsOn({ seed: aimed, organizationId: platform.organizationId });
  const known = tools.map(({ name }) => [name, calls[name]?.() ?? {}] as const);
  const leaks: string[] = [];
  for (const [name, args] of [...known, ...aimedCalls()]) {
    const isRead = tools.find((tool) => tool.name === name)!.operation.effect === 'read';
    const text = await said(client.callTool({ name, arguments: isRead ? args : { ...args, dry_run: true } }));
    const given = JSON.stringify(args).toLowerCase();
    const found = [...text.matchAll(new RegExp(kept, 'gi'))].find(([id]) => !given.includes(id.toLowerCase()));
    if (found) leaks.push(`${name} ${given}: ${text.slice(Math.max(0, found.index - 200), found.index + 80)}`);
  }
  return leaks;
}

// Where reading is denied, changes are planned that touch what is there.
const triedPolicies = isLanding ? policies.filter(([name]) => name === 'reading a project is denied') : policies;

describe.each(triedPolicies)('where %s', (_, policyOf, kept) => {
  test('an error of the platform has no id from there', async () => {
    const { client } = await servers.connect('modern', { policy: await policyOf() });
    const { content } = await client.callTool({ name: 'create_project', arguments: { name: 'quagga-project' } });
    expect(JSON.stringify(content)).not.toContain(ids.project[0]);
  });

  test('nothing that the server says has an id or a name from there', async () => {
    const answers = new Answers(kept());
    await askEverything(await servers.connect('modern', { policy: await policyOf() }), answers);
    expect(answers.leaks.slice(0, 12)).toEqual([]);
    expect(answers.count).toBeGreaterThan(300);
  });
});

// Where only reading is denied, plans name what is there.
test.each(
  policies.filter(([name]) => (isLanding ? name === 'a mode is denied' : name !== 'reading a project is denied')),
)('where %s, no call about it tells more than it was given', async (_, policyOf, kept) => {
  const policy = await policyOf();
  expect(await leaksOfAimedCalls(await servers.connect('modern', { policy }), kept())).toEqual([]);
});

test('without rules such calls are answered with more', async () => {
  const leaks = await leaksOfAimedCalls(await servers.connect('modern'), all());
  expect(leaks.map((leak) => leak.split(' ', 1)[0])).toEqual(
    expect.arrayContaining([
      'delete_environment',
      'stop_services',
      'get_service',
      'deploy_service',
      'compare_environments',
    ]),
  );
});

test('a part of a change that is denied is named where the place may be read', async () => {
  const { client } = await servers.connect('modern', { policy: await policyFrom('deny: [{ tool: delete_service }]') });
  const { isError, content } = await client.callTool({
    name: 'delete_environment',
    arguments: { environment: aimed['environment_id'], dry_run: true },
  });
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toMatch(new RegExp(`delete_\\w+ on \\w+ (${ids.environment.join('|')})`));
});

/** What is said of a service whose name several have. */
async function twin(policy: string): Promise<string> {
  const { client } = await servers.connect('modern', { policy: await policyFrom(policy) });
  return said(client.callTool({ name: 'get_service', arguments: { service: 'checkout-api' } }));
}

describe('a name that several things have', () => {
  test('lists those that may be read', async () => {
    const text = await twin('deny: [{ project: quagga-project }]');
    expect(text).toContain('shop/staging/checkout-api');
    expect(text).toContain('shop/production/checkout-api');
    expect(text).not.toMatch(all());
  });

  test('lists the only one that may be read', async () => {
    const text = await twin('allow: [{ environment: shop/staging }]');
    expect(text).toContain('more than this');
    expect(text).toContain('shop/staging/checkout-api');
    expect(text).not.toContain('shop/production');
  });

  test('announces no list where none of them may be read, and no search that is denied', async () => {
    const text = await twin('allow: [{ project: data }]');
    expect(text).toContain('more than one');
    expect(text).not.toContain('find_resource');
    expect(text).not.toContain('shop/');
  });
});

test('where only reading is denied, a change that is in effect already tells no names', async () => {
  const answer = async (policy: string) => {
    const { client } = await servers.connect('modern', { policy: await policyFrom(policy) });
    return said(
      client.callTool({ name: 'stop_environment', arguments: { environment_id: ids.environment[0], dry_run: true } }),
    );
  };
  await platform.must('stop_environment', { environment_id: ids.environment[0] });
  await eventually(async () => expect(await answer('deny: []')).toMatch(/nothing_to_change.*zebra-api/s));
  const hidden = await answer('deny: [{ project: quagga-project, tier: read }]');
  expect(hidden).toContain('nothing runs in this environment');
  expect(hidden).not.toMatch(/zebra-api|zebra-db/);
});

test('without rules all of it is told, so that the search would find it', async () => {
  const answers = new Answers(all());
  await askEverything(await servers.connect('modern'), answers);
  const where = answers.leaks.map((leak) => leak.split(' ', 1)[0]);
  expect(where).toEqual(
    expect.arrayContaining([
      'find_resource',
      'list_projects',
      'list_alert_rules',
      'list_events',
      'infra://alert-rules:',
      'infra://projects:',
      'complete',
      'get_organization_overview',
      'update_alert_rule',
    ]),
  );
});
