import { createDockerClient, DockerAddressError, parseDockerAddress, proxySettings, untestedDatabases } from '../../../platform/runtime/docker/index.ts';
import { readKnownRecords } from '../../../platform/index.ts';
import type { ExaminedRecords } from '../../../platform/store/index.ts';
import type { Config, GivenFlags } from '../../config/index.ts';
import { withProgress } from '../../terminal/progress.ts';
import { whereAddresses } from '../../wiring/engine-connection.ts';
import { describeClusters } from '../../wiring/real-clusters.ts';
import { examineConfiguredDatabase } from '../database.ts';
import { nodeFinding, printFindings, readServerConfig } from '../doctor.ts';
import { type DoctorFinding, errorText, findingBuilder } from '../finding.ts';
import { engineFindings } from './engine-findings.ts';
import { gitFindings } from './git-programs.ts';

const engine = findingBuilder('engine');
const clustersCheck = findingBuilder('clusters');
/** Databases whose images were never run in the tests of this program. */
const databasesFinding = findingBuilder('databases').note(`databases of the types ${untestedDatabases.join(' and ')} are untested here`, 'Try one, with a restart and a new version, before you rely on it.');

type Described = Awaited<ReturnType<typeof describeClusters>>;

/** What the records in the configured database know. @throws Error if nobody could look at them */
function knownTo(examined: ExaminedRecords | undefined): ExaminedRecords['known'] {
  if (!examined) throw new Error('see what is said of the database');
  return examined.known;
}

/** Checks the engine of one cluster, and what services on it need. */
async function clusterFindings({ engine: address, tls, limits, builds, proxy }: Described['clusters'][number], { registries, credentialsFor }: Described, config: Config, examined: ExaminedRecords | undefined): Promise<readonly DoctorFinding[]> {
  const { registry, dataDir, clustersFile, databaseUrl } = config;
  try {
    const parsed = parseDockerAddress(address, tls);
    const docker = createDockerClient(parsed);
    try {
      return await engineFindings({
        docker, address: parsed, limits, registry: builds.registry?.split('/')[0] ?? registry, registries: registries.map(({ url }) => new URL(url).host), proxy: proxySettings(proxy), credentialsFor,
        records: databaseUrl === undefined ? { place: dataDir, read: () => readKnownRecords(dataDir) } : { place: 'the database', read: () => knownTo(examined) },
      });
    } finally {
      await docker.close();
    }
  } catch (error) {
    if (!(error instanceof DockerAddressError)) throw error;
    return [engine.bad(error.message, `Correct it. ${whereAddresses(clustersFile)}`)];
  }
}

/** Checks the engines of a configuration. The checks of a clusters file have the names of its clusters before them. */
async function configuredFindings(config: Config, examined: ExaminedRecords | undefined): Promise<readonly DoctorFinding[]> {
  const described = await describeClusters(config).catch((error: unknown) => clustersCheck.bad(errorText(error), 'Correct the clusters file, or the file that it names.'));
  if (!('clusters' in described)) return [described];
  const found = await Promise.all(described.clusters.map(async (cluster) => {
    const findings = await clusterFindings(cluster, described, config, examined);
    return config.clustersFile === undefined ? findings : findings.map((finding) => ({ ...finding, check: `${cluster.name}: ${finding.check}` }));
  }));
  return [...found.flat(), ...(await gitFindings(described.git)), databasesFinding];
}

/** `infra-mcp doctor platform`: checks the Docker engines that services are to run on. Changes nothing. */
export async function doctorEngineCommand(flags: GivenFlags, shown: { json?: boolean; verbose?: boolean }): Promise<void> {
  const { config, findings } = await readServerConfig('doctor platform', flags, process.env);
  const found = config ? await withProgress('Looking at the database and the engine', async () => {
    const { findings: ofDatabase, records } = await examineConfiguredDatabase(config, ['platform']);
    return [...ofDatabase, ...(await configuredFindings(config, records))];
  }) : [engine.skipped('needs a valid configuration')];
  await printFindings('doctor platform', flags, [nodeFinding(), ...findings, ...found], shown);
}
