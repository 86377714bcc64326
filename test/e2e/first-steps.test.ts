import { afterAll, beforeAll, expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { rowsOf, startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
/** Whoever may do everything, and whoever may only read. */
let clients: Readonly<Record<'everybody' | 'reader', TestClient>>;
let empty: { readonly project: string; readonly environment: string };

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  const everybody = await connectors.modern(userAnswering(agree));
  clients = { everybody, reader: await connectors.modern(userAnswering(agree), { readOnly: true }) };
  const answerOf = async (tool: string, args: Json): Promise<Json> =>
    (await everybody.call(tool, args)).structuredContent as Json;
  const [{ id: cluster_id } = {}] = rowsOf(await answerOf('list_clusters', {}));
  const make = async (name: string) => String((await answerOf('create_project', { name }))['id']);
  const project = await make('without environments');
  const own = await make('without services');
  const body = { project_id: own, name: 'bare', mode: 'DEVELOPMENT', cluster_id };
  empty = { project, environment: String((await platform.must('create_environment', body))['id']) };
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

/** The tools of the calls that an answer proposes and that lack what the user knows. */
const openIn = (text: string): readonly string[] =>
  [...text.matchAll(/^With what only the user knows: (\w+) /gm)].map(([, tool]) => tool!);

const services = ['create_application', 'create_container', 'create_database'];

test.each<[string, () => Json, readonly string[]]>([
  ['list_environments', () => ({ project: empty.project }), ['create_environment']],
  ['get_environment_overview', () => ({ environment: empty.environment }), services],
  ['list_services', () => ({ environment: empty.environment }), services],
])('%s says what makes a first entry, to whoever has that tool', async (tool, args, made) => {
  const [full, read] = await Promise.all([clients.everybody.call(tool, args()), clients.reader.call(tool, args())]);
  expect(full.isError, textOf(full)).toBeFalsy();
  expect(openIn(textOf(full))).toEqual(made);
  expect(read.isError, textOf(read)).toBeFalsy();
  expect(textOf(read)).not.toMatch(/create[_ ]/);
});

test('where there is something, nothing is proposed for it', async () => {
  for (const [tool, args] of [
    ['list_projects', {}],
    ['get_environment_overview', { environment: platform.seed['environment_id'] }],
  ] as const) {
    const answer = await clients.everybody.call(tool, args);
    expect(answer.isError, textOf(answer)).toBeFalsy();
    expect(openIn(textOf(answer))).toEqual([]);
  }
});

test('without any project, the first one is proposed on the first page only', () => {
  const { next } = tools.find(({ name }) => name === 'list_projects')!;
  if (typeof next !== 'function') throw new Error('it proposes no calls');
  expect(next({ results: [] }, {})).toMatchObject([{ tool: 'create_project', isForThoseWithIt: true }]);
  expect(next({ results: [] }, { page: 2 })).toEqual([]);
});
