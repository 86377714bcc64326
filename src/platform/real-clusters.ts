import type { PlatformClock, Random } from './common/index.ts';
import type { ClusterLimits } from './engine/index.ts';
import type { Runtime } from './runtime/index.ts';
import { addClusters, type RegistryToAdd } from './seed/index.ts';
import { type DataStore, readSetting, writeSetting } from './store/index.ts';

/** A cluster whose services really run. */
export interface RealCluster {
  readonly name: string;
  readonly description: string;
  /** What its services may hold altogether; default: no limits. */
  readonly limits?: ClusterLimits | undefined;
  /** Creates what its services run on. @param platformId tells what this platform made from what others made */
  readonly createRuntime: (parts: { readonly clock: PlatformClock; readonly platformId: string }) => Runtime;
}

/** The clusters whose services really run, and the registries that these may name. */
export interface RealClusters {
  readonly clusters: readonly RealCluster[];
  readonly registries: readonly RegistryToAdd[];
}

/** The name of a cluster's runtime in the records. */
const runtimeName = ({ name }: RealCluster): string => `cluster/${name}`;

/** The id of a platform, made when it is first needed. Backups have it too: what they brought back goes on with the same services. */
async function platformIdOf(db: DataStore, random: Random): Promise<string> {
  const present = await readSetting(db, 'platform_id');
  if (present !== undefined) return present;
  const id = random.uuid();
  await writeSetting(db, 'platform_id', id);
  return id;
}

/** The limits of clusters, by the names of their runtimes. */
export const limitsByRuntime = ({ clusters }: RealClusters): Readonly<Record<string, ClusterLimits | undefined>> => Object.fromEntries(clusters.map((cluster) => [runtimeName(cluster), cluster.limits]));

/** Adds the clusters to the records, and creates their runtimes, by the names that the records have. */
export async function openRealClusters(db: DataStore, { clusters, registries }: RealClusters, { clock, random }: { readonly clock: PlatformClock; readonly random: Random }): Promise<Readonly<Record<string, Runtime>>> {
  const platformId = await platformIdOf(db, random);
  const rows = clusters.map((cluster) => ({ name: cluster.name, description: cluster.description, runtime: runtimeName(cluster), limits: cluster.limits }));
  await addClusters(db, rows, registries, new Date(clock.now()).toISOString());
  return Object.fromEntries(clusters.map((cluster) => [runtimeName(cluster), cluster.createRuntime({ clock, platformId })]));
}
