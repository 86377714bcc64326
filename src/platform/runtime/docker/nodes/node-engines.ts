import { type DockerClient, dockerInfo, listDockerNodes } from '../api/index.ts';

/** The engines of a swarm's nodes: only a node's engine knows its containers, volumes and images. */
export interface NodeEngines {
  /** Returns the client of a node's engine; undefined if there is none. */
  of(nodeId: string, signal: AbortSignal): Promise<DockerClient | undefined>;
}

/** A source of clients that reach engines through their agents. */
interface EnginesByAgent {
  readonly clientOf: (nodeId: string, signal: AbortSignal) => Promise<DockerClient | undefined>;
}

/** The timeout for querying an engine's node id, and for how long it is not queried again, in milliseconds. */
const timeoutMilliseconds = 2500;
const freshMilliseconds = 10_000;

/**
 * Finds the engines by node: those that the platform has addresses for, and those that have an agent.
 * @param agents default: there are none
 */
export function createNodeEngines({
  docker,
  agents,
}: {
  readonly docker: DockerClient;
  readonly agents?: EnginesByAgent | undefined;
}): NodeEngines {
  const known = new Map<DockerClient, { readonly node: string | undefined; readonly at: number }>();

  const ask = async (engine: DockerClient, signal: AbortSignal): Promise<void> => {
    const node = await dockerInfo(engine, { signal, timeoutMilliseconds }).then(
      ({ Swarm }) => Swarm.NodeID,
      () => undefined,
    );
    signal.throwIfAborted();
    known.set(engine, { node, at: Date.now() });
  };

  return {
    of: async (nodeId, signal) => {
      const find = (): DockerClient | undefined => docker.engines.find((engine) => known.get(engine)?.node === nodeId);
      const present = find();
      if (present !== undefined) return present;
      await Promise.all(
        docker.engines
          .filter((engine) => Date.now() - (known.get(engine)?.at ?? 0) > freshMilliseconds)
          .map((engine) => ask(engine, signal)),
      );
      return find() ?? agents?.clientOf(nodeId, signal);
    },
  };
}

/** How long an engine may take to respond, and for how long one that didn't is not tried again, in milliseconds. */
const signMilliseconds = 2500;
const silentMilliseconds = 10_000;

/** Until when an engine counts as unavailable, in milliseconds since the epoch. */
const awayUntil = new WeakMap<DockerClient, number>();

async function isThere(engine: DockerClient, signal: AbortSignal | undefined): Promise<boolean> {
  if ((awayUntil.get(engine) ?? 0) > Date.now()) return false;
  return engine.version({ ...(signal && { signal }), timeoutMilliseconds: signMilliseconds }).then(
    () => true,
    () => {
      if (!signal?.aborted) awayUntil.set(engine, Date.now() + silentMilliseconds);
      return false;
    },
  );
}

/**
 * Returns the engines behind a client that respond at present. A single one is not checked: the requests that follow
 * show whether it responds.
 */
export async function answeringEngines(
  { engines }: DockerClient,
  signal?: AbortSignal,
): Promise<readonly DockerClient[]> {
  if (engines.length === 1) return engines;
  const answers = await Promise.all(engines.map((engine) => isThere(engine, signal)));
  signal?.throwIfAborted();
  return engines.filter((_, index) => answers[index]);
}

/**
 * Returns the engine that builds images. With a registry, any engine can. Without one, it is the engine of the only
 * node that accepts instances, because only the node that builds an image has it.
 */
export async function engineForBuilds(
  {
    docker,
    builds: { registry },
  }: { readonly docker: DockerClient; readonly builds: { readonly registry?: string | undefined } },
  signal: AbortSignal,
): Promise<DockerClient> {
  if (registry !== undefined || docker.engines.length === 1) return docker.engine();
  const [taking, ...others] = (await listDockerNodes(docker, {}, { signal })).filter(
    ({ Spec }) => Spec.Availability === 'active',
  );
  if (taking === undefined || others.length > 0) return docker.engine();
  return (await createNodeEngines({ docker }).of(taking.ID, signal)) ?? docker.engine();
}
