import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { condition, type Condition } from '../../../../contract/index.ts';
import { errorMessage } from '../../../common/index.ts';
import { ConditionError, RuntimeProblem, type Say, type ServiceToRun } from '../../index.ts';
import {
  addressOfNode,
  type DockerClient,
  dockerInfo,
  inspectDockerDistribution,
  inspectDockerNode,
  isDockerError,
  listDockerNodes,
  type DockerRegistryCredentials,
} from '../api/index.ts';
import { platformLabels, registryFactsOf } from '../labels.ts';
import { builtRepository, registryName } from '../names.ts';
import { byNodeName, takesInstances } from '../nodes/node-facts.ts';
import { boundNode } from '../nodes/placement.ts';
import { deleteImages, servicesWithImages } from './deleted-images.ts';
import { registryCredentials } from './registry-files.ts';
import { type AskRegistry, createRegistryRequests } from './registry-request.ts';
import {
  applyDraft,
  deleteUnusedSecrets,
  forwarderDraft,
  registryDraft,
  type RegistryEngine,
} from './registry-services.ts';
import { beginEmptyText, findRegistry, readRegistryState, type RegistryServices } from './registry-state.ts';
import { registryHost } from './settings.ts';
import { cleanRegistry } from './cleaning.ts';

type Service = Pick<ServiceToRun, 'id'>;

/** The registry that a platform runs for the images that it builds on one cluster. */
export interface ClusterRegistry {
  /** The first part of the names of its images. */
  readonly host: string;
  readonly credentials: DockerRegistryCredentials;
  /**
   * Reconciles the registry with the settings: starts it, and cleans it from time to time.
   * @returns messages for the operator
   * @throws Error with the problem
   */
  sync(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Waits until an engine can push images.
   * @param say receives what prevents it
   * @throws Error with a message, if it takes too long
   */
  untilReady(builder: DockerClient, say: Say, signal: AbortSignal): Promise<void>;
  /** Pushes an image. No cleaning starts in the meantime. If another process starts one, the push is tried again. */
  push<Result>(builder: DockerClient, work: () => Promise<Result>, say: Say, signal: AbortSignal): Promise<Result>;
  /**
   * Deletes images of a service. Deletions that fail now are repeated after its next deployment.
   * @param kept the images to keep, as names with digests or as digests; if there are none, nothing is deleted
   */
  deleteOthers(service: Service, kept: readonly string[], signal: AbortSignal): Promise<void>;
  /** Deletes the images of a deleted service, now or as soon as possible. */
  deleteAll(service: Service, signal: AbortSignal): Promise<void>;
  /**
   * Deletes the images of services that are not known.
   * @returns the ids of services that had some, and, if the registry could not be queried, the reason
   */
  deleteUnknown(
    known: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<{ readonly had: readonly string[]; readonly unasked?: string }>;
}

/** How long a push waits for the registry, in milliseconds: it may just be starting, and its image being pulled. */
const patienceMilliseconds = 120_000;
const pollMilliseconds = 1000;

/** How often a push is tried. */
const attempts = 3;

const reasonOf = (error: unknown): string => (isDockerError(error) ? error.reason : errorMessage(error));

/** Chooses the node that stores the images: that of the engine, unless it accepts no instances. */
async function chooseNode({ docker }: RegistryEngine, signal: AbortSignal): Promise<string> {
  const [
    nodes,
    {
      Swarm: { NodeID: own },
    },
  ] = await Promise.all([listDockerNodes(docker, {}, { signal }), dockerInfo(docker, { signal })]);
  const usable = nodes.filter(takesInstances).toSorted(byNodeName);
  const chosen = usable.find(({ ID: id }) => id === own) ?? usable[0];
  if (chosen === undefined)
    throw new RuntimeProblem(
      "No node of the cluster takes instances, so its registry can't run. Make one active: docker node update --availability active NODE",
    );
  return chosen.ID;
}

/** Returns the address at which other nodes reach the one with the images. @throws Error with what to do */
async function addressOf({ docker, platformId }: RegistryEngine, nodeId: string, signal: AbortSignal): Promise<string> {
  const node = await inspectDockerNode(docker, nodeId, { signal }).catch((error: unknown) => {
    if (!isDockerError(error, 'not found')) throw error;
    throw new RuntimeProblem(
      `The node ${nodeId}, which kept the images of the cluster's registry, is no longer part of the cluster. ${beginEmptyText(registryName(platformId))}`,
      { cause: error },
    );
  });
  return addressOfNode(node) ?? '127.0.0.1';
}

/** Milliseconds since the epoch. */
interface Clock {
  readonly now: () => number;
}

class OwnRegistry implements ClusterRegistry {
  readonly host: string;
  readonly credentials: DockerRegistryCredentials;
  readonly #engine: RegistryEngine & Clock;
  readonly #ask: AskRegistry;
  /** The sizes of the parts that were deleted since the last cleaning, by digest. */
  readonly #sizes = new Map<string, number>();
  /** Deleted services whose images still exist. */
  readonly #deleted = new Set<string>();
  /** How many pushes are under way in this process. */
  #pushes = 0;
  /** Whether files may be left that nothing uses. Another process may have left some. */
  #hasLeftovers = true;

  constructor(engine: RegistryEngine & Clock) {
    this.host = registryHost(engine.settings);
    this.credentials = registryCredentials(engine);
    this.#engine = engine;
    this.#ask = createRegistryRequests(engine);
  }

  async sync(signal: AbortSignal): Promise<readonly string[]> {
    const { settings, now } = this.#engine;
    const services = await this.#find(signal);
    const { registry, forwarder } = services;
    const nodeId = registry ? boundNode(registry.Spec.TaskTemplate)! : await chooseNode(this.#engine, signal);
    const address = await addressOf(this.#engine, nodeId, signal);
    const facts = registry ? registryFactsOf(registry.Spec.Labels) : { isReadOnly: false, cleanedAt: now() };
    const end = facts.isReadOnly ? await cleanRegistry(this.#engine, services, nodeId, this.#sizes, signal) : undefined;
    const isDue = !facts.isReadOnly && this.#pushes === 0 && now() - facts.cleanedAt >= settings.cleanMilliseconds;
    const isReadOnly = isDue || (facts.isReadOnly && end === undefined);
    const next = { isReadOnly, cleanedAt: end === undefined ? facts.cleanedAt : now() };
    const changed = [
      await applyDraft(this.#engine, registry, registryDraft(this.#engine, nodeId, isReadOnly), next, signal),
      await applyDraft(this.#engine, forwarder, forwarderDraft(this.#engine, address), next, signal),
    ];
    if (changed.includes(true)) this.#hasLeftovers = true;
    else if (this.#hasLeftovers) {
      await deleteUnusedSecrets(this.#engine, signal);
      this.#hasLeftovers = false;
    }
    // Few, so in sequence.
    if (!isReadOnly) for (const id of this.#deleted) await this.deleteAll({ id }, signal);
    if (end?.hasFailed) throw new RuntimeProblem(end.text);
    return end === undefined ? [] : [end.text];
  }

  async untilReady(builder: DockerClient, say: Say, signal: AbortSignal): Promise<void> {
    const { now } = this.#engine;
    let told: Condition | undefined;
    for (const end = now() + patienceMilliseconds; ;) {
      // In sequence: one check follows the other.
      const inTheWay = await this.#problem(builder, signal);
      if (inTheWay === undefined) return;
      if (now() > end) throw new ConditionError(condition('REGISTRY_NOT_READY', { cause: inTheWay }));
      if (!isDeepStrictEqual(inTheWay, told)) say(condition('REGISTRY_AWAITED', { cause: inTheWay }));
      told = inTheWay;
      await delay(pollMilliseconds, undefined, { signal });
    }
  }

  async push<Result>(
    builder: DockerClient,
    work: () => Promise<Result>,
    say: Say,
    signal: AbortSignal,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      // In sequence: one attempt follows the other.
      await this.untilReady(builder, say, signal);
      this.#pushes += 1;
      try {
        return await work();
      } catch (error) {
        if (signal.aborted || attempt === attempts || isDockerError(error, 'unreachable', 'no manager')) throw error;
        say(`${reasonOf(error)} The push is tried again.`);
      } finally {
        this.#pushes -= 1;
      }
    }
  }

  async deleteOthers(service: Service, kept: readonly string[], signal: AbortSignal): Promise<void> {
    const digests = new Set(kept.flatMap((name) => /@?(sha256:[0-9a-f]{64})$/.exec(name)?.[1] ?? []));
    if (digests.size > 0) await this.#deleteImages(service, digests, signal);
  }

  async deleteAll({ id }: Service, signal: AbortSignal): Promise<void> {
    if ((await this.#deleteImages({ id }, new Set(), signal)) === undefined) this.#deleted.add(id);
    else this.#deleted.delete(id);
  }

  async deleteUnknown(
    known: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<{ readonly had: readonly string[]; readonly unasked?: string }> {
    const had: string[] = [];
    const listed = await servicesWithImages(this.#ask, this.#engine.platformId, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return reasonOf(error);
    });
    if (typeof listed === 'string') return { had, unasked: listed };
    const unknown = listed.filter((id) => !known.has(id));
    // In sequence.
    for (const id of unknown) if (((await this.#deleteImages({ id }, new Set(), signal)) ?? 0) > 0) had.push(id);
    return { had };
  }

  #find(signal: AbortSignal): Promise<RegistryServices> {
    const { docker, platformId } = this.#engine;
    return findRegistry(docker, platformLabels(platformId), { signal });
  }

  /** Why an engine can't push images at present; undefined if it can. */
  async #problem(builder: DockerClient, signal: AbortSignal): Promise<Condition | undefined> {
    const state = await readRegistryState(builder, await this.#find(signal), { signal });
    if (state === undefined) return condition('REGISTRY_NOT_SET_UP', {});
    if (state.problem !== undefined) return state.problem;
    try {
      await inspectDockerDistribution(
        builder,
        `${this.host}/${builtRepository(this.#engine.platformId, { id: 'nothing' })}:none`,
        this.credentials,
        { signal },
      );
    } catch (error) {
      if (!isDockerError(error)) throw error;
      return /manifest unknown|name unknown|not found/i.test(error.reason)
        ? undefined
        : condition('REGISTRY_SILENT', { said: error.reason });
    }
    return undefined;
  }

  /** Deletes the images of a service, except the kept ones. @returns how many; undefined if that failed */
  #deleteImages(service: Service, kept: ReadonlySet<string>, signal: AbortSignal): Promise<number | undefined> {
    return deleteImages(this.#ask, this.#engine.platformId, service, kept, this.#sizes, signal).catch(
      (error: unknown) => {
        if (signal.aborted) throw error;
        return undefined;
      },
    );
  }
}

/** Creates the registry of one cluster. */
export const createClusterRegistry = (engine: RegistryEngine & Clock): ClusterRegistry => new OwnRegistry(engine);
