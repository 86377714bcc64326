import { missingImage, notAllowed } from '../agent/program/allowed-requests.ts';
import {
  type DockerClient,
  dockerInfo,
  type DockerNode,
  inspectDockerDistribution,
  isDockerError,
} from '../api/index.ts';
import { onEveryNode, unaskedNodesText } from '../nodes/every-node.ts';
import { nodeName, restText } from '../nodes/node-facts.ts';
import { nodePort, registryHost } from '../registry/settings.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { isOfRegistry } from './registries.ts';
import type { ExaminedEngine } from './examined-engine.ts';

const onNodes = findingBuilder('registry on nodes');

/** The time limit for a registry's answer to an engine, in milliseconds: less than agents wait for their engine. */
const timeoutMilliseconds = 25_000;

/** The time limit for querying all nodes, in milliseconds. */
const allMilliseconds = 120_000;

/** The result of querying a node. */
type Reach = { readonly is: 'reached' } | { readonly is: 'failed' | 'not asked'; readonly why: string };

/**
 * Makes an engine query a registry, without credentials: a refusal shows that the registry was reached.
 * @throws DockerError if the engine can't be reached
 */
async function reachFrom(engine: DockerClient, host: string): Promise<Reach> {
  // Distinguishes an engine or agent that does not answer from a registry that does not.
  await dockerInfo(engine, { timeoutMilliseconds });
  try {
    await inspectDockerDistribution(engine, `${host}/${missingImage}`, undefined, { timeoutMilliseconds });
  } catch (error) {
    if (!isDockerError(error)) throw error;
    if (error.reason === notAllowed)
      return { is: 'not asked', why: 'its agent is of an older version: the platform replaces it when it starts' };
    if (error.kind === 'unreachable') return { is: 'not asked', why: error.reason };
    if (error.kind === 'timeout') return { is: 'failed', why: `no answer within ${timeoutMilliseconds / 1000} s` };
    if (!isOfRegistry(error.reason)) return { is: 'failed', why: error.reason };
  }
  return { is: 'reached' };
}

/** The advice for failures, by their error messages. The last one matches all. */
const remedies: readonly { readonly says: RegExp; readonly todo: (host: string) => string }[] = [
  {
    says: /HTTP response to HTTPS client/i,
    todo: (host) =>
      `The registry has no TLS: add ${host} to "insecure-registries" in /etc/docker/daemon.json of these machines, and restart their engines.`,
  },
  {
    says: /x509|certificate/i,
    todo: (host) =>
      `Put the certificate of the registry's authority at /etc/docker/certs.d/${host}/ca.crt of these machines.`,
  },
  {
    says: /no such host|server misbehaving|name resolution/i,
    todo: (host) => `Make these machines resolve ${host.replace(/:\d+$/, '')}: in their DNS, or in /etc/hosts.`,
  },
  {
    says: /./,
    todo: (host) =>
      `Let these machines connect to ${host}: open its port in the firewalls between them and the registry. If it has a name, make sure that they can resolve it.`,
  },
];

/** The findings about nodes that do not reach a registry, one for each remedy. */
const failedFindings = (
  host: string,
  failed: readonly { readonly name: string; readonly why: string }[],
): DoctorFinding[] =>
  [...Map.groupBy(failed, ({ why }) => remedies.find(({ says }) => says.test(why))!)].map(([{ todo }, group]) =>
    onNodes.bad(`${host} is not reached from ${unaskedNodesText(group)}: built images can't run there`, todo(host)),
  );

/**
 * Checks whether each node that takes services reaches the registry for built images.
 * @param all the nodes of the swarm
 */
export async function registryOnNodesFindings(
  { nodes, registry: host, ownRegistry, guide }: ExaminedEngine,
  all: readonly DockerNode[],
): Promise<DoctorFinding[]> {
  const active = all.filter((node) => restText(node) === undefined);
  if (active.length < 2) return [];
  if (ownRegistry !== undefined) {
    return [
      onNodes.note(
        `the nodes were not checked for access to the platform's own registry: its forwarder, at ${registryHost(ownRegistry)}, accepts only the platform's credentials`,
        `Open ${nodePort(ownRegistry)}/tcp between the machines. The first deployment of a built application shows whether each reaches it.`,
      ),
    ];
  }
  if (host === undefined) return [];
  const { seen, unasked } = await onEveryNode(
    nodes,
    (engine) => reachFrom(engine, host),
    AbortSignal.timeout(allMilliseconds),
  );
  const told = seen
    .filter(({ node }) => restText(node) === undefined)
    .map(({ node, result }) => ({ name: nodeName(node), ...result }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const resting = new Set(all.filter((node) => restText(node) !== undefined).map(nodeName));
  const failed = told.flatMap((each) => (each.is === 'failed' ? [each] : []));
  const notAsked = [
    ...told.flatMap((each) => (each.is === 'not asked' ? [each] : [])),
    ...unasked.filter(({ name }) => !resting.has(name)),
  ];
  if (failed.length === 0 && notAsked.length === 0)
    return [onNodes.good(`all ${active.length} nodes that take services reach ${host}`)];
  return [
    ...failedFindings(host, failed),
    ...(notAsked.length === 0
      ? []
      : [
          onNodes.note(
            `whether ${host} can be reached is unknown for ${unaskedNodesText(notAsked)}`,
            `With an agent on each node they are checked: see "agent" in ${guide}. Without it, test on the node itself: docker pull ${host}/${missingImage}. A missing image or a denied access shows that the registry is reached.`,
          ),
        ]),
  ];
}
