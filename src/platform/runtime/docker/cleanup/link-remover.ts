import { randomUUID } from 'node:crypto';
import type { PlatformClock } from '../../../common/index.ts';
import {
  createDockerContainer,
  type DockerCall,
  type DockerClient,
  dockerInfo,
  type DockerTask,
  ignoring,
  listDockerContainers,
  removeDockerContainer,
  startDockerContainer,
  waitForDockerContainer,
} from '../api/index.ts';
import { isMadeHere, labelFilter, platformLabels } from '../labels.ts';
import { isObstructed, networkOfTask, networkWithLinks } from './left-links.ts';
import { answeringEngines, createNodeEngines } from '../nodes/node-engines.ts';
import { containerProgram, copyProgram } from '../programs/programs.ts';

/** The inputs of a link remover. */
interface LinkRemoverParts {
  readonly docker: DockerClient;
  readonly platformId: string;
  readonly clock: PlatformClock;
}

/** Removes the links that obstruct instances, on the nodes whose engines the platform can reach. */
export interface LinkRemover {
  /**
   * Removes the links that have obstructed some of these instances since the last time. It never fails: the next
   * instances show whether it helped.
   */
  removeFor(tasks: readonly DockerTask[], signal: AbortSignal): Promise<void>;
}

const containerPrefix = 'infra-remove-links-';
/** The time limit for each step of a removal on an engine, in milliseconds. */
const timeoutMilliseconds = 10_000;
/** The wait before the next removal for the same network, in milliseconds: it doubles each time, up to the longest. */
const firstWait = 2000;
const longestWait = 60_000;

/** Removes a container, unless it has already removed itself. */
const removeContainer = (docker: DockerClient, id: string, call: DockerCall): Promise<void> =>
  removeDockerContainer(docker, id, call).catch(ignoring('not found', 'conflict'));

/** Removes the containers of removals that a crash interrupted. */
export async function removeLinkRemovers(
  { docker, platformId }: Pick<LinkRemoverParts, 'docker' | 'platformId'>,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    (await answeringEngines(docker, signal)).map(async (engine) => {
      const left = await listDockerContainers(
        engine,
        { ...labelFilter(platformLabels(platformId)), name: [containerPrefix] },
        { signal },
      );
      await Promise.all(left.map(({ Id: id }) => removeContainer(engine, id, { signal })));
    }),
  );
}

/**
 * Removes links on the engine's host, with a program that may do nothing else there.
 * @param image one that the engine has; none of its programs is run
 */
async function removeLinks(
  { docker, platformId }: LinkRemoverParts,
  links: readonly string[],
  image: string,
  architecture: string,
  call: DockerCall,
): Promise<void> {
  const program = containerProgram('remove-links', architecture);
  const id = await createDockerContainer(
    docker,
    `${containerPrefix}${randomUUID()}`,
    {
      Image: image,
      Entrypoint: [program.path],
      Cmd: links,
      User: '0:0',
      WorkingDir: '/',
      Labels: platformLabels(platformId),
      Healthcheck: { Test: ['NONE'] },
      HostConfig: {
        NetworkMode: 'host',
        UsernsMode: 'host',
        AutoRemove: true,
        PidsLimit: 16,
        CapDrop: ['ALL'],
        CapAdd: ['NET_ADMIN'],
        SecurityOpt: ['no-new-privileges'],
      },
    },
    call,
  );
  try {
    await copyProgram(docker, id, program, call);
    await startDockerContainer(docker, id, call);
    await waitForDockerContainer(docker, id, call);
  } finally {
    await removeContainer(docker, id, call);
  }
}

/** Each node has its own links. */
const keyOf = (task: DockerTask): string => `${networkOfTask(task)} ${task.NodeID}`;

/** Creates a remover of leftover links. It remembers the removals, by network and node. */
export function createLinkRemover(parts: LinkRemoverParts): LinkRemover {
  const { docker, clock, platformId } = parts;
  /** Times are in milliseconds since the epoch: `at` by the engine's clock, `next` by the platform's. */
  const removals = new Map<string, { readonly at: number; readonly next: number; readonly wait: number }>();

  const engines = createNodeEngines({ docker });

  const isNew = (task: DockerTask): boolean => {
    const last = removals.get(keyOf(task));
    return (
      isObstructed(task) &&
      (last === undefined || (Date.parse(task.Status.Timestamp) > last.at && clock.now() >= last.next))
    );
  };

  const removeLeftLink = async (
    task: DockerTask,
    call: DockerCall & { readonly signal: AbortSignal },
  ): Promise<void> => {
    const network = networkOfTask(task);
    const engine = task.NodeID === undefined ? undefined : await engines.of(task.NodeID, call.signal);
    // The hosts of other nodes can't be reached.
    if (network === undefined || engine === undefined) return;
    const { Architecture: architecture, SystemTime: time } = await dockerInfo(engine, call);
    const last = removals.get(keyOf(task));
    const wait =
      last !== undefined && clock.now() - last.next < longestWait ? Math.min(last.wait * 2, longestWait) : firstWait;
    removals.set(keyOf(task), { at: Date.parse(time), next: clock.now() + wait, wait });
    const { labels, links = [] } = (await networkWithLinks(docker, network, call)) ?? {};
    // Networks of other owners are not touched.
    if (isMadeHere(labels, platformId) && links.length > 0)
      await removeLinks({ ...parts, docker: engine }, links, task.Spec.ContainerSpec.Image, architecture, call);
  };

  return {
    removeFor: async (tasks, signal) => {
      for (const task of tasks) {
        // Errors are ignored: the instance's own failure says what is in the way. One removal serves all instances on
        // its network.
        if (isNew(task)) await removeLeftLink(task, { signal, timeoutMilliseconds }).catch(() => undefined);
      }
    },
  };
}
