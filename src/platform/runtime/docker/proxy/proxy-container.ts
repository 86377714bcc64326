import { createHash } from 'node:crypto';
import { mebibyte } from '../../../common/index.ts';
import {
  copyToDockerContainer,
  createDockerContainer,
  type DockerClient,
  type DockerContainer,
  type DockerContainerCreation,
  execInDockerContainer,
  hostOfImage,
  inspectDockerContainer,
  ignoring,
  isDockerError,
  pullDockerImage,
  removeDockerContainer,
  startDockerContainer,
  type DockerRegistryCredentials,
} from '../api/index.ts';
import { isMadeHere, labelledProxy, platformLabels, proxyLabels } from '../labels.ts';
import { proxyName } from '../names.ts';
import { tarArchive } from '../tar.ts';
import { adminSocket, caddyVariables, configFolder, proxyPorts, rootFile } from './caddy-config.ts';
import { hostPorts, type ProxySettings, servesSecurely } from './settings.ts';

/** The inputs for the proxy's container. */
export interface ProxyParts {
  readonly docker: DockerClient;
  readonly platformId: string;
  readonly settings: ProxySettings;
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
}

/**
 * The path of the proxy's configuration. The file stays in the container, so that a proxy that restarts has it without
 * the platform.
 */
const configFile = { name: 'config.json', path: `/${configFolder}/config.json` } as const;

/** Returns the container's creation request, according to the settings. */
function creationOf({ platformId, settings }: ProxyParts): DockerContainerCreation {
  const { bind, image } = settings;
  const { http, https } = hostPorts(settings);
  const ports = {
    [`${proxyPorts.http}/tcp`]: http,
    ...(https !== undefined && { [`${proxyPorts.https}/tcp`]: https }),
  };
  const certificates = {
    Type: 'volume',
    Source: proxyName(platformId),
    Target: '/data',
    VolumeOptions: { Labels: platformLabels(platformId) },
  } as const;
  return {
    Image: image,
    Entrypoint: ['caddy'],
    Cmd: ['run', '--config', configFile.path],
    Env: caddyVariables,
    ExposedPorts: Object.fromEntries(Object.keys(ports).map((port) => [port, {}])),
    HostConfig: {
      NetworkMode: 'bridge',
      PortBindings: Object.fromEntries(
        Object.entries(ports).map(([port, published]) => [port, [{ HostIp: bind, HostPort: String(published) }]]),
      ),
      RestartPolicy: { Name: 'always' },
      // A socket that a killed proxy leaves behind would prevent the next one from listening: in memory, it disappears
      // with the proxy.
      Mounts: [
        { Type: 'tmpfs', Target: '/run/admin', TmpfsOptions: { SizeBytes: mebibyte } },
        ...(servesSecurely(settings) ? [certificates] : []),
      ],
      PidsLimit: 4096,
      CapDrop: ['ALL'],
      CapAdd: ['NET_BIND_SERVICE'],
      SecurityOpt: ['no-new-privileges'],
      // The proxy is on the networks of all environments, and must not route between them.
      Sysctls: { 'net.ipv4.ip_forward': '0' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
    },
  };
}

/** Distinguishes containers that were created with different settings. */
const madeFrom = (creation: DockerContainerCreation): string =>
  createHash('sha256').update(JSON.stringify(creation)).digest('hex').slice(0, 16);

/**
 * Finds the proxy's container; undefined if there is none.
 * @throws Error if a container that this platform didn't create has its name
 */
export async function findProxy(
  { docker, platformId }: Pick<ProxyParts, 'docker' | 'platformId'>,
  signal: AbortSignal,
): Promise<DockerContainer | undefined> {
  const found = await inspectDockerContainer(docker, proxyName(platformId), { signal }).catch(ignoring('not found'));
  if (found && !isMadeHere(found.Config.Labels, platformId))
    throw new Error(
      `The engine has a container ${proxyName(platformId)} that this platform didn't create. Remove or rename it: public ports need that name.`,
    );
  return found;
}

/**
 * Removes the proxy's container, if it exists. The volume with its certificates is kept: authorities limit how many
 * they issue.
 */
export async function removeProxy(
  parts: Pick<ProxyParts, 'docker' | 'platformId'>,
  signal: AbortSignal,
): Promise<void> {
  const present = await findProxy(parts, signal);
  if (present === undefined) return;
  await removeDockerContainer(parts.docker, present.Id, { signal }).catch(ignoring('not found', 'conflict'));
}

const pull = async (
  { docker, settings: { image }, credentialsFor }: ProxyParts,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for await (const message of pullDockerImage(docker, image, credentialsFor(hostOfImage(image)), { signal }))
      void message;
  } catch (error) {
    throw isDockerError(error)
      ? new Error(`The image of the proxy, ${image}, could not be pulled: ${error.reason}`, { cause: error })
      : error;
  }
};

const create = async (parts: ProxyParts, signal: AbortSignal): Promise<string> => {
  const creation = creationOf(parts);
  const send = () =>
    createDockerContainer(
      parts.docker,
      proxyName(parts.platformId),
      { ...creation, Labels: proxyLabels(parts.platformId, madeFrom(creation)) },
      { signal },
    );
  try {
    return await send();
  } catch (error) {
    if (!isDockerError(error, 'not found')) throw error;
    await pull(parts, signal);
    return await send();
  }
};

/** Converts an error to a message on why the proxy can't start. */
const startFailure = (error: unknown, { settings: { bind, httpPort, httpsPort } }: ProxyParts): unknown => {
  if (!isDockerError(error, 'failed', 'refused', 'conflict', 'not found')) return error;
  if (!/port is already allocated|address already in use|bind for/i.test(error.reason))
    return new Error(`The proxy for public ports could not be started: ${error.reason}`, { cause: error });
  const port = error.reason.includes(`:${httpsPort}`) ? httpsPort : httpPort;
  return new Error(
    `The proxy for public ports can't listen on ${bind}:${port}: another program does. Stop it, or set another port for the proxy in the clusters file.`,
    { cause: error },
  );
};

/** Copies the configuration, and the file that it names, into the container. A running proxy has to be reloaded. */
async function putConfig(
  { docker, settings: { authority } }: ProxyParts,
  container: string,
  config: string,
  signal: AbortSignal,
): Promise<void> {
  const put = (name: string, content: string): Promise<void> =>
    copyToDockerContainer(docker, container, '/', tarArchive(configFolder, name, Buffer.from(content)), { signal });
  if (authority?.root !== undefined) await put(rootFile(authority.root), authority.root);
  await put(configFile.name, config);
}

/**
 * Ensures that the proxy runs with the current settings. A new container starts with the configuration.
 * @returns its container, and whether it has started with that configuration
 * @throws Error with what to do, if it can't be started
 */
export async function ensureProxy(
  parts: ProxyParts,
  config: string,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly hasConfig: boolean }> {
  const { docker } = parts;
  const present = await findProxy(parts, signal);
  const fits = present !== undefined && labelledProxy(present.Config.Labels) === madeFrom(creationOf(parts));
  if (present && fits && present.State.Running) return { id: present.Id, hasConfig: false };
  if (present && !fits) await removeProxy(parts, signal);
  const id = present && fits ? present.Id : await create(parts, signal);
  await putConfig(parts, id, config, signal);
  await startDockerContainer(docker, id, { signal }).catch((error: unknown) => {
    throw startFailure(error, parts);
  });
  return { id, hasConfig: true };
}

/** Returns the last non-empty line of the proxy's output. */
const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .findLast((line) => line !== '') ?? 'it printed nothing';

/**
 * Replaces the configuration of a running proxy. Requests under way are finished with the old one.
 * @throws Error if the proxy rejects it
 */
export async function configureProxy(
  parts: ProxyParts,
  container: string,
  config: string,
  signal: AbortSignal,
): Promise<void> {
  const { docker } = parts;
  await putConfig(parts, container, config, signal);
  const { output, exitCode } = await execInDockerContainer(docker, container, {
    command: ['caddy', 'reload', '--config', configFile.path, '--address', adminSocket],
    signal,
  });
  const printed: Buffer[] = [];
  for await (const { bytes } of output) printed.push(bytes);
  if ((await exitCode()) !== 0)
    throw new Error(`The proxy rejected its configuration: ${lastLine(Buffer.concat(printed).toString('utf8'))}`);
}
