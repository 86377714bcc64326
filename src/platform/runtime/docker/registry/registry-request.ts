import { type DockerClient, dockerInfo, execInDockerContainer, listDockerTasks } from '../api/index.ts';
import { platformLabels } from '../labels.ts';
import { containerProgram, copyProgram } from '../programs/programs.ts';
import { authorizationOf, type RegistryParts } from './registry-files.ts';
import { findRegistry } from './registry-state.ts';
import { registryHost } from './settings.ts';

/** A response of a registry. */
export interface RegistryAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The timeout for a registry's response, in milliseconds. */
const timeoutMilliseconds = 30_000;

/** The types of manifests that are accepted from a registry. */
const manifestTypes = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.index.v1+json',
];

/** Parses an HTTP/1.0 response. @throws Error if it is cut off or isn't one */
function parseAnswer(text: Buffer): RegistryAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = text.subarray(end + 4);
  if (status === 0 || body.length < Number(headers.get('content-length') ?? 0))
    throw new Error('The answer of the registry is cut off.');
  return { status, headers, body: body.toString('utf8') };
}

/**
 * Sends requests to the registry of a cluster.
 * @param path of the registry's API
 * @returns undefined if nothing forwards to it on the node of the engine
 */
export type AskRegistry = (
  method: 'GET' | 'DELETE',
  path: string,
  signal: AbortSignal,
) => Promise<RegistryAnswer | undefined>;

/**
 * Returns the forwarder's container on a node; undefined if none runs there. It is found through its service: a
 * container also has the labels of its image, and the author of an image chooses those.
 */
async function forwarderOn(
  docker: DockerClient,
  platformId: string,
  node: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { forwarder } = await findRegistry(docker, platformLabels(platformId), { signal });
  if (forwarder === undefined) return undefined;
  const tasks = await listDockerTasks(
    docker,
    { service: [forwarder.ID], node: [node], 'desired-state': ['running'] },
    { signal },
  );
  return tasks.find(({ Status }) => Status.State === 'running')?.Status.ContainerStatus?.ContainerID;
}

/**
 * Creates the function that sends requests to the registry. Only nodes reach the registry, so a program in the
 * forwarder's container on the engine's node sends them.
 */
export function createRegistryRequests(parts: RegistryParts & { readonly docker: DockerClient }): AskRegistry {
  const { platformId, settings } = parts;
  return async (method, path, signal) => {
    // All of these calls concern a container of one machine.
    const docker = await parts.docker.engine();
    const {
      Architecture: architecture,
      Swarm: { NodeID: node },
    } = await dockerInfo(docker, { signal });
    const container = await forwarderOn(docker, platformId, node, signal);
    if (container === undefined) return undefined;
    const program = containerProgram('send-request', architecture);
    await copyProgram(docker, container, program, { signal });
    const head = [
      `${method} ${path} HTTP/1.0`,
      `Host: ${registryHost(settings)}`,
      `Authorization: ${authorizationOf(parts)}`,
      `Accept: ${manifestTypes.join(', ')}`,
      'Connection: close',
    ];
    const { output, exitCode } = await execInDockerContainer(docker, container, {
      command: [program.path, String(settings.port), String(timeoutMilliseconds)],
      env: [`REQUEST=${head.join('\r\n')}\r\n\r\n`],
      signal,
    });
    const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    for await (const { stream, bytes } of output) printed[stream === 'stderr' ? 'stderr' : 'stdout'].push(bytes);
    if ((await exitCode()) !== 0)
      throw new Error(`The registry does not answer: ${Buffer.concat(printed.stderr).toString('utf8').trim()}`);
    return parseAnswer(Buffer.concat(printed.stdout));
  };
}
