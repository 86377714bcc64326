import {
  createDockerClient,
  createManagersClient,
  DockerAddressError,
  type DockerClient,
  type NodeAccess,
  openNodeAccess,
  parseDockerAddress,
  proxySettings,
  registrySettings,
  untestedDatabases,
  withoutAgents,
} from '../../../platform/runtime/docker/index.ts';
import { clusterSecrets, readKnownRecords } from '../../../platform/index.ts';
import { type ExaminedRecords, openExistingVault } from '../../../platform/store/index.ts';
import type { Config, GivenFlags } from '../../config/index.ts';
import { withProgress } from '../../terminal/progress.ts';
import { whereAddresses } from '../../wiring/engine-connection.ts';
import { describeClusters, readAddresses } from '../../wiring/real-clusters.ts';
import { examineConfiguredDatabase } from '../database.ts';
import { nodeFinding, printFindings, readServerConfig } from '../doctor.ts';
import { type DoctorFinding, errorText, findingBuilder } from '../finding.ts';
import { addressFindings } from './engine-addresses.ts';
import { engineFindings } from './engine-findings.ts';
import { gitFindings } from './git-programs.ts';

const engine = findingBuilder('engine');
const clustersCheck = findingBuilder('clusters');
/** Databases whose images were never run in the tests of this program. */
const databasesFinding = findingBuilder('databases').note(
  `databases of the types ${untestedDatabases.join(' and ')} are untested here`,
  'Try one, with a restart and a new version, before you rely on it.',
);

type Described = Awaited<ReturnType<typeof describeClusters>>;

/** What the records in the configured database know. @throws Error if nobody could look at them */
function knownTo(examined: ExaminedRecords | undefined): ExaminedRecords['known'] {
  if (!examined) throw new Error('see what is said of the database');
  return examined.known;
}

/**
 * What reaches the engines of nodes: their addresses, and their agents, if the records and the key of their platform
 * are here.
 * @param docker has all addresses of the cluster
 */
function nodeAccess(
  docker: DockerClient,
  { name, agent }: Described['clusters'][number],
  { keysDir }: Config,
  readRecords: () => ExaminedRecords['known'],
  credentialsFor: Described['credentialsFor'],
): NodeAccess {
  try {
    const [vault, known] = [openExistingVault(keysDir), readRecords()];
    if (vault && known)
      return openNodeAccess({
        docker,
        platformId: known.platformId,
        secretFor: clusterSecrets(vault, { name }),
        agent,
        credentialsFor,
        now: Date.now,
      });
  } catch {
    // What is wrong with the records is told where they are needed.
  }
  return withoutAgents(
    docker,
    agent === undefined
      ? 'the cluster has no agent: set "agent" for it in the clusters file'
      : 'the records and the key of the platform are needed to ask its agent: give --data-dir',
  );
}

/** Checks the engine of one cluster, and what services on it need. */
async function clusterFindings(
  cluster: Described['clusters'][number],
  { registries, credentialsFor }: Described,
  config: Config,
  examined: ExaminedRecords | undefined,
): Promise<readonly DoctorFinding[]> {
  const { registry, dataDir, clustersFile, databaseUrl } = config;
  const { limits, builds, proxy, registry: own, placement, hasFastFailover, agent, terraform } = cluster;
  try {
    const parsed = readAddresses(cluster, clustersFile, parseDockerAddress);
    const clients = parsed.map(createDockerClient);
    const records =
      databaseUrl === undefined
        ? { place: dataDir, read: () => readKnownRecords(dataDir) }
        : { place: 'the database', read: () => knownTo(examined) };
    let nodes: NodeAccess | undefined;
    try {
      const { findings, best: docker } =
        clients.length > 1 ? await addressFindings(clients) : { findings: [], best: clients[0]! };
      nodes = nodeAccess(createManagersClient(clients), cluster, config, records.read, credentialsFor);
      const served = proxySettings(proxy);
      const [host, ...path] = (builds.registry ?? registry)?.split('/') ?? [];
      return [
        ...findings,
        ...(await engineFindings({
          docker,
          address: parsed[clients.indexOf(docker)]!,
          engines: clients,
          nodes,
          agent,
          terraform,
          limits,
          placement,
          hasFastFailover,
          ...(host !== undefined && { registry: host }),
          repository: [...path, 'infra-mcp', 'doctor'].join('/'),
          ownRegistry: own && registrySettings(own, served.image),
          registries: registries.map(({ url }) => new URL(url).host),
          registryUrl: (each) => registries.find(({ url }) => new URL(url).host === each)?.url,
          proxy: served,
          credentialsFor,
          records,
        })),
      ];
    } finally {
      await nodes?.close();
      await Promise.all(clients.map((client) => client.close()));
    }
  } catch (error) {
    const { cause = error } = error as Error;
    if (!(cause instanceof DockerAddressError)) throw error;
    return [engine.bad(cause.message, `Correct it. ${whereAddresses(clustersFile)}`)];
  }
}

/** Checks the engines of a configuration. The checks of a clusters file have the names of its clusters before them. */
async function configuredFindings(
  config: Config,
  examined: ExaminedRecords | undefined,
): Promise<readonly DoctorFinding[]> {
  const described = await describeClusters(config).catch((error: unknown) =>
    clustersCheck.bad(errorText(error), 'Correct the clusters file, or the file that it names.'),
  );
  if (!('clusters' in described)) return [described];
  const found = await Promise.all(
    described.clusters.map(async (cluster) => {
      const findings = await clusterFindings(cluster, described, config, examined);
      return config.clustersFile === undefined
        ? findings
        : findings.map((finding) => ({ ...finding, check: `${cluster.name}: ${finding.check}` }));
    }),
  );
  return [...found.flat(), ...(await gitFindings(described.git)), databasesFinding];
}

/** `infra-mcp doctor platform`: checks the Docker engines that services are to run on. Changes nothing that stays. */
export async function doctorEngineCommand(
  flags: GivenFlags,
  shown: { json?: boolean; verbose?: boolean },
): Promise<void> {
  const { config, findings } = await readServerConfig('doctor platform', flags, process.env);
  const found = config
    ? await withProgress('Looking at the database and the engine', async () => {
        const { findings: ofDatabase, records } = await examineConfiguredDatabase(config, ['platform']);
        return [...ofDatabase, ...(await configuredFindings(config, records))];
      })
    : [engine.skipped('needs a valid configuration')];
  await printFindings('doctor platform', flags, [nodeFinding(), ...findings, ...found], shown);
}
