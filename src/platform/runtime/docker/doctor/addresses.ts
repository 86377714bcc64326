import {
  type DockerClient,
  dockerInfo,
  type DockerInfo,
  type DockerNode,
  isDockerError,
  isLeaderless,
  leaderlessText,
} from '../api/index.ts';
import { isLabelledForProxy, proxyNodeLabel } from '../labels.ts';
import { servesSecurely } from '../proxy/settings.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import type { ExaminedEngine } from './examined-engine.ts';

const addresses = findingBuilder('addresses');
const proxies = findingBuilder('proxy machines');

/** The time limit for an engine's description of itself, in milliseconds. */
const timeoutMilliseconds = 10_000;

/** An engine's answer about its swarm, or why there is none. */
interface Asked {
  readonly client: DockerClient;
  readonly swarm?: DockerInfo['Swarm'];
  readonly error?: string;
}

const ask = async (client: DockerClient): Promise<Asked> => {
  try {
    return { client, swarm: (await dockerInfo(client, { timeoutMilliseconds })).Swarm };
  } catch (error) {
    if (isDockerError(error)) return { client, error: error.reason };
    throw error;
  }
};

/** The id of the swarm that an engine can manage at present. */
const idOf = ({ swarm }: Asked): string | undefined =>
  isLeaderless(swarm?.Error ?? '') ? undefined : swarm?.Cluster?.ID;

/**
 * The finding about one of several addresses.
 * @param own the swarm of the cluster, and the address of a manager that can be used; undefined if none can
 */
function findingOf(
  { client: { address }, swarm, error }: Asked,
  own: { readonly id: string; readonly address: string } | undefined,
): DoctorFinding {
  const meanwhile =
    own === undefined
      ? 'No other address belongs to a usable manager: until one does, services keep running, but nothing can be changed.'
      : 'Meanwhile the platform uses the others.';
  if (swarm === undefined)
    return addresses.bad(
      error ?? `${address} does not answer`,
      `Start that engine, or correct its address. ${meanwhile}`,
    );
  if (isLeaderless(swarm.Error ?? ''))
    return addresses.bad(`${address}: ${leaderlessText}`, 'Start the managers that are down.');
  if (swarm.LocalNodeState !== 'active')
    return addresses.bad(`${address} is in no swarm`, 'Let it join the swarm of the others, or leave its address out.');
  const id = swarm.Cluster?.ID;
  if (!swarm.ControlAvailable || id === undefined)
    return addresses.note(
      `${address} is a worker: the platform queries it only about its own node, such as a proxy there`,
      `Unless that is meant, make it a manager: docker node promote ${swarm.NodeID}`,
    );
  if (own !== undefined && id !== own.id)
    return addresses.bad(
      `${address} manages another swarm (${id}) than ${own.address} (${own.id}): the platform never uses it`,
      'Correct "engine" in the clusters file.',
    );
  return addresses.good(`${address} is a manager`);
}

/**
 * Checks the addresses of one cluster, of which there are several.
 * @returns the findings, and the engine to examine more closely: the first that can be used, or else the first that
 *   answers
 */
export async function addressFindings(
  clients: readonly DockerClient[],
): Promise<{ readonly findings: readonly DoctorFinding[]; readonly best: DockerClient }> {
  const asked = await Promise.all(clients.map(ask));
  const first = asked.find((each) => idOf(each) !== undefined);
  const own = first && { id: idOf(first)!, address: first.client.address };
  return {
    findings: asked.map((each) => findingOf(each, own)),
    best: (first ?? asked.find(({ swarm }) => swarm !== undefined) ?? asked[0]!).client,
  };
}

/** Reports when the platform knows only one of several managers. @param known how many addresses the platform has */
export function managersFindings({ Managers: managers = 1 }: DockerInfo['Swarm'], known: number): DoctorFinding[] {
  if (managers === 1 || known > 1) return [];
  return [
    addresses.note(
      `the swarm has ${managers} managers, and the platform knows the address of one: if that one is lost, the platform can do nothing until it is back`,
      'List the addresses of the others under "engine" in the clusters file.',
    ),
  ];
}

/**
 * Checks the nodes that are labelled for the proxy: whether it can be started there, and gets certificates.
 * @returns nothing if no node is labelled
 */
export async function proxyNodesFindings(
  { engines, proxy }: ExaminedEngine,
  nodes: readonly DockerNode[],
): Promise<DoctorFinding[]> {
  const labelled = nodes.filter(({ Spec }) => isLabelledForProxy(Spec.Labels));
  if (labelled.length === 0) return [];
  const known = new Set((await Promise.all(engines.map(ask))).map(({ swarm }) => swarm?.NodeID));
  const told = labelled.map(({ ID: id, Description: { Hostname: name } }) =>
    known.has(id)
      ? proxies.good(`${name} is labelled, and its engine answers`)
      : proxies.bad(
          `${name} is labelled, but no known address of its engine responds: the proxy can't be managed there`,
          `List its address under "engine" in the clusters file, or remove the label: docker node update --label-rm ${proxyNodeLabel.split('=')[0]} ${name}`,
        ),
  );
  if (labelled.length === 1 || !servesSecurely(proxy)) return told;
  return [
    ...told,
    proxies.note(
      `${labelled.length} proxies each obtain their own certificates, which fails where a name resolves to several of them`,
      'Set "certificates: false" under "proxy" in the clusters file, and terminate TLS in front of them; or label one machine only.',
    ),
  ];
}
