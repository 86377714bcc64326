import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyWaves, type Known, type RandomRequest, remember, sentBy } from './random-requests.ts';
import { type SharedPlatforms, startSharedPlatforms } from './shared-platforms.ts';

const servicesOnSmall = 3;

let shared: SharedPlatforms;

beforeAll(async () => {
  shared = await startSharedPlatforms(3, servicesOnSmall);
});
afterAll(() => shared?.close());

const found = async (statement: string): Promise<unknown[]> => (await shared.admin.query(statement)).rows;

/** What must never be found, whatever was asked for at once. */
const broken: Readonly<Record<string, string>> = {
  'an address with two invitations':
    'select lower(email) from invitation group by organization_id, lower(email) having count(*) > 1',
  'a cluster with more services than it may hold': `select cluster.id from service join environment on environment.id = environment_id join cluster on cluster.id = cluster_id where cluster.name = 'small' group by cluster.id having count(*) > ${servicesOnSmall}`,
  'an override of another project': `select o.id from variable o join variable v on v.id = o.linked_variable_id left join service s on s.id = o.service_id join environment e on e.id = coalesce(o.environment_id, s.environment_id) where v.project_id is distinct from e.project_id`,
  'a service that counts as up to date and is not': `select id from service where deployment_status = 'UP_TO_DATE' and deployed_spec::text <> spec::text`,
  'a timer of nothing':
    'select subject_id from timer where subject_id not in (select id from service union select id from cluster union select id from alert_rule)',
  'a deployment of nothing':
    'select id from deployment where due_ms is not null and environment_id not in (select id from environment)',
  'a list with another total than it has rows': `
    select * from (
      select 'service' as list, environment_id as owner, count(*) as rows from service group by 2 union all select 'environment', project_id, count(*) from environment group by 2
      union all select 'project', organization_id, count(*) from project group by 2 union all select 'invitation', organization_id, count(*) from invitation group by 2
      union all select 'variable', coalesce(project_id, environment_id, service_id), count(*) from variable where sealed_value is null group by 2) as counted
    left join list_total on list_total.list = counted.list and owner_id = owner where total is distinct from rows`,
};

const openDeployments = 'select count(*)::integer as open from deployment where due_ms is not null';

const settled = async (): Promise<void> => {
  while (((await found(openDeployments))[0] as { open: number }).open > 0) await setTimeout(20);
};

const ids = async (statement: string): Promise<string[]> =>
  ((await found(statement)) as { id: string }[]).map(({ id }) => id);

async function setUp(): Promise<Known> {
  const { organizationId: organization } = shared;
  const project = await shared.call(0, 'create_project', {
    organization_id: organization,
    name: `project ${Date.now()} ${Math.random()}`,
  });
  const [clusters, [registry]] = [
    await ids('select id from cluster order by name'),
    await ids('select id from registry'),
  ];
  const known: Known = {
    organization,
    registry: registry!,
    clusters,
    projects: [],
    environments: [],
    containers: [],
    variables: [],
  };
  remember(known, project);
  remember(
    known,
    await shared.call(0, 'create_variable_of_project', { project_id: known.projects[0], key: 'first', value: 'x' }),
  );
  for (const [index, cluster_id] of clusters.entries()) {
    await shared.call(0, 'unlock_cluster', { cluster_id });
    remember(
      known,
      await shared.call(0, 'create_environment', {
        project_id: known.projects[0],
        name: `environment ${index}`,
        mode: 'STAGING',
        cluster_id,
      }),
    );
  }
  remember(
    known,
    await shared.call(0, 'create_container', {
      environment_id: known.environments[0],
      name: 'first',
      registry_id: registry,
      image_name: 'web',
      tag: '1',
      cpu: 10,
      memory: 10,
      healthchecks: {},
    }),
  );
  expect([known.projects.length, known.environments.length, known.containers.length, known.variables.length]).toEqual([
    1, 2, 1, 1,
  ]);
  return known;
}

/** Sends all requests of a wave at once, to all platforms in turn. */
async function send(wave: readonly RandomRequest[], known: Known): Promise<void> {
  const answers = await Promise.all(wave.map((one, turn) => shared.call(turn, ...sentBy(one, known))));
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  for (const answer of answers) remember(known, answer);
}

test('nothing is broken by what several platforms are asked at once, and nobody waits for each other', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyWaves, async (waves) => {
      const known = await setUp();
      for (const wave of waves) await send(wave, known);
      await settled();
      for (const [what, statement] of Object.entries(broken))
        expect([what, await found(statement)]).toEqual([what, []]);
      expect(shared.errors).toEqual([]);
      // Only as far as others made room.
      for (const id of known.containers) await shared.call(0, 'delete_container', { container_id: id });
      await settled();
      for (const list of ['projects', 'environments', 'containers', 'variables'] as const)
        if (known[list].length > 1) seen.add(list);
    }),
    { numRuns: 6, endOnFailure: true },
  );
  expect([...seen].toSorted()).toEqual(['containers', 'environments', 'projects', 'variables']);
  await shared.admin.query('select pg_stat_clear_snapshot()');
  expect(await found('select deadlocks::integer from pg_stat_database where datname = current_database()')).toEqual([
    { deadlocks: 0 },
  ]);
});
