import { setTimeout as delay } from 'node:timers/promises';
import type { GitServer } from '../git-server.ts';
import type { Json } from '../test-platform.ts';
import { shellSource } from './applications.ts';
import { type ServiceOnHosts, servesPage } from './services-on-hosts.ts';
import type { SpawnedPlatform } from './spawned-platform.ts';
import { statusesIn } from './state-observer.ts';

/** The end of one service's part in a deployment that was not a success. */
export interface FailedRollout {
  readonly service: string;
  readonly state: string;
  /** When it was asked for and when it had ended, in milliseconds of `performance.now()`. */
  readonly began: number;
  readonly ended: number;
  /** The lines of its log, without those of its program; oldest first. */
  readonly lines: readonly string[];
}

/** Deployments of all services, one after the other in each environment. */
export interface Rollouts {
  /** The deployments that were accepted, by their ids; with their environments. */
  readonly accepted: ReadonlyMap<string, string>;
  readonly failed: readonly FailedRollout[];
  /** Asks for no more, and waits until those under way have ended. @throws Error with those that don't */
  end(): Promise<void>;
}

const pollMilliseconds = 500;
/** How long a deployment may take after the last fault has passed, in milliseconds. */
const patienceMilliseconds = 240_000;
/** How many lines of a log are shown of a deployment that doesn't end. */
const keptLines = 30;

const isUnderWay = ({ status_details: details, deployment_requests_count: open }: Json): boolean =>
  /^(?:QUEUED|ONGOING)$/.test(String((details as Json)['status'])) || open !== 0;

/** The services of an environment that are being deployed; undefined while the platform doesn't answer. */
const underWay = (platform: SpawnedPlatform, environmentId: string): Promise<readonly string[] | undefined> =>
  statusesIn(platform, environmentId).then(
    (statuses) =>
      [...statuses].flatMap(([id, status]) => (isUnderWay(status) ? [`${id} is ${String(status['state'])}`] : [])),
    () => undefined,
  );

/** What a deployment did not bring about. */
async function failuresOf(
  platform: SpawnedPlatform,
  deploymentId: string,
  environmentId: string,
  began: number,
  services: readonly ServiceOnHosts[],
): Promise<FailedRollout[]> {
  const ended = performance.now();
  const statuses = await statusesIn(platform, environmentId);
  const lines = await platform.rows(`/environment/${environmentId}/logs`);
  return services.flatMap(({ id, name }) => {
    const { state, status_details: details } = statuses.get(id)!;
    if (!['ERROR', 'CANCELED'].includes(String((details as Json)['status']))) return [];
    const own = lines.filter((line) => line['service_id'] === id && line['deployment_request_id'] === deploymentId);
    return [{ service: name, state: String(state), began, ended, lines: own.map(({ message }) => String(message)) }];
  });
}

/** What is read from the platform, as soon as it answers. */
async function untilRead<Result>(read: () => Promise<Result>): Promise<Result> {
  const patience = Date.now() + patienceMilliseconds;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (Date.now() > patience) throw error;
      await delay(pollMilliseconds);
    }
  }
}

/**
 * Deploys all environments again and again, applications with a new commit each time. What the platform doesn't accept,
 * because it was killed, is asked for again.
 */
export function keepRollingOut(
  platform: SpawnedPlatform,
  git: GitServer,
  services: readonly ServiceOnHosts[],
): Rollouts {
  const accepted = new Map<string, string>();
  const failed: FailedRollout[] = [];
  const ending = new AbortController();
  let round = 0;

  const lastLines = async (environmentId: string): Promise<readonly string[]> =>
    (await platform.rows(`/environment/${environmentId}/logs`).catch(() => []))
      .slice(-keptLines)
      .map(({ created_at: createdAt, message }) => `${String(createdAt)} ${String(message)}`);

  const untilEnded = async (environmentId: string): Promise<void> => {
    let patience = Date.now() + patienceMilliseconds;
    for (;;) {
      const busy = await underWay(platform, environmentId);
      if (busy?.length === 0) return;
      if (!ending.signal.aborted) patience = Date.now() + patienceMilliseconds;
      if (Date.now() > patience)
        throw new Error(
          `Deployments don't end: ${busy?.join(', ') ?? 'the platform does not answer'}. The log ends:\n${(await lastLines(environmentId)).join('\n')}`,
        );
      await delay(pollMilliseconds);
    }
  };

  const deployOnce = async (environmentId: string): Promise<void> => {
    const own = services.filter((service) => service.environmentId === environmentId);
    for (const { kind, repository } of own)
      if (kind === 'application')
        git.commit(repository!, `Version ${(round += 1)}`, shellSource(servesPage, `RUN echo "version ${round}"`));
    const began = performance.now();
    const answer = await platform.call('POST', `/environment/${environmentId}/deploy`).catch(() => undefined);
    if (answer === undefined) {
      await delay(pollMilliseconds);
      return;
    }
    const id = String(answer['deployment_request_id']);
    accepted.set(id, environmentId);
    await untilEnded(environmentId);
    failed.push(...(await untilRead(() => failuresOf(platform, id, environmentId, began, own))));
  };

  const loop = async (environmentId: string): Promise<void> => {
    // One deployment after the other.
    while (!ending.signal.aborted) await deployOnce(environmentId);
    await untilEnded(environmentId);
  };
  const looping = [...new Set(services.map(({ environmentId }) => environmentId))].map(loop);

  return {
    accepted,
    failed,
    end: async () => {
      ending.abort();
      await Promise.all(looping);
    },
  };
}
