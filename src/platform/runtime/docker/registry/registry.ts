import { setTimeout as delay } from 'node:timers/promises';
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
import { createRegistryRequests } from './registry-request.ts';
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
      `The node ${nodeId}, which kept the images of the cluster's registry, is no part of the swarm any more. ${beginEmptyText(registryName(platformId))}`,
      { cause: error },
    );
  });
  return addressOfNode(node) ?? '127.0.0.1';
}

/** Creates the registry of one cluster. */
export function createClusterRegistry(engine: RegistryEngine & { readonly now: () => number }): ClusterRegistry {
  const { docker, platformId, settings, now } = engine;
  const host = registryHost(settings);
  const credentials = registryCredentials(engine);
  const ask = createRegistryRequests(engine);
  /** The sizes of the parts that were deleted since the last cleaning, by digest. */
  const sizes = new Map<string, number>();
  /** Deleted services whose images still exist. */
  const deleted = new Set<string>();
  let pushes = 0;
  /** Another process may have left unused files. */
  let hasLeftovers = true;

  const find = (signal: AbortSignal): Promise<RegistryServices> =>
    findRegistry(docker, platformLabels(platformId), { signal });

  const problem = async (builder: DockerClient, signal: AbortSignal): Promise<Condition | undefined> => {
    const state = await readRegistryState(builder, await find(signal), { signal });
    if (state === undefined) return condition('REGISTRY_NOT_SET_UP', {});
    if (state.problem !== undefined) return state.problem;
    try {
      await inspectDockerDistribution(
        builder,
        `${host}/${builtRepository(platformId, { id: 'nothing' })}:none`,
        credentials,
        { signal },
      );
    } catch (error) {
      if (!isDockerError(error)) throw error;
      return /manifest unknown|name unknown|not found/i.test(error.reason)
        ? undefined
        : condition('REGISTRY_SILENT', { said: error.reason });
    }
    return undefined;
  };

  const untilReady: ClusterRegistry['untilReady'] = async (builder, say, signal) => {
    let told: string | undefined;
    for (const end = now() + patienceMilliseconds; ;) {
      // In sequence: one check follows the other.
      const inTheWay = await problem(builder, signal);
      if (inTheWay === undefined) return;
      if (now() > end) throw new ConditionError(condition('REGISTRY_NOT_READY', { cause: inTheWay }));
      if (inTheWay.message !== told) say(condition('REGISTRY_AWAITED', { cause: inTheWay }));
      told = inTheWay.message;
      await delay(pollMilliseconds, undefined, { signal });
    }
  };

  const deleteImagesOf = async (
    service: Service,
    kept: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<number | undefined> =>
    deleteImages(ask, platformId, service, kept, sizes, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return undefined;
    });

  const deleteAll: ClusterRegistry['deleteAll'] = async ({ id }, signal) => {
    if ((await deleteImagesOf({ id }, new Set(), signal)) === undefined) deleted.add(id);
    else deleted.delete(id);
  };

  return {
    host,
    credentials,
    untilReady,
    deleteAll,
    sync: async (signal) => {
      const services = await find(signal);
      const { registry, forwarder } = services;
      const nodeId = registry ? boundNode(registry.Spec.TaskTemplate)! : await chooseNode(engine, signal);
      const address = await addressOf(engine, nodeId, signal);
      const facts = registry ? registryFactsOf(registry.Spec.Labels) : { isReadOnly: false, cleanedAt: now() };
      const end = facts.isReadOnly ? await cleanRegistry(engine, services, nodeId, sizes, signal) : undefined;
      const isDue = !facts.isReadOnly && pushes === 0 && now() - facts.cleanedAt >= settings.cleanMilliseconds;
      const isReadOnly = isDue || (facts.isReadOnly && end === undefined);
      const next = { isReadOnly, cleanedAt: end === undefined ? facts.cleanedAt : now() };
      const changed = [
        await applyDraft(engine, registry, registryDraft(engine, nodeId, isReadOnly), next, signal),
        await applyDraft(engine, forwarder, forwarderDraft(engine, address), next, signal),
      ];
      if (changed.includes(true)) hasLeftovers = true;
      else if (hasLeftovers) {
        await deleteUnusedSecrets(engine, signal);
        hasLeftovers = false;
      }
      // Few, so in sequence.
      if (!isReadOnly) for (const id of deleted) await deleteAll({ id }, signal);
      if (end?.hasFailed) throw new RuntimeProblem(end.text);
      return end === undefined ? [] : [end.text];
    },
    push: async (builder, work, say, signal) => {
      for (let attempt = 1; ; attempt += 1) {
        // In sequence: one attempt follows the other.
        await untilReady(builder, say, signal);
        pushes += 1;
        try {
          return await work();
        } catch (error) {
          if (signal.aborted || attempt === attempts || isDockerError(error, 'unreachable', 'no manager')) throw error;
          say(`${reasonOf(error)} The push is tried again.`);
        } finally {
          pushes -= 1;
        }
      }
    },
    deleteOthers: async (service, kept, signal) => {
      const digests = new Set(kept.flatMap((name) => /@?(sha256:[0-9a-f]{64})$/.exec(name)?.[1] ?? []));
      if (digests.size > 0) await deleteImagesOf(service, digests, signal);
    },
    deleteUnknown: async (known, signal) => {
      const had: string[] = [];
      const listed = await servicesWithImages(ask, platformId, signal).catch((error: unknown) => {
        if (signal.aborted) throw error;
        return reasonOf(error);
      });
      if (typeof listed === 'string') return { had, unasked: listed };
      const unknown = listed.filter((id) => !known.has(id));
      // In sequence.
      for (const id of unknown) if (((await deleteImagesOf({ id }, new Set(), signal)) ?? 0) > 0) had.push(id);
      return { had };
    },
  };
}
