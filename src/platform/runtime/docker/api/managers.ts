import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { DockerCall, DockerClient, DockerRequest } from './client.ts';
import { DockerError, isDockerAway, isDockerError, isLeaderless, leaderlessText } from './errors.ts';
import { dockerInfo } from './system.ts';
import type { DockerVersion } from './api-version.ts';

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
  const probe = async (): Promise<never> => {
    for (;;) {
      await delay(silentMilliseconds, undefined, { signal: over.signal, ref: false });
      await engine.version({ timeoutMilliseconds: signOfLifeMilliseconds });
    }
  };
  void probe().catch((error: unknown) => {
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
 */
class ManagersClient implements DockerClient {
  readonly #engines: readonly DockerClient[];
  readonly #memory: SwarmMemory | undefined;
  /** Engines of other swarms, with the swarms that they manage. */
  readonly #strangers = new Map<DockerClient, string>();
  /** The swarm of the cluster; undefined until it is known. */
  #swarm: string | undefined;
  #current: DockerClient | undefined;
  #choosing: Promise<DockerClient> | undefined;
  /** When to try earlier addresses again, in milliseconds since the epoch. */
  #nextReturn = 0;

  constructor(engines: readonly DockerClient[], memory: SwarmMemory | undefined) {
    this.#engines = engines;
    this.#memory = memory;
  }

  get address(): string {
    return this.#engines.map(({ address }) => address).join(', ');
  }

  get engines(): readonly DockerClient[] {
    return this.#engines.filter((engine) => !this.#strangers.has(engine));
  }

  /** Returns the engine in use. Now and then, earlier addresses are tried in the background. */
  async engine(): Promise<DockerClient> {
    if (this.#current === undefined) return this.#chooseOnce();
    if (this.#current !== this.#engines[0] && Date.now() >= this.#nextReturn) {
      this.#nextReturn = Date.now() + returnMilliseconds;
      void this.#chooseOnce().catch(() => undefined);
    }
    return this.#current;
  }

  problem(): string | undefined {
    const [stranger] = this.#strangers;
    if (stranger === undefined) return undefined;
    const [{ address }, managed] = stranger;
    return `The engine at ${address} manages another swarm (${managed}) than the other addresses of its cluster (${this.#swarm}). It is never used: correct "engine" in the clusters file. If the cluster has moved to that swarm, start the platform once with this address alone.`;
  }

  async version(call?: DockerCall): Promise<DockerVersion> {
    return (await this.engine()).version(call);
  }

  async apiVersion(call?: DockerCall): Promise<string> {
    return (await this.engine()).apiVersion(call);
  }

  request<Answer = unknown>(request: DockerRequest): Promise<Answer> {
    return this.#send(request, async (engine) => {
      const { signal, end } = watch(engine, request);
      return engine.request<Answer>({ ...request, signal }).finally(end);
    });
  }

  stream(request: DockerRequest): Promise<AsyncIterable<Buffer>> {
    return this.#send(request, async (engine) => {
      const { signal, end } = watch(engine, request);
      try {
        return untilEnd(await engine.stream({ ...request, signal }), end);
      } catch (error) {
        end();
        throw error;
      }
    });
  }

  async upgrade(request: DockerRequest): Promise<Duplex> {
    return (await this.engine()).upgrade(request);
  }

  async close(): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.close()));
  }

  /** Requires that an engine manages this swarm, or any swarm while none is known. */
  #requireOwn(engine: DockerClient, managed: string): void {
    if (this.#swarm === undefined || managed === this.#swarm) {
      this.#strangers.delete(engine);
      return;
    }
    this.#strangers.set(engine, managed);
    throw new DockerError(
      'no manager',
      `the engine at ${engine.address} manages another swarm (${managed}) than the cluster's (${this.#swarm}), and is never used`,
    );
  }

  async #choose(): Promise<DockerClient> {
    this.#swarm ??= await this.#memory?.read();
    const isFirst = this.#swarm === undefined;
    const found = new Map<DockerClient, string>();
    const errors: DockerError[] = [];
    const asked = this.#engines.map(async (engine) => {
      try {
        const managed = await managedSwarm(engine);
        this.#requireOwn(engine, managed);
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
    const chosen = this.#engines.find((engine) => found.has(engine));
    if (chosen === undefined) throw noneUsable(errors);
    if (isFirst) {
      const own = found.get(chosen)!;
      await this.#memory?.write(own);
      this.#swarm = own;
      for (const [engine, managed] of found) if (managed !== own) this.#strangers.set(engine, managed);
    }
    return chosen;
  }

  #chooseOnce(): Promise<DockerClient> {
    return (this.#choosing ??= this.#choose()
      .then((engine) => {
        this.#nextReturn = Date.now() + returnMilliseconds;
        this.#current = engine;
        return engine;
      })
      .finally(() => {
        this.#choosing = undefined;
      }));
  }

  /** Sends a request to the engine in use, and to others if it is repeatable. */
  async #send<Result>(request: DockerRequest, attempt: (engine: DockerClient) => Promise<Result>): Promise<Result> {
    for (let left = this.#engines.length; ; left -= 1) {
      // Attempts are sequential.
      const engine = await this.engine();
      request.signal?.throwIfAborted();
      try {
        return await attempt(engine);
      } catch (error) {
        if (!isDockerAway(error)) throw error;
        if (this.#current === engine) this.#current = undefined;
        if (left === 0 || !isRepeatable(request, error)) throw error;
      }
    }
  }
}

/**
 * Creates the client of one swarm through its managers.
 * @param engines in order of preference. A single one may be any engine: its errors say what it lacks
 * @param memory stores the known swarm; without one, the swarm of the preferred manager that answers is used
 */
export const createManagersClient = (engines: readonly DockerClient[], memory?: SwarmMemory): DockerClient =>
  engines.length === 1 ? engines[0]! : new ManagersClient(engines, memory);
