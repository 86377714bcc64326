import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { listDockerContainers } from '../../../src/platform/runtime/docker/api/index.ts';
import type { Json } from '../test-platform.ts';
import type { ServiceOnHosts } from './services-on-hosts.ts';
import type { SpawnedPlatform } from './spawned-platform.ts';
import type { TestHost } from './test-host.ts';

/** A state that the API told for a while, and that wasn't so. */
export interface FalseState {
  readonly service: string;
  readonly what: string;
  readonly seconds: number;
}

/** Compares what the API tells with what the hosts run. */
export interface StateObserver {
  /** The hosts that have neither power nor network: nothing on them counts as running. */
  readonly away: Set<string>;
  /** How often both were compared. */
  looks(): number;
  /** What is told now of services and isn't so. */
  presentFalsehoods(): readonly string[];
  /** States that were told without being so, since the last call; the longest first. */
  takeFalseStates(): readonly FalseState[];
  end(): Promise<void>;
}

const intervalMilliseconds = 1000;
const timeoutMilliseconds = 3000;

/** The control groups of all processes, in one text: those of a container have its id. */
async function controlGroups(): Promise<string> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return (await Promise.all(processes.map((id) => readFile(`/proc/${id}/cgroup`, 'utf8').catch(() => '')))).join('');
}

/**
 * How many containers of each service of the swarm run, by its name there, on hosts that are there. One without a
 * process doesn't run: engines whose disk was full when a program ended go on listing its container.
 */
export async function runningOnHosts(hosts: readonly TestHost[]): Promise<ReadonlyMap<string, number>> {
  const filters = { label: ['io.infra-mcp.service', 'com.docker.swarm.service.name'], status: ['running'] };
  const lists = await Promise.all(
    hosts.map(({ docker }) => listDockerContainers(docker, filters, { timeoutMilliseconds }).catch(() => [])),
  );
  const groups = await controlGroups();
  const counts = new Map<string, number>();
  for (const { Labels } of lists.flat().filter(({ Id: id }) => groups.includes(id))) {
    const name = Labels['com.docker.swarm.service.name']!;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The statuses of the services of an environment, by their ids. */
export async function statusesIn(platform: SpawnedPlatform, environmentId: string): Promise<ReadonlyMap<string, Json>> {
  const { environment: _, ...kinds } = await platform.call('GET', `/environment/${environmentId}/statuses`);
  return new Map((Object.values(kinds) as Json[][]).flat().map((status) => [String(status['id']), status]));
}

/** What is told of a service and isn't so; undefined if nothing is. @param running how many instances of it run */
function contradiction({ kind, instances }: ServiceOnHosts, status: Json, running: number): string | undefined {
  if (kind === 'job') return undefined;
  const { instances: told, warnings = [] } = (status['running'] ?? {}) as {
    readonly instances?: number;
    readonly warnings?: readonly string[];
  };
  const state = String(status['state']);
  if (warnings.some((warning) => warning.includes('What runs is not known'))) return undefined;
  if (/^(?:DEPLOYED|RUNNING|RESTARTED)$/.test(state)) {
    if (running === 0) return `${state}, and nothing runs`;
    return told !== undefined && told > running ? `${told} instances are told, and fewer run` : undefined;
  }
  return state === 'UNAVAILABLE' && running >= instances ? `${state}, and all instances run` : undefined;
}

/**
 * Begins to compare the states of services with what runs, every second. A second in which the API doesn't answer
 * doesn't count.
 */
export function observeStates(
  platform: SpawnedPlatform,
  services: readonly ServiceOnHosts[],
  hosts: readonly TestHost[],
): StateObserver {
  const environments = [...new Set(services.map(({ environmentId }) => environmentId))];
  const ending = new AbortController();
  const away = new Set<string>();
  const since = new Map<ServiceOnHosts, { readonly what: string; readonly at: number }>();
  let found: FalseState[] = [];
  let looks = 0;

  const note = (service: ServiceOnHosts, now: number): void => {
    const present = since.get(service);
    if (present)
      found.push({
        service: `${service.name} (${service.id})`,
        what: present.what,
        seconds: (now - present.at) / 1000,
      });
    since.delete(service);
  };

  const endAll = (): void => {
    for (const service of since.keys()) note(service, performance.now());
  };

  const observe = async (): Promise<void> => {
    const [running, statuses] = await Promise.all([
      runningOnHosts(hosts.filter(({ name }) => !away.has(name))),
      Promise.all(environments.map((id) => statusesIn(platform, id))),
    ]);
    looks += 1;
    const now = performance.now();
    const byId = new Map(statuses.flatMap((each) => [...each]));
    for (const service of services) {
      const status = byId.get(service.id);
      const what = status && contradiction(service, status, running.get(`infra-${service.id}`) ?? 0);
      if (since.get(service)?.what !== what) note(service, now);
      if (what !== undefined && !since.has(service)) since.set(service, { what, at: now });
    }
  };

  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await observe().catch(() => endAll());
      await delay(intervalMilliseconds, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const looping = loop();

  return {
    away,
    looks: () => looks,
    presentFalsehoods: () => [...since].map(([{ name, id }, { what }]) => `${name} (${id}): ${what}`),
    takeFalseStates: () => {
      endAll();
      const taken = found.toSorted((one, other) => other.seconds - one.seconds);
      found = [];
      return taken;
    },
    end: async () => {
      ending.abort();
      await looping;
    },
  };
}
