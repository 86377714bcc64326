import type { DescribedCluster, Examination, SettingsSource, SharedSettings } from '../../index.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { createDockerClient, createManagersClient, DockerAddressError, type DockerClient } from '../api/index.ts';
import { type NodeAccess, openNodeAccess, withoutAgents } from '../nodes/node-access.ts';
import type { ClusterSettings } from '../provider/cluster-settings.ts';
import { engineCredentials, proxyOf } from '../provider/create-cluster.ts';
import { readAddresses, whereAddresses } from '../provider/engine-addresses.ts';
import { proxySettings } from '../proxy/settings.ts';
import { registrySettings } from '../registry/settings.ts';
import { addressFindings } from './addresses.ts';
import { engineFindings } from './engine-findings.ts';

const engine = findingBuilder('engine');

/**
 * The access to the engines of nodes: by address, and through agents if the records and the key of their platform are
 * here.
 * @param docker a client with all addresses of the cluster
 */
function nodeAccess(
  docker: DockerClient,
  { name, settings: { agent } }: DescribedCluster<ClusterSettings>,
  shared: SharedSettings,
  { records, secretsOf }: Examination,
): NodeAccess {
  try {
    const [secretFor, known] = [secretsOf(name), records.read()];
    if (secretFor && known)
      return openNodeAccess({
        docker,
        platformId: known.platformId,
        secretFor,
        agent,
        credentialsFor: engineCredentials(shared),
        now: Date.now,
      });
  } catch {
    // Problems with the records are reported where they are needed.
  }
  return withoutAgents(
    docker,
    agent === undefined
      ? 'the cluster has no agent: set "agent" for it in the clusters file'
      : 'the records and the key of the platform are needed to ask its agent: give --data-dir',
  );
}

/** Checks the engines of a cluster, and everything that services on them need. */
export async function examineCluster(
  cluster: DescribedCluster<ClusterSettings>,
  shared: SharedSettings,
  source: SettingsSource,
  examination: Examination,
): Promise<readonly DoctorFinding[]> {
  const { builds, registry: own, placement, hasFastFailover, agent, terraform } = cluster.settings;
  const { registries } = shared;
  try {
    const parsed = readAddresses(cluster.settings, source);
    const clients = parsed.map(createDockerClient);
    let nodes: NodeAccess | undefined;
    try {
      const { findings, best: docker } =
        clients.length > 1 ? await addressFindings(clients) : { findings: [], best: clients[0]! };
      nodes = nodeAccess(createManagersClient(clients), cluster, shared, examination);
      const served = proxySettings(proxyOf(cluster));
      const [host, ...path] = (builds.registry ?? examination.registry)?.split('/') ?? [];
      return [
        ...findings,
        ...(await engineFindings({
          docker,
          address: parsed[clients.indexOf(docker)]!,
          engines: clients,
          nodes,
          agent,
          terraform,
          limits: cluster.limits,
          placement,
          hasFastFailover,
          ...(host !== undefined && { registry: host }),
          repository: [...path, 'infra-mcp', 'doctor'].join('/'),
          ownRegistry: own && registrySettings(own, served.image),
          registries: registries.map(({ url }) => new URL(url).host),
          registryUrl: (each) => registries.find(({ url }) => new URL(url).host === each)?.url,
          proxy: served,
          credentialsFor: engineCredentials(shared),
          records: examination.records,
          guide: examination.guide,
        })),
      ];
    } finally {
      await nodes?.close();
      await Promise.all(clients.map((client) => client.close()));
    }
  } catch (error) {
    const { cause = error } = error as Error;
    if (!(cause instanceof DockerAddressError)) throw error;
    return [engine.bad(cause.message, `Correct it. ${whereAddresses(source)}`)];
  }
}
