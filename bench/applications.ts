import { setTimeout as pause } from 'node:timers/promises';
import { terminalOutcome } from '../src/contract/index.ts';
import type { DirectClient } from './clients/direct-client.ts';
import { load, type Load } from './load.ts';
import type { PlatformProcess } from './server-processes.ts';

/** An application that is deployed and read, alone in its environment. */
export interface Application {
  readonly application_id: string;
  readonly environment_id: string;
}

/** Creates environments with one application each, through the API. */
export const createApplications = (
  direct: DirectClient,
  { project_id, cluster_id }: PlatformProcess['ids'],
  count: number,
): Promise<Application[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const environment = await direct.call('create_environment', {
        project_id,
        cluster_id,
        name: `bench ${number}`,
        mode: 'STAGING',
      });
      const environment_id = String(environment['id']);
      const git_repository = { url: 'https://git.example.com/acme/shop.git', branch: 'main' };
      const { id } = await direct.call('create_application', {
        environment_id,
        name: 'app',
        git_repository,
        build_mode: 'DOCKER',
      });
      return { application_id: String(id), environment_id };
    }),
  );

/** Whether a deployment of an application is under way or queued. */
export async function isUnderWay(direct: DirectClient, { application_id }: Application): Promise<boolean> {
  const { state } = await direct.call('get_application_status', { application_id });
  return (
    state !== 'READY' && terminalOutcome('DEPLOY', state === 'RUNNING' ? 'DEPLOYED' : (state as string)) === undefined
  );
}

// Rarely, because asking takes CPU time of the platform too.
const betweenQuestions = 25;

/**
 * Orders deployments of applications in turn, and waits until all have ended.
 * @param clients of platforms on the same records, which take turns
 * @returns how the orders went
 */
export async function deployAll(
  clients: readonly DirectClient[],
  applications: readonly Application[],
  count: number,
  concurrency: number,
): Promise<Load> {
  let turn = 0;
  const ordered = await load(count, concurrency, (worker) => {
    const { application_id } = applications[(turn += 1) % applications.length]!;
    return clients[worker % clients.length]!.call('deploy_application', { application_id });
  });
  for (const application of applications)
    while (await isUnderWay(clients[0]!, application)) await pause(betweenQuestions);
  return ordered;
}
