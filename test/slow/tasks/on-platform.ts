import { isDeepStrictEqual } from 'node:util';
import { type AnyOperation, operations } from '../../../src/contract/index.ts';
import type { Client } from '../../../src/client/client.ts';
import { scenarios } from '../../../src/platform/testing/scenarios/scenarios.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import type { Connectors } from '../../support/connectors.ts';
import { agree, userAnswering } from '../../support/mcp-clients.ts';
import { enlarge } from './large-organization.ts';
import { play, type Step } from './play.ts';
import type { EndState, ReadEnd, ServiceEnd, Task } from './task.ts';

type Row = Record<string, unknown>;

/** The token of the platform that tasks are done on. */
export const platformToken = 'token-of-the-tasks';

/** The path of the service that a task's scenario breaks; empty without one. */
export function brokenService({ scenario: name }: Pick<Task, 'scenario'>): string {
  const scenario = scenarios.find((one) => one.name === name);
  const deployed = scenario?.history
    .toReversed()
    .flatMap((episode) => ('deploy' in episode ? [episode.deploy.at(-1)!] : []));
  return deployed?.[0] ?? '';
}

/** Steps with the broken service in the place of its mark. */
export const filled = (steps: readonly Step[], broken: string): readonly Step[] =>
  JSON.parse(JSON.stringify(steps).replaceAll('@failed', broken)) as readonly Step[];

/**
 * Uses a platform with a task's failure on it, as nobody has touched it.
 * @param isLarge whether its organization has many more environments and services
 */
export async function withPlatform(
  task: Pick<Task, 'scenario'>,
  use: (url: string) => Promise<void>,
  isLarge = false,
): Promise<void> {
  const platform = await startTestPlatform({
    token: platformToken,
    rateLimit: 100_000,
    randomSeed: 'tasks',
    ...(task.scenario && { scenarios: [task.scenario] }),
  });
  try {
    if (isLarge) enlarge(platform);
    await use(platform.url);
  } finally {
    await platform.close();
  }
}

/** Does what was done before a task. */
export async function prepare({ before = [] }: Pick<Task, 'before'>, { modern }: Connectors): Promise<void> {
  if (before.length > 0) await play(before, await modern(userAnswering(agree)));
}

/** How many requests the platform still allows. Finding out takes one. */
export async function requestsLeft(client: Client): Promise<number> {
  await client.call(operations.get_organization, {});
  return client.budget()?.remaining ?? 0;
}

/** What the platform shows of a service, environment or project. */
interface Seen {
  readonly row: Row;
  readonly state: unknown;
  /** Whether what runs is what is configured. */
  readonly freshness?: unknown;
  readonly id: string;
}

/** Looks at the platform itself, past the server that is tried. */
async function look(client: Client, path: string): Promise<Seen> {
  const [project, environment, service] = path.split('/');
  const named = (list: unknown, name: string | undefined): Row => {
    const found = (list as { results: Row[] }).results.find((row) => row['name'] === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const { id: organization_id } = (await client.call(operations.get_organization, {})) as { id: string };
  const inProject = named(await client.call(operations.list_projects, { organization_id }), project);
  if (environment === undefined) return { row: inProject, state: undefined, id: String(inProject['id']) };
  const inEnvironment = named(
    await client.call(operations.list_environments, { project_id: String(inProject['id']) }),
    environment,
  );
  const environment_id = String(inEnvironment['id']);
  const statuses = (await client.call(operations.get_environment_status, { environment_id })) as Record<
    string,
    Row | Row[]
  >;
  if (service === undefined)
    return { row: inEnvironment, state: (statuses['environment'] as Row)['state'], id: environment_id };
  const row = named(await client.call(operations.list_services, { environment_id }), service);
  const status = Object.values(statuses)
    .flat()
    .find(({ id }) => id === row['id']);
  return { row, state: status?.['state'], freshness: status?.['service_deployment_status'], id: String(row['id']) };
}

/** The variables that a service sees, inherited ones included. */
async function variablesSeen(client: Client, { row, id }: Seen): Promise<Row> {
  const kind = String(row['service_type']).toLowerCase();
  const list = {
    application: operations.list_environment_variables,
    container: operations.list_variables_of_container,
    job: operations.list_variables_of_job,
  }[kind] as AnyOperation | undefined;
  if (!list) throw new Error(`no list has the variables of a ${kind}`);
  const { results } = (await client.call(list, { [`${kind}_id`]: id })) as {
    results: { key: string; value: string }[];
  };
  return Object.fromEntries(results.map(({ key, value }) => [key, value]));
}

const isGroup = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members that are not as expected, as texts; members that nothing is expected of don't count. */
const differing = (seen: unknown, expected: Row, path = ''): string[] =>
  Object.entries(expected).flatMap(([name, value]) => {
    const at = path + name;
    const member = isGroup(seen) ? seen[name] : undefined;
    if (isGroup(value)) return differing(member, value, `${at}.`);
    return isDeepStrictEqual(member, value) ? [] : [`${at} is ${JSON.stringify(member)}, not ${JSON.stringify(value)}`];
  });

/** What a read shows that it must not, or doesn't show. */
async function faultsOfRead(client: Client, { read, of: about, has, lacks }: ReadEnd): Promise<string[]> {
  const ids = about
    ? await Promise.all(Object.entries(about).map(async ([member, path]) => [member, (await look(client, path)).id]))
    : [['organization_id', ((await client.call(operations.get_organization, {})) as { id: string }).id]];
  const answer = (await client.call(operations[read] as AnyOperation, Object.fromEntries(ids) as never)) as Row;
  const rows = (answer['results'] as Row[] | undefined) ?? [answer];
  const isThere = (row: Row): boolean => rows.some((one) => differing(one, row).length === 0);
  return [
    ...(has && !isThere(has) ? [`there is no ${JSON.stringify(has)}, only ${JSON.stringify(rows)}`] : []),
    ...(lacks && isThere(lacks) ? [`there is ${JSON.stringify(lacks)}`] : []),
  ];
}

async function faultsOfService(
  client: Client,
  { at, state, freshness, is = {}, variables }: ServiceEnd,
): Promise<string[]> {
  const seen = await look(client, at);
  const faults = [
    ...differing(seen, { ...(state !== undefined && { state }), ...(freshness !== undefined && { freshness }) }),
    ...differing(seen.row, is),
  ];
  return variables ? [...faults, ...differing(await variablesSeen(client, seen), variables)] : faults;
}

/** What is not as it must be after a task, as texts; empty if all is well. */
export async function endFaults(client: Client, task: Task): Promise<string[]> {
  const broken = brokenService(task);
  const faultsIn = (end: EndState): Promise<string[]> =>
    'read' in end
      ? faultsOfRead(client, end)
      : faultsOfService(client, { ...end, at: end.at.replace('@failed', broken) });
  const faults = await Promise.all(
    [...(task.end ?? []), ...(task.keeps ?? [])].map(async (end) =>
      (await faultsIn(end).catch((error: unknown) => [(error as Error).message])).map(
        (fault) => `${'read' in end ? end.read : end.at.replace('@failed', broken)}: ${fault}`,
      ),
    ),
  );
  return faults.flat();
}

/** What results don't say that they have to, or say that they must not; as texts. */
export function sayingFaults({ says = [], hides }: Pick<Task, 'says' | 'hides'>, texts: readonly string[]): string[] {
  const isSaid = (one: string): boolean => texts.some((text) => text.includes(one));
  return [
    ...[says]
      .flat()
      .filter((one) => !isSaid(one))
      .map((one) => `no tool's result says "${one}"`),
    ...(hides !== undefined && isSaid(hides) ? ['a result shows what must stay hidden'] : []),
  ];
}
