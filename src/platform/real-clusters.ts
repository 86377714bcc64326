import type { PlatformClock, Random } from './common/index.ts';
import type { BackupSchedule, ClusterLimits, PrometheusSettings } from './engine/index.ts';
import type { KeptText, Runtime, RuntimeParts } from './runtime/index.ts';
import {
  addClusters,
  alertReceiverId,
  type AlertReceiverToAdd,
  type AlertRuleToAdd,
  type RegistryToAdd,
} from './seed/index.ts';
import { type DataStore, readSetting, type Vault, writeSetting } from './store/index.ts';

/** A real cluster, whose services aren't simulated. */
export interface RealCluster {
  readonly name: string;
  readonly description: string;
  /** The version in responses: the kind of its runtime. */
  readonly version: string;
  /** The total resources that its services may hold; default: no limits. */
  readonly limits?: ClusterLimits | undefined;
  /** When its databases are backed up; default: only on request. */
  readonly backups?: BackupSchedule | undefined;
  /** Creates the runtime of its services. */
  readonly createRuntime: (parts: RuntimeParts) => Runtime | Promise<Runtime>;
}

/** The real clusters, and the registries that their services may use. */
export interface RealClusters {
  readonly clusters: readonly RealCluster[];
  readonly registries: readonly RegistryToAdd[];
  /** Alert rules, and their receivers; default: none. */
  readonly alerts?:
    | { readonly receivers: readonly AlertReceiverToAdd[]; readonly rules: readonly AlertRuleToAdd[] }
    | undefined;
  /**
   * The Prometheus that may scrape the metrics, and that evaluates the conditions of alert rules if its address is
   * known; default: none.
   */
  readonly prometheus?: { readonly evaluation?: PrometheusSettings } | undefined;
}

/** The name of a cluster's runtime in the records. */
const runtimeName = ({ name }: Pick<RealCluster, 'name'>) => `cluster/${name}` as const;

/**
 * The id of a platform, created when it is first needed. Backups contain it: a restored platform continues with the
 * same services.
 */
async function platformIdOf(db: DataStore, random: Random): Promise<string> {
  const present = await readSetting(db, 'platform_id');
  if (present !== undefined) return present;
  const id = random.uuid();
  await writeSetting(db, 'platform_id', id);
  return id;
}

/** The texts that the runtime of a cluster stores in the records, by the runtime's names for them. */
const keptTexts =
  (db: DataStore, cluster: RealCluster) =>
  (what: string): KeptText => {
    const name = `${what}_of_${runtimeName(cluster)}` as const;
    return {
      read: async () => (await readSetting(db, name)) || undefined,
      write: (text) => writeSetting(db, name, text),
    };
  };

/** The limits of clusters, by runtime name. */
export const limitsByRuntime = ({ clusters }: RealClusters): Readonly<Record<string, ClusterLimits | undefined>> =>
  Object.fromEntries(clusters.map((cluster) => [runtimeName(cluster), cluster.limits]));

/** When the databases of clusters are backed up, by runtime name. */
export const backupSchedules = ({ clusters }: RealClusters): Readonly<Record<string, BackupSchedule | undefined>> =>
  Object.fromEntries(clusters.map((cluster) => [runtimeName(cluster), cluster.backups]));

/** The secrets of a cluster, by purpose. They can be derived again with the platform's key, and only with it. */
export const clusterSecrets =
  (vault: Pick<Vault, 'sign'>, cluster: Pick<RealCluster, 'name'>) =>
  (purpose: string): string =>
    vault.sign(`${runtimeName(cluster)}/${purpose}`);

/** The addresses of alert receivers, by receiver id. */
export const receiverAddresses = ({ alerts }: RealClusters) =>
  Object.fromEntries((alerts?.receivers ?? []).map(({ name, kind, url }) => [alertReceiverId(name), { kind, url }]));

/** Adds the clusters to the records, and creates their runtimes, by their names in the records. */
export async function openRealClusters(
  db: DataStore,
  { clusters, registries }: RealClusters,
  { clock, random, vault }: { readonly clock: PlatformClock; readonly random: Random; readonly vault: Vault },
): Promise<Readonly<Record<string, Runtime>>> {
  const platformId = await platformIdOf(db, random);
  const rows = clusters.map((cluster) => ({
    name: cluster.name,
    description: cluster.description,
    version: cluster.version,
    runtime: runtimeName(cluster),
    limits: cluster.limits,
  }));
  await addClusters(db, rows, registries, new Date(clock.now()).toISOString());
  const created = clusters.map(async (cluster) => {
    const parts = { clock, platformId, secretFor: clusterSecrets(vault, cluster), kept: keptTexts(db, cluster) };
    return [runtimeName(cluster), await cluster.createRuntime(parts)] as const;
  });
  return Object.fromEntries(await Promise.all(created));
}
