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

/** A cluster whose services really run. */
export interface RealCluster {
  readonly name: string;
  readonly description: string;
  /** What answers show as its version: the kind of its runtime. */
  readonly version: string;
  /** What its services may hold altogether; default: no limits. */
  readonly limits?: ClusterLimits | undefined;
  /** When its databases are backed up; default: only on request. */
  readonly backups?: BackupSchedule | undefined;
  /** Creates what its services run on. */
  readonly createRuntime: (parts: RuntimeParts) => Runtime | Promise<Runtime>;
}

/** The clusters whose services really run, and the registries that these may name. */
export interface RealClusters {
  readonly clusters: readonly RealCluster[];
  readonly registries: readonly RegistryToAdd[];
  /** Alert rules, and who is told of them; default: none. */
  readonly alerts?:
    | { readonly receivers: readonly AlertReceiverToAdd[]; readonly rules: readonly AlertRuleToAdd[] }
    | undefined;
  /**
   * The Prometheus that may fetch what is measured, and that evaluates the conditions of alert rules if its address is
   * known; default: none.
   */
  readonly prometheus?: { readonly evaluation?: PrometheusSettings } | undefined;
}

/** The name of a cluster's runtime in the records. */
const runtimeName = ({ name }: Pick<RealCluster, 'name'>) => `cluster/${name}` as const;

/**
 * The id of a platform, made when it is first needed. Backups have it too: what they brought back goes on with the same
 * services.
 */
async function platformIdOf(db: DataStore, random: Random): Promise<string> {
  const present = await readSetting(db, 'platform_id');
  if (present !== undefined) return present;
  const id = random.uuid();
  await writeSetting(db, 'platform_id', id);
  return id;
}

/** What the runtime of a cluster keeps in the records, by the runtime's own names. */
const keptTexts =
  (db: DataStore, cluster: RealCluster) =>
  (what: string): KeptText => {
    const name = `${what}_of_${runtimeName(cluster)}` as const;
    return {
      read: async () => (await readSetting(db, name)) || undefined,
      write: (text) => writeSetting(db, name, text),
    };
  };

/** The limits of clusters, by the names of their runtimes. */
export const limitsByRuntime = ({ clusters }: RealClusters): Readonly<Record<string, ClusterLimits | undefined>> =>
  Object.fromEntries(clusters.map((cluster) => [runtimeName(cluster), cluster.limits]));

/** When the databases of clusters are backed up, by the names of their runtimes. */
export const backupSchedules = ({ clusters }: RealClusters): Readonly<Record<string, BackupSchedule | undefined>> =>
  Object.fromEntries(clusters.map((cluster) => [runtimeName(cluster), cluster.backups]));

/**
 * The secrets of a cluster, by what they are for: whoever has the platform's key can make them again, and nobody else.
 */
export const clusterSecrets =
  (vault: Pick<Vault, 'sign'>, cluster: Pick<RealCluster, 'name'>) =>
  (purpose: string): string =>
    vault.sign(`${runtimeName(cluster)}/${purpose}`);

/** Where receivers of alerts are told, by their ids. */
export const receiverAddresses = ({ alerts }: RealClusters) =>
  Object.fromEntries((alerts?.receivers ?? []).map(({ name, kind, url }) => [alertReceiverId(name), { kind, url }]));

/** Adds the clusters to the records, and creates their runtimes, by the names that the records have. */
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
