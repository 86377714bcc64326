import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
/** The lists that the platform refuses, by their paths. */
let refused: RegExp | undefined;
/** Whether lists leave out what the platform provides. */
let hidesBuiltIn = false;

const isList = (value: unknown): value is { results: Json[] } =>
  typeof value === 'object' && value !== null && Array.isArray((value as Json)['results']);

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    alter: (_, __, body) =>
      hidesBuiltIn && isList(body)
        ? { ...body, results: body.results.filter(({ scope }) => scope !== 'BUILT_IN') }
        : body,
    beforeRequest: async (_, request, response) => {
      if (refused?.test(request.url ?? '') && request.method === 'GET')
        response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"not for this token"}');
    },
  });
  connectors = connectorsTo(proxy.url, platform.tokens.admin);
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

let count = 0;
const image = { image_name: 'nobody/knows', tag: '1' };

/** Every service that runs code of its caller's choice, and what is needed to create it. */
const creations: readonly (readonly [tool: string, args: (registry: unknown) => Json])[] = [
  ['create_job', () => ({ source: { image }, schedule: { on_start: {} } })],
  ['create_container', (registry_id) => ({ ...image, registry_id })],
  ['create_application', () => ({ git_repository: { url: 'https://git.acme.example/new.git', branch: 'main' } })],
  ['create_terraform', () => ({ git_repository: { url: 'https://git.acme.example/infra.git', branch: 'main' } })],
  ['create_helm', () => ({ source: { git_repository: { url: 'https://git.acme.example/c.git', branch: 'main' } } })],
];

const database = { type: 'REDIS', version: '7', mode: 'CONTAINER' };

/** What a creation comes to: the tier and effects of its plan, its question, and whether something was made. */
async function create(tool: string, environment_id: string, given: Json) {
  const user = userAnswering(agree);
  const client = await connectors.modern(user);
  const args = { environment_id, name: `made-${(count += 1)}`, ...given };
  const planned = await client.call(tool, { ...args, dry_run: true });
  expect(failureIn(planned), textOf(planned)).toBeUndefined();
  const { tier, effects } = (planned.structuredContent as { dry_run: { tier: string; effects: string[] } }).dry_run;
  const result = await client.call(tool, args);
  expect(failureIn(result), textOf(result)).toBeUndefined();
  return { tier, effects: effects.join('\n'), question: user.questions.map(({ message }) => message).join('\n') };
}

const registry = async (): Promise<unknown> => {
  const { results } = await platform.must('list_container_registries', { organization_id: platform.organizationId });
  return (results as Json[]).find(({ kind }) => kind === 'DOCKER_HUB')?.['id'] ?? (results as Json[])[0]?.['id'];
};

const told = /^Its code will see these secrets of the project: (.*)\.$/m;
const ofEnvironment = /^Its code will see these secrets of the environment: (.*)\.$/m;
const builtIn = /^Its code will see these built-in secrets: (.*)\.$/m;
const shared = /^Environments that are or may be PRODUCTION see them too: (.*)\.$/m;

test.each(creations)(
  '%s where production shares a secret is asked for, and names all that it sees, without their values',
  async (tool, args) => {
    const { tier, effects, question } = await create(tool, 'shop/staging', args(await registry()));
    expect(tier).toBe('disruptive');
    for (const text of [effects, question]) {
      expect(told.exec(text)?.[1]).toBe('LICENCE_TOKEN');
      expect(shared.exec(text)?.[1]).toBe('production');
      expect(ofEnvironment.exec(text)?.[1]).toBe('SHARED_TOKEN');
      expect(builtIn.exec(text)?.[1]).toMatch(/^DATABASE_\w+_PASSWORD$/);
      expect(text).not.toContain('never-shown');
    }
  },
);

test.each(creations)('%s where no secret of the project is seen is asked of nobody', async (tool, args) => {
  const { tier, effects, question } = await create(tool, 'data/development', args(await registry()));
  expect([tier, question]).toEqual(['write', '']);
  expect(effects).not.toMatch(told);
});

test('a database runs no code of its caller, and is asked of nobody', async () => {
  const { tier, effects, question } = await create('create_database', 'shop/staging', database);
  expect([tier, question]).toEqual(['write', '']);
  expect(effects).not.toMatch(told);
});

const [job, ofJob] = creations[0]!;

describe('a project of its own', () => {
  let project_id: string;

  const environment = (name: string, mode: string): Promise<Json> =>
    platform.must('create_environment', { project_id, name, mode, cluster_id: platform.seed['cluster_id']! });

  beforeAll(async () => {
    project_id = String(
      (await platform.must('create_project', { organization_id: platform.organizationId, name: 'own' }))['id'],
    );
    await environment('test', 'STAGING');
    await platform.must('create_secret_of_project', { project_id, key: 'SHARED', value: 'hush' });
  });

  test('a secret that no production sees is told, and asked of nobody', async () => {
    const { tier, effects, question } = await create(job, 'own/test', ofJob(undefined));
    expect([tier, question]).toEqual(['write', '']);
    expect(told.exec(effects)?.[1]).toBe('SHARED');
    expect(effects).not.toMatch(shared);
  });

  test('a secret of production that the environment replaces by its own is not seen', async () => {
    await environment('live', 'PRODUCTION');
    expect(await create(job, 'own/test', ofJob(undefined))).toMatchObject({ tier: 'disruptive' });
    const { results } = await platform.must('list_environments', { project_id });
    const { id } = (results as Json[]).find(({ name }) => name === 'test')!;
    await platform.must('create_secret_of_environment', { environment_id: String(id), key: 'SHARED', value: 'other' });
    const { tier, effects, question } = await create(job, 'own/test', ofJob(undefined));
    expect([tier, question]).toEqual(['write', '']);
    expect(effects).not.toMatch(told);
    expect(ofEnvironment.exec(effects)?.[1]).toBe('SHARED');
  });

  test('what the platform provides is told with its database, and as not known where no list shows it', async () => {
    const { results } = await platform.must('list_environments', { project_id });
    const { id } = (results as Json[]).find(({ name }) => name === 'test')!;
    expect((await create(job, 'own/test', ofJob(undefined))).effects).not.toMatch(builtIn);
    await platform.must('create_database', { environment_id: String(id), name: 'own-db', ...database });
    const { effects } = await create(job, 'own/test', ofJob(undefined));
    expect(builtIn.exec(effects)?.[1]).toMatch(/^DATABASE_\w+_PASSWORD$/);
    hidesBuiltIn = true;
    try {
      const without = await create(job, 'own/test', ofJob(undefined));
      expect(without.effects).not.toMatch(builtIn);
      expect(without.effects).toMatch(/^Not known: which built-in secrets it will see, /m);
    } finally {
      hidesBuiltIn = false;
    }
  });
});

test.each([
  ['secrets', /secret/i, 'shop/staging', 'disruptive', 1],
  ['secrets', /secret/i, 'data/development', 'write', 0],
  // They tell what an external manager of secrets holds, and which keys of the project the environment replaces.
  ['variables', /variable/i, 'shop/staging', 'disruptive', 1],
] as const)('where %s cannot be listed (%s), a job in %s is judged by what is in its project', async (...row) => {
  const [, lists, place, tier, asked] = row;
  refused = lists;
  try {
    const made = await create(job, place, ofJob(undefined));
    expect(made.tier).toBe(tier);
    expect(made.effects).toContain('Not known: which secrets of its project and environment it will see.');
    expect(made.question.match(/Not known: which secrets of its project/g) ?? []).toHaveLength(asked);
  } finally {
    refused = undefined;
  }
});
