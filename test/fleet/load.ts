import type { OperationName } from '../../src/contract/index.ts';
import { seedIds } from '../../src/platform/seed/index.ts';
import { callPlatform, type CallOutcome, type Json, mustCall } from './platform-calls.ts';
import type { Fleet } from './platform-fleet.ts';

/**
 * An environment that the load deploys, with a container and sometimes a database, or a job that comes due every
 * minute.
 */
interface LoadedEnvironment {
  readonly id: string;
  readonly containerId: string;
}

/** A request that began a deployment, or may have. */
interface DeploymentAsked {
  readonly environmentId: string;
  readonly action: string;
}

/** Names by what was told of a request. */
type ByOutcome = Readonly<Record<CallOutcome['outcome'], string[]>>;

const noNames = (): ByOutcome => ({ acknowledged: [], refused: [], unknown: [] });

/** What a load has asked for, and what it was told. */
export interface LoadRecord {
  /** By the ids of the deployments. */
  readonly acknowledged: ReadonlyMap<string, DeploymentAsked>;
  /** Whose answers were lost. */
  readonly unknown: readonly DeploymentAsked[];
  /** How many were refused. */
  readonly refused: number;
  /** The names of environments that it created beside, by what it was told. */
  readonly created: ByOutcome;
  /** Those of them that it deleted again, with a service, by what it was told. */
  readonly deleted: ByOutcome;
  /** Why answers were lost, for the reader of a failure. */
  readonly reasons: ReadonlyMap<string, number>;
}

const { project_id, cluster_id, registry_id } = seedIds;

const web = {
  name: 'web',
  registry_id,
  image_name: 'team/web',
  tag: '1.0',
  cpu: 100,
  memory: 512,
  ports: [],
  healthchecks: {},
};

/** Creates environments with services, by requests to all platforms in turn. */
export async function createEnvironments({ platforms }: Fleet, count: number): Promise<LoadedEnvironment[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { url } = platforms[index % platforms.length]!;
      const { id } = await mustCall(url, 'create_environment', {
        project_id,
        cluster_id,
        name: `load ${index}`,
        mode: 'DEVELOPMENT',
      });
      const environment_id = id as string;
      const container = await mustCall(url, 'create_container', { environment_id, ...web });
      if (index % 3 === 0)
        await mustCall(url, 'create_database', {
          environment_id,
          name: 'records',
          type: 'POSTGRESQL',
          version: '16',
          mode: 'CONTAINER',
          cpu: 100,
          memory: 512,
          storage: 10,
          accessibility: 'PRIVATE',
        });
      if (index % 3 === 1) {
        await mustCall(url, 'create_job', {
          environment_id,
          name: 'report',
          cpu: 100,
          memory: 256,
          max_nb_restart: 0,
          max_duration_seconds: 60,
          healthchecks: {},
          schedule: { cronjob: { scheduled_at: '* * * * *', timezone: 'Etc/UTC' } },
          source: { image: { image_name: 'team/report', tag: '1.0', registry_id } },
        });
      }
      return { id: environment_id, containerId: container['id'] as string };
    }),
  );
}

/**
 * The requests of a load: how often each comes, in parts of all, and the action of its deployment; none for a request
 * that makes none.
 */
const requests: readonly {
  readonly share: number;
  readonly name: OperationName;
  readonly action?: string;
  readonly inputOf: (environment: LoadedEnvironment) => Json;
}[] = [
  { share: 0.7, name: 'deploy_environment', action: 'DEPLOY', inputOf: ({ id }) => ({ environment_id: id }) },
  {
    share: 0.15,
    name: 'deploy_container',
    action: 'DEPLOY',
    inputOf: ({ containerId }) => ({ container_id: containerId }),
  },
  {
    share: 0.05,
    name: 'restart_services',
    action: 'RESTART',
    inputOf: ({ id, containerId }) => ({ environment_id: id, container_ids: [containerId] }),
  },
  { share: 0.06, name: 'stop_environment', action: 'STOP', inputOf: ({ id }) => ({ environment_id: id }) },
  { share: 0.04, name: 'cancel_deployment', inputOf: ({ id }) => ({ environment_id: id }) },
];

const chosen = (draw: number): (typeof requests)[number] => {
  let sum = 0;
  return requests.find(({ share }) => (sum += share) > draw) ?? requests[0]!;
};

/** Whatever a status response names the deployment by. */
const deploymentIdOf = (body: Json): string => (body['deployment_request_id'] ?? body['last_deployment_id']) as string;

/** How many deployments are asked for, and how. */
export interface LoadOptions {
  /** How many acknowledged deployments it ends with. */
  readonly deployments: number;
  /** How many requests are under way at a time. */
  readonly concurrency: number;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Called with the number of acknowledged deployments, after each. */
  readonly onProgress?: (acknowledged: number) => void;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

/**
 * Asks all platforms for deployments, restarts, stops, cancels and new environments, until enough deployments are
 * acknowledged.
 */
export async function askForDeployments(
  { platforms }: Fleet,
  environments: readonly LoadedEnvironment[],
  { deployments, concurrency, random, onProgress }: LoadOptions,
): Promise<LoadRecord> {
  const acknowledged = new Map<string, DeploymentAsked>();
  const unknown: DeploymentAsked[] = [];
  const [created, deleted] = [noNames(), noNames()];
  const reasons = new Map<string, number>();
  let [refused, names] = [0, 0];

  /** Notes what became of a request, and waits a little before the next where it failed. */
  const note = async (result: CallOutcome): Promise<void> => {
    if (result.outcome === 'refused') refused += 1;
    if (result.outcome === 'unknown') reasons.set(result.reason, (reasons.get(result.reason) ?? 0) + 1);
    if (result.outcome === 'unknown' || (result.outcome === 'refused' && result.status === 503)) await pause(100);
  };

  const createAndDelete = async (url: string): Promise<void> => {
    names += 1;
    const name = `beside ${names}`;
    const result = await callPlatform(url, 'create_environment', { project_id, cluster_id, name, mode: 'DEVELOPMENT' });
    created[result.outcome].push(name);
    await note(result);
    if (result.outcome !== 'acknowledged' || random() < 0.5) return;
    const environment_id = result.body['id'] as string;
    await note(await callPlatform(url, 'create_container', { environment_id, ...web }));
    const deletion = await callPlatform(url, 'delete_environment', { environment_id });
    deleted[deletion.outcome].push(name);
    await note(deletion);
  };

  const ask = async (): Promise<void> => {
    const { url } = platforms[Math.floor(random() * platforms.length)]!;
    if (random() < 0.03) return createAndDelete(url);
    const environment = environments[Math.floor(random() * environments.length)]!;
    const { name, action, inputOf } = chosen(random());
    const result = await callPlatform(url, name, inputOf(environment));
    await note(result);
    if (action === undefined) return;
    const asked = { environmentId: environment.id, action };
    if (result.outcome === 'unknown') unknown.push(asked);
    if (result.outcome !== 'acknowledged') return;
    acknowledged.set(deploymentIdOf(result.body), asked);
    onProgress?.(acknowledged.size);
  };

  const askOn = async (): Promise<void> => {
    while (acknowledged.size < deployments) await ask();
  };
  await Promise.all(Array.from({ length: concurrency }, askOn));
  return { acknowledged, unknown, refused, created, deleted, reasons };
}
