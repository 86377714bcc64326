import { setTimeout as pause } from 'node:timers/promises';
import { connectDirect, type DirectClient } from '../clients/direct-client.ts';
import { startStdioPeer } from '../clients/stdio-client.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { environment } from '../program.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';
import { median } from '../statistics.ts';

/** Of the larger project: services in each of its environments. */
const [environments, servicesEach] = [4, 50];
/** Changes and searches, in rounds: the projects alternate, because the load of the machine varies. */
const [changes, searches, rounds] = [200, 20, 4];

interface Project {
  readonly seenBy: string;
  readonly name: string;
  readonly change: (number: number) => Promise<unknown>;
}

async function isDeployed(direct: DirectClient, environment_id: string): Promise<boolean> {
  const { environment: whole } = await direct.call('get_environment_status', { environment_id });
  return (whole as { readonly state?: string }).state === 'DEPLOYED';
}

/** Creates a project with a variable and deployed services in environments, each with a variable of its own. */
async function project(
  direct: DirectClient,
  { organization_id, cluster_id }: PlatformProcess['ids'],
  [count, each]: readonly [number, number],
): Promise<Project> {
  const services = count * each;
  const name = `seen by ${services}`;
  const { id: project_id } = await direct.call('create_project', { organization_id, name });
  for (let place = 0; place < count; place += 1) {
    const { id: environment_id } = await direct.call('create_environment', {
      project_id,
      cluster_id,
      name: `place ${place}`,
      mode: 'STAGING',
    });
    for (let service = 0; service < each; service += 1) {
      const git_repository = { url: 'https://git.example.com/acme/shop.git', branch: 'main' };
      const { id: application_id } = await direct.call('create_application', {
        environment_id,
        name: `app ${service}`,
        git_repository,
        build_mode: 'DOCKER',
      });
      await direct.call('create_environment_variable', { application_id, key: 'OWN', value: 'own' });
    }
    await direct.call('deploy_environment', { environment_id });
    while (!(await isDeployed(direct, String(environment_id)))) await pause(20);
  }
  const variable = { project_id, key: 'SHARED', value: 'first' };
  const { id: environment_variable_id } = await direct.call('create_variable_of_project', variable);
  return {
    seenBy: services === 1 ? '1 service' : `${services} services`,
    name,
    change: (number) =>
      direct.call('update_variable_of_project', { ...variable, environment_variable_id, value: `value ${number}` }),
  };
}

/** The median duration of something done for each project in turn, for the larger ones relative to the first. */
async function alternately(
  what: string,
  projects: readonly Project[],
  times: number,
  run: (one: Project) => Promise<unknown>,
): Promise<Figure[]> {
  const medians = projects.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, one] of projects.entries())
      medians[index]!.push((await load(Math.ceil(times / rounds), 1, () => run(one))).median);
  const [first, ...larger] = projects.map(({ seenBy }, index): Figure => ({
    name: `${what}, seen by ${seenBy}`,
    value: median(medians[index]!),
    unit: 'ms',
  }));
  return [first!, ...larger.map((figure) => relativeTo(first!, figure))];
}

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const direct = connectDirect(platform.url, platform.token);
  const server = { command: program.command, env: environment(await program.directory('stdio'), platform.options) };
  const peer = await startStdioPeer(server, '2026');
  const projects = [
    await project(direct, platform.ids, [1, 1]),
    await project(direct, platform.ids, [environments, servicesEach]),
  ];
  let number = 0;
  const change = ({ change: once }: Project) => once((number += 1));
  const search = ({ name }: Project) =>
    peer.request('tools/call', { name: 'list_environment_variables', arguments: { project: name, key: 'SHARED' } });
  await alternately('warm', projects, times(changes / 4), change);
  const figures = [
    ...(await alternately('a variable of a project is changed', projects, times(changes), change)),
    ...(await alternately('it is found by its key', projects, times(searches), search)),
  ];
  await peer.close();
  await direct.close();
  await platform.close();
  return figures;
}

export const variables: Measurement = {
  name: 'variables',
  about: `A variable that 1 deployed service sees, and one that ${environments * servicesEach} do: a change of it on the platform, and a search by key that reads each service.`,
  measure,
};
