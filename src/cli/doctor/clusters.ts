import { clusterSecrets, readKnownRecords } from '../../platform/index.ts';
import { type DoctorFinding, errorMessage, findingBuilder } from '../../platform/common/index.ts';
import type { Examination } from '../../platform/runtime/index.ts';
import { engineProvider } from '../../platform/runtime-providers.ts';
import { type ExaminedRecords, openExistingVault } from '../../platform/store/index.ts';
import { type Config, type GivenFlags, pageLink } from '../config/index.ts';
import { withProgress } from '../terminal/progress.ts';
import { describeClusters } from '../wiring/real-clusters.ts';
import { platformDirectoryFindings } from './data-directory.ts';
import { examineConfiguredDatabase } from './database.ts';
import { nodeFinding, printFindings, readServerConfig } from './doctor.ts';
import { clustersProxyFindings } from './proxies.ts';

const clustersCheck = findingBuilder('clusters');

/** The known ids in the records of the configured database. @throws Error if the records could not be read */
function knownTo(examined: ExaminedRecords | undefined): ExaminedRecords['known'] {
  if (!examined) throw new Error('see what is said of the database');
  return examined.known;
}

/** The inputs of a cluster's examination. @param examined the records read from the configured database */
const examinationOf = (
  { registry, dataDir, keysDir, databaseUrl }: Config,
  examined: ExaminedRecords | undefined,
): Examination => ({
  registry,
  records:
    databaseUrl === undefined
      ? { place: dataDir, read: () => readKnownRecords(dataDir) }
      : { place: 'the database', read: () => knownTo(examined) },
  secretsOf: (name) => {
    const vault = openExistingVault(keysDir);
    return vault && clusterSecrets(vault, { name });
  },
  guide: pageLink('several-machines'),
});

/** Checks the clusters of a configuration. With a clusters file, the name of each check starts with its cluster. */
async function configuredFindings(
  config: Config,
  examined: ExaminedRecords | undefined,
): Promise<readonly DoctorFinding[]> {
  const provider = await engineProvider();
  const described = await describeClusters(config, provider).catch((error: unknown) =>
    clustersCheck.bad(errorMessage(error), 'Correct the clusters file, or the file that it names.'),
  );
  if (!('clusters' in described)) return [described];
  const { clusters, shared, source } = described;
  const examination = examinationOf(config, examined);
  const found = await Promise.all(
    clusters.map(async (cluster) => {
      const findings = await provider.examine(cluster, shared, source, examination);
      return source.file === undefined
        ? findings
        : findings.map((finding) => ({ ...finding, check: `${cluster.name}: ${finding.check}` }));
    }),
  );
  return [...clustersProxyFindings(described, process.env), ...found.flat(), ...(await provider.examineShared(shared))];
}

/** `infra-mcp doctor platform`: checks the clusters for services. Leaves no changes behind. */
export async function doctorClustersCommand(
  flags: GivenFlags,
  shown: { json?: boolean; verbose?: boolean },
): Promise<void> {
  const { config, findings } = await readServerConfig('doctor platform', flags, process.env);
  const found = config
    ? await withProgress('Looking at the database and the engine', async () => {
        const { findings: ofDatabase, records } = await examineConfiguredDatabase(config, ['platform']);
        return [...platformDirectoryFindings(config), ...ofDatabase, ...(await configuredFindings(config, records))];
      })
    : [findingBuilder('engine').skipped('needs a valid configuration')];
  await printFindings('doctor platform', flags, [nodeFinding(), ...findings, ...found], shown);
}
