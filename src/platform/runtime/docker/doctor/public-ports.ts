import { connect } from 'node:net';
import { listDockerContainers } from '../api/index.ts';
import { anyProxy } from '../labels.ts';
import { hostPorts } from '../proxy/settings.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { dockerCommand, type ExaminedEngine } from './examined-engine.ts';

const publicPorts = findingBuilder('public ports');

/** How long to wait for a program to accept a connection, in milliseconds. */
const connectTimeout = 1000;

/** Whether a program of this machine listens on a port of its loopback address. */
function isListenedOn(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: '127.0.0.1', port, timeout: connectTimeout });
  socket
    .once('connect', () => resolve(true))
    .once('timeout', () => resolve(false))
    .once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

type Containers = Awaited<ReturnType<typeof listDockerContainers>>;

/** The program that has a port of the engine's host, as far as that can be seen from here; undefined if none. */
export async function holderOf(
  port: number,
  containers: Containers,
  { address }: Pick<ExaminedEngine, 'address'>,
): Promise<string | undefined> {
  const container = containers.find(({ Ports }) => Ports.some(({ PublicPort: published }) => published === port));
  if (container) return `the container ${container.Names[0]?.replace(/^\//, '')}`;
  return address.kind === 'unix' && (await isListenedOn(port)) ? 'another program' : undefined;
}

/** Checks that the proxy for public ports runs, or can run. */
export async function publicPortsFinding(examined: ExaminedEngine): Promise<DoctorFinding> {
  const { docker, proxy: settings } = examined;
  const [proxy] = await listDockerContainers(docker, anyProxy);
  if (proxy) {
    const served = [...new Set(proxy.Ports.flatMap(({ PublicPort: port }) => port ?? []))].toSorted(
      (one, other) => one - other,
    );
    if (proxy.State === 'running') return publicPorts.good(`the proxy runs, and listens on ${served.join(' and ')}`);
    return publicPorts.bad(
      `the proxy is ${proxy.State}: no public address answers`,
      `Start the platform, which repairs it; if it can't, its log says why. The log of the proxy itself: ${dockerCommand(examined)} logs ${proxy.Names[0]?.replace(/^\//, '')}`,
    );
  }
  const ports = Object.values(hostPorts(settings));
  const containers = await listDockerContainers(docker);
  const taken = (
    await Promise.all(ports.map(async (port) => ({ port, holder: await holderOf(port, containers, examined) })))
  ).filter(({ holder }) => holder !== undefined);
  if (taken.length === 0)
    return publicPorts.good(
      `no service has one; ${ports.length === 1 ? `port ${ports[0]} is` : `ports ${ports.join(' and ')} are`} free for them`,
    );
  return publicPorts.note(
    taken.map(({ port, holder }) => `port ${port} is taken by ${holder}`).join(', '),
    'Before services get public ports: free it, or set other ports for the proxy in the clusters file.',
  );
}
