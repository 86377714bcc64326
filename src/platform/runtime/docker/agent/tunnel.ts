import { randomUUID } from 'node:crypto';
import { Duplex } from 'node:stream';
import { mebibyte } from '../../../common/index.ts';
import {
  attachToDockerContainer,
  createDockerContainer,
  type DockerClient,
  DockerError,
  dockerFrames,
  dockerInfo,
  ignoring,
  isDockerError,
  listDockerContainers,
  pullDockerImage,
  removeDockerContainer,
  startDockerContainer,
  type DockerRegistryCredentials,
} from '../api/index.ts';
import { labelFilter, platformLabels } from '../labels.ts';
import { agentServiceName, relayPrefix } from '../names.ts';
import { answeringEngines } from '../nodes/node-engines.ts';
import { containerProgram, copyProgram } from '../programs/programs.ts';

/** The inputs of a tunnel. */
export interface TunnelParts {
  /** The engine that carries it: all steps are on the same machine. */
  readonly docker: DockerClient;
  readonly platformId: string;
  /** An image for the container. None of its programs is run. */
  readonly image: string;
  readonly credentials: DockerRegistryCredentials | undefined;
}

/** How long an engine may take for each step, in milliseconds. */
const timeoutMilliseconds = 10_000;

const opening = { method: 'POST', path: '/containers/create' } as const;

/** Removes a container, unless it has already removed itself. */
const removeRelay = (docker: DockerClient, id: string, signal?: AbortSignal): Promise<void> =>
  removeDockerContainer(docker, id, { signal, timeoutMilliseconds }).catch(ignoring('not found', 'conflict'));

/** How long another process may take to start a container that it has created, in milliseconds. */
const startingMilliseconds = 60_000;

/**
 * Removes the containers of tunnels that were open when the platform or an engine stopped.
 * @param now milliseconds since the epoch: containers that another process is just starting are left alone
 */
export async function removeRelays(
  { docker, platformId }: Pick<TunnelParts, 'docker' | 'platformId'>,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    (await answeringEngines(docker, signal)).map(async (engine) => {
      const left = await listDockerContainers(
        engine,
        { ...labelFilter(platformLabels(platformId)), name: [relayPrefix], status: ['created', 'exited', 'dead'] },
        { signal },
      );
      await Promise.all(
        left
          .filter(({ State, Created }) => State !== 'created' || now - Created * 1000 > startingMilliseconds)
          .map(({ Id: id }) => removeRelay(engine, id, signal)),
      );
    }),
  );
}

/** Creates the container of a tunnel, with its program. It is on the agents' network, and can reach nothing else. */
async function createRelay(
  { docker, platformId, image, credentials }: TunnelParts,
  args: readonly string[],
): Promise<string> {
  const call = { timeoutMilliseconds };
  const { Architecture: architecture } = await dockerInfo(docker, call);
  const program = containerProgram('relay', architecture);
  const create = (): Promise<string> =>
    createDockerContainer(
      docker,
      `${relayPrefix}${randomUUID()}`,
      {
        Image: image,
        Entrypoint: [program.path],
        Cmd: args,
        User: '65534:65534',
        WorkingDir: '/',
        Labels: platformLabels(platformId),
        Healthcheck: { Test: ['NONE'] },
        OpenStdin: true,
        StdinOnce: true,
        HostConfig: {
          NetworkMode: agentServiceName(platformId),
          AutoRemove: true,
          PidsLimit: 4,
          Memory: 16 * mebibyte,
          CapDrop: ['ALL'],
          SecurityOpt: ['no-new-privileges'],
          LogConfig: { Type: 'none', Config: {} },
        },
      },
      call,
    );
  const id = await create().catch(async (error: unknown) => {
    if (!isDockerError(error, 'not found')) throw error;
    // oxlint-disable-next-line no-unused-vars
    for await (const _ of pullDockerImage(docker, image, credentials)) continue;
    return create();
  });
  await copyProgram(docker, id, program, call);
  return id;
}

/**
 * The error output of the container's program for a missing route, with Linux's error numbers (ENETUNREACH,
 * EHOSTUNREACH).
 */
const noRoute = /^network error (?:101|113)$/;

const relayText = (said: string): string =>
  noRoute.test(said)
    ? 'there is no route to it between the machines, as in the first minute after it was started'
    : said;

/** The input and output of a container as one stream. A failure that the container reports becomes its error. */
function streamOf(attached: Duplex, close: () => void): Duplex {
  let resume: (() => void) | undefined;
  const stream = new Duplex({
    write: (chunk: Buffer, _, done) => void attached.write(chunk, done),
    final: (done) => void attached.end(done),
    read: () => resume?.(),
    destroy: (error, done) => {
      attached.destroy();
      close();
      done(error);
    },
  });
  const passOn = async (): Promise<void> => {
    let said = '';
    for await (const { stream: from, bytes } of dockerFrames(attached, opening)) {
      if (from === 'stderr') said += bytes.toString('utf8');
      else if (!stream.push(bytes))
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
    }
    if (said !== '')
      throw new DockerError(
        'unreachable',
        `the agent of the node can't be reached: ${relayText(said.trim())}`,
        opening,
      );
    stream.push(null);
  };
  passOn().catch((error: Error) => stream.destroy(error));
  return stream;
}

/**
 * Opens a connection to the agents' network through a container that relays it and lives as long as the connection. The
 * engine carries it, so no port has to be open for it.
 * @param address IPv4
 * @throws DockerError
 */
export async function openTunnel(parts: TunnelParts, address: string, port: number): Promise<Duplex> {
  const { docker } = parts;
  const id = await createRelay(parts, [address, String(port)]);
  const close = (): void => void removeRelay(docker, id).catch(() => undefined);
  try {
    const attached = await attachToDockerContainer(docker, id, { timeoutMilliseconds });
    attached.on('error', () => undefined);
    await startDockerContainer(docker, id, { timeoutMilliseconds });
    return streamOf(attached, close);
  } catch (error) {
    close();
    throw error;
  }
}
