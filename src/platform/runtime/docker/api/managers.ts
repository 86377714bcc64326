import { setTimeout as delay } from 'node:timers/promises';
import type { DockerClient, DockerRequest } from './client.ts';
import { DockerError, isDockerAway, isDockerError, isLeaderless, leaderlessText } from './errors.ts';
import { dockerInfo } from './system.ts';

/** How long an engine may be silent before it is probed, in milliseconds. */
const silentMilliseconds = 2000;
/** The time limit for its answer, in milliseconds. */
const signOfLifeMilliseconds = 5000;

/**
 * Watches whether an engine still answers while it works on a request: the connection to a host without power stays
 * silent forever.
 * @returns a signal that aborts the request, and a function that ends the watch
 */
function watch(
  engine: DockerClient,
  { method, path, signal }: DockerRequest,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const [over, lost] = [new AbortController(), new AbortController()];
  const look = async (): Promise<never> => {
    for (;;) {
      await delay(silentMilliseconds, undefined, { signal: over.signal, ref: false });
      await engine.version({ timeoutMilliseconds: signOfLifeMilliseconds });
    }
  };
  void look().catch((error: unknown) => {
    if (!over.signal.aborted)
      lost.abort(
        new DockerError(
          'unreachable',
          `the engine at ${engine.address} stopped answering`,
          { method, path },
          { cause: error },
        ),
      );
  });
  return { signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal, end: () => over.abort() };
}

/** Passes a stream through, and calls `end` when it is over. */
async function* untilEnd(stream: AsyncIterable<Buffer>, end: () => void): AsyncGenerator<Buffer, void> {
  try {
    yield* stream;
  } finally {
    end();
  }
}

/** Stores the id of the swarm that the managers belong to. */
export interface SwarmMemory {
  read(): Promise<string | undefined>;
  write(id: string): Promise<void>;
}

/** The time limit for an engine's description of itself, in milliseconds. */
const standingMilliseconds = 5000;
/**
 * How much longer than the fastest one the others may take, in milliseconds, so that an earlier address is preferred to
 * a faster one.
 */
const headStartMilliseconds = 500;
/** How long after a failover the earlier addresses are tried again, in milliseconds. */
const returnMilliseconds = 30_000;
/** Paths that every manager answers alike. All others concern the machine of the engine. */
const ofSwarm = /^\/(?:services|tasks|nodes|secrets|configs|swarm|distribution)(?:\/|$)|^\/networks(?:\/create)?$/;

/** Whether a failed request can be sent to another manager: it only reads, or certainly changed nothing. */
const isRepeatable = ({ method, path, tar }: DockerRequest, { kind, neverSent }: DockerError): boolean =>
  ofSwarm.test(path) &&
  tar === undefined &&
  kind !== 'timeout' &&
  (method === 'GET' || method === 'HEAD' || neverSent || kind === 'no manager');

/**
 * The id of the swarm that an engine manages.
 * @throws DockerError if it doesn't answer, is no manager, or has no leader
 */
async function managedSwarm(engine: DockerClient): Promise<string> {
  const {
    Swarm: { Cluster, Error: problem = '' },
  } = await dockerInfo(engine, { timeoutMilliseconds: standingMilliseconds }).catch(async (error: unknown) => {
    // For the first seconds without a leader, an engine answers no request about its swarm.
    if (isDockerError(error, 'timeout')) await engine.version({ timeoutMilliseconds: signOfLifeMilliseconds });
    throw isDockerError(error, 'timeout') ? new DockerError('no leader', leaderlessText) : error;
  });
  if (isLeaderless(problem)) throw new DockerError('no leader', leaderlessText);
  if (!Cluster?.ID) throw new DockerError('no manager', `the engine at ${engine.address} is not a manager of a swarm`);
  return Cluster.ID;
}

/** Combines several errors. What a manager lacks says more than that another one can't be reached. */
function noneUsable(errors: readonly DockerError[]): DockerError {
  const kinds = ['no leader', 'timeout', 'no manager'] as const;
  const kind = kinds.find((each) => errors.some((error) => error.kind === each)) ?? 'unreachable';
  const reasons = errors
    .toSorted((one, other) => Number(other.kind === kind) - Number(one.kind === kind))
    .map(({ reason }) => reason);
  return new DockerError(
    kind,
    `no manager of the swarm can be queried: ${[...new Set(reasons)].join('; ')}`,
    undefined,
    { neverSent: true },
  );
}

/**
 * A client of one swarm through several of its managers. It uses one of them, fails over to another when that one can't
 * be reached, is no manager or has no leader, and returns to an earlier address when that works again. A request that
 * another manager can repeat is sent again. A change that may have been carried out is not: its error says so, and the
 * caller checks what exists. An engine of another swarm is never used.
 * @param engines in order of preference
 * @param memory stores the known swarm; without one, the swarm of the preferred manager that answers is used
 */
export function createManagersClient(engines: readonly DockerClient[], memory?: SwarmMemory): DockerClient {
  // A single one may be any engine: its errors say what it lacks.
  if (engines.length === 1) return engines[0]!;
  const strangers = new Map<DockerClient, string>();
  let swarm: string | undefined;
  let current: DockerClient | undefined;
  let choosing: Promise<DockerClient> | undefined;
  let nextReturn = 0;

  /** Requires that an engine manages this swarm, or any swarm while none is known. */
  const requireOwn = (engine: DockerClient, managed: string): void => {
    if (swarm === undefined || managed === swarm) {
      strangers.delete(engine);
      return;
    }
    strangers.set(engine, managed);
    throw new DockerError(
      'no manager',
      `the engine at ${engine.address} manages another swarm (${managed}) than the cluster's (${swarm}), and is never used`,
    );
  };

  const choose = async (): Promise<DockerClient> => {
    swarm ??= await memory?.read();
    const isFirst = swarm === undefined;
    const found = new Map<DockerClient, string>();
    const errors: DockerError[] = [];
    const asked = engines.map(async (engine) => {
      try {
        const managed = await managedSwarm(engine);
        requireOwn(engine, managed);
        found.set(engine, managed);
      } catch (error) {
        if (error instanceof DockerError) errors.push(error);
        throw error;
      }
    });
    const all = Promise.allSettled(asked);
    await Promise.any(asked).catch(() => undefined);
    // The choice of the swarm must not depend on which engine is faster.
    await (isFirst ? all : Promise.race([all, delay(headStartMilliseconds)]));
    const chosen = engines.find((engine) => found.has(engine));
    if (chosen === undefined) throw noneUsable(errors);
    if (isFirst) {
      const own = found.get(chosen)!;
      await memory?.write(own);
      swarm = own;
      for (const [engine, managed] of found) if (managed !== swarm) strangers.set(engine, managed);
    }
    return chosen;
  };

  const chooseOnce = (): Promise<DockerClient> =>
    (choosing ??= choose()
      .then((engine) => {
        nextReturn = Date.now() + returnMilliseconds;
        current = engine;
        return engine;
      })
      .finally(() => {
        choosing = undefined;
      }));

  /** The engine in use. Now and then, earlier addresses are tried in the background. */
  const inUse = async (): Promise<DockerClient> => {
    if (current === undefined) return chooseOnce();
    if (current !== engines[0] && Date.now() >= nextReturn) {
      nextReturn = Date.now() + returnMilliseconds;
      void chooseOnce().catch(() => undefined);
    }
    return current;
  };

  /** Sends a request to the engine in use, and to others if it is repeatable. */
  const send = async <Result>(
    request: DockerRequest,
    attempt: (engine: DockerClient) => Promise<Result>,
  ): Promise<Result> => {
    for (let left = engines.length; ; left -= 1) {
      // Attempts are sequential.
      const engine = await inUse();
      request.signal?.throwIfAborted();
      try {
        return await attempt(engine);
      } catch (error) {
        if (!isDockerAway(error)) throw error;
        if (current === engine) current = undefined;
        if (left === 0 || !isRepeatable(request, error)) throw error;
      }
    }
  };

  const problem = (): string | undefined => {
    const [stranger] = [...strangers].map(
      ([{ address }, managed]) =>
        `The engine at ${address} manages another swarm (${managed}) than the other addresses of its cluster (${swarm}). It is never used: correct "engine" in the clusters file. If the cluster has moved to that swarm, start the platform once with this address alone.`,
    );
    return stranger;
  };

  return {
    address: engines.map(({ address }) => address).join(', '),
    get engines() {
      return engines.filter((engine) => !strangers.has(engine));
    },
    engine: inUse,
    problem,
    version: async (call) => (await inUse()).version(call),
    apiVersion: async (call) => (await inUse()).apiVersion(call),
    request: (request) =>
      send(request, async (engine) => {
        const { signal, end } = watch(engine, request);
        return engine.request<never>({ ...request, signal }).finally(end);
      }),
    stream: (request) =>
      send(request, async (engine) => {
        const { signal, end } = watch(engine, request);
        try {
          return untilEnd(await engine.stream({ ...request, signal }), end);
        } catch (error) {
          end();
          throw error;
        }
      }),
    upgrade: async (request) => (await inUse()).upgrade(request),
    close: async () => {
      await Promise.all(engines.map((engine) => engine.close()));
    },
  };
}
