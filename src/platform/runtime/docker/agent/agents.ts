import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Duplex } from 'node:stream';
import {
  createDockerClient,
  type DockerClient,
  hostOfImage,
  type DockerTask,
  ignoring,
  inspectDockerNode,
  listDockerTasks,
  dockerInfo,
  type DockerNode,
  listDockerNodes,
} from '../api/index.ts';
import { isUp } from '../instance-states.ts';
import { agentServiceName } from '../names.ts';
import { restText, nodeName } from '../nodes/node-facts.ts';
import { type AgentParts, agentPort, ensureAgents, findAgentService, removeAgents } from './agent-service.ts';
import { type AgentAuthority, agentName } from './authority.ts';
import { openTunnel, removeRelays } from './tunnel.ts';
import { answeringEngines } from '../nodes/node-engines.ts';

/** The engine through which agents are reached, or why none can be, as a part of a sentence. */
type Gateway = { readonly engine: DockerClient } | { readonly problem: string };

const idleText = (node: DockerNode): string => `${nodeName(node)} is ${restText(node)}`;

/**
 * Chooses the engine through which agents are reached: the one in use, or another one whose address the platform has.
 * Containers join the agents' network only on an active node.
 */
async function findGateway(docker: DockerClient, signal: AbortSignal): Promise<Gateway> {
  const asked = await docker.engine();
  const engines =
    docker.engines.length === 1
      ? [asked]
      : [asked, ...(await answeringEngines(docker, signal)).filter((each) => each !== asked)];
  const nodes = await listDockerNodes(docker, {}, { signal });
  const idle: DockerNode[] = [];
  for (const engine of engines) {
    // In order: the first suitable engine is used.
    const {
      Swarm: { NodeID: id },
    } = await dockerInfo(engine, { signal });
    const node = nodes.find(({ ID }) => ID === id);
    if (node?.Spec.Availability === 'active') return { engine };
    if (node) idle.push(node);
  }
  return {
    problem: `agents are reached from a node that takes instances and whose engine's address the platform has, and ${idle.map(idleText).join(', ') || 'none is known'}`,
  };
}

/** The agents of a cluster, through which the engines of other nodes are reached. */
interface Agents {
  /** The client of a node's engine; undefined if no agent runs there. */
  readonly clientOf: (nodeId: string, signal: AbortSignal) => Promise<DockerClient | undefined>;
  /** Why no agent runs on a node, as a part of a sentence; undefined if one does. */
  readonly whyNone: (nodeId: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Makes the agents match the settings: on every node, or nowhere. */
  readonly sync: (signal: AbortSignal) => Promise<void>;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
}

/** How long the certificate of a connection is valid, in milliseconds: it is needed only while the connection opens. */
const clientLifetime = 3_600_000;

/** The time limit for the TLS handshake with an agent, in milliseconds. */
const handshakeMilliseconds = 10_000;

/** Opens a mutually authenticated TLS connection over a tunnel. @throws Error of TLS */
async function secured(tunnel: Duplex, authority: AgentAuthority, now: number): Promise<TLSSocket> {
  const { cert, key } = authority.issue('client', clientLifetime, now);
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connectTls({
    socket: tunnel,
    servername: agentName,
    ca: authority.certificate,
    cert,
    key,
    minVersion: 'TLSv1.3',
    ALPNProtocols: ['http/1.1'],
  });
  const timer = setTimeout(
    () => socket.destroy(new Error('the agent of the node did not answer in time')),
    handshakeMilliseconds,
  );
  socket.once('secureConnect', () => resolve(socket)).on('error', reject);
  tunnel.on('error', (error) => socket.destroy(error));
  return promise.finally(() => clearTimeout(timer));
}

/** The address of an agent on the agents' network; undefined while it has none. */
const addressOf = (task: DockerTask, network: string): string | undefined =>
  task.NetworksAttachments?.find(({ Network }) => Network.Spec.Name === network)?.Addresses?.[0]?.split('/')[0];

/**
 * Creates the agents of a cluster and the connections to them.
 * @param isWanted whether the cluster has agents
 */
export function createAgents(parts: AgentParts, isWanted: boolean): Agents {
  const { docker, platformId, authority, image, credentialsFor, now } = parts;
  const service = agentServiceName(platformId);
  /** The clients by node, each for one instance of the agent. */
  const clients = new Map<string, { readonly taskId: string; readonly client: DockerClient }>();
  let isRemoved = false;

  /** The instances of the agent on a node, newest first. None while the agents' service doesn't exist. */
  const tasksOn = async (nodeId: string, signal: AbortSignal): Promise<readonly DockerTask[]> =>
    (
      (await listDockerTasks(docker, { service: [service], node: [nodeId] }, { signal }).catch(
        ignoring('not found'),
      )) ?? []
    ).toSorted((one, other) => other.CreatedAt.localeCompare(one.CreatedAt));

  const drop = async (nodeId: string): Promise<void> => {
    const known = clients.get(nodeId);
    clients.delete(nodeId);
    await known?.client.close();
  };

  return {
    clientOf: async (id, signal) => {
      if (!isWanted) return undefined;
      const task = (await tasksOn(id, signal)).find(isUp);
      const known = clients.get(id);
      if (known && known.taskId === task?.ID) return known.client;
      await drop(id);
      const address = task && addressOf(task, service);
      if (address === undefined || 'problem' in (await findGateway(docker, signal))) return undefined;
      const {
        Description: { Hostname: name },
      } = await inspectDockerNode(docker, id, { signal });
      // Another call may have created it in the meantime.
      const present = clients.get(id);
      if (present?.taskId === task!.ID) return present.client;
      const connect = async (): Promise<TLSSocket> => {
        const gateway = await findGateway(docker, AbortSignal.timeout(handshakeMilliseconds));
        if ('problem' in gateway) throw new Error(gateway.problem);
        return secured(
          await openTunnel(
            { docker: gateway.engine, platformId, image, credentials: credentialsFor(hostOfImage(image)) },
            address,
            agentPort,
          ),
          authority,
          now(),
        );
      };
      const client = createDockerClient({ kind: 'node', name, connect });
      clients.set(id, { taskId: task!.ID, client });
      return client;
    },
    whyNone: async (nodeId, signal) => {
      if (!isWanted) return 'the cluster has no agent: set "agent" for it in the clusters file';
      if ((await findAgentService(parts, signal)) === undefined)
        return 'its agent does not exist yet: the platform starts it';
      const tasks = await tasksOn(nodeId, signal);
      const [newest] = tasks;
      if (newest !== undefined && isUp(newest)) {
        const gateway = await findGateway(docker, signal);
        return 'problem' in gateway ? gateway.problem : undefined;
      }
      const rests = restText(await inspectDockerNode(docker, nodeId, { signal }));
      if (rests !== undefined) return `it is ${rests}, and so has no agent`;
      if (newest === undefined) return 'its agent has not been started yet';
      // One that is retried reports its error only after each attempt.
      const why = tasks.find(({ Status }) => Status.Err)?.Status.Err;
      return `its agent is not up (${newest.Status.State})${why === undefined ? '' : `: ${why}`}`;
    },
    sync: async (signal) => {
      if (isWanted) return ensureAgents(parts, signal);
      if (isRemoved) return undefined;
      await removeRelays(parts, now(), signal);
      isRemoved = await removeAgents(parts, signal);
      return undefined;
    },
    close: async () => {
      await Promise.all([...clients.keys()].map(drop));
    },
  };
}
