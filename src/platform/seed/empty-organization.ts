import type { DataStore, Db } from '../store/index.ts';
import { readSetting, writeSetting } from '../store/index.ts';
import { organizationId, seedId } from './ids.ts';

/** A registry that services may use. */
export interface RegistryToAdd {
  readonly name: string;
  readonly kind: 'DOCKER_HUB' | 'GENERIC_CR';
  readonly url: string;
}

/** A cluster whose services run on a runtime of this process. */
export interface ClusterToAdd {
  readonly name: string;
  /** The platform's name of the runtime. */
  readonly runtime: string;
  readonly description: string;
  /** The version that responses show. */
  readonly version: string;
  /**
   * The limits of its services together, which are also those of a single service. CPU in thousandths, memory in MB.
   */
  readonly limits?: { readonly cpu?: number | undefined; readonly memory?: number | undefined } | undefined;
}

const roles = [
  ['admin', 'Admin', 'ADMIN'],
  ['owner', 'Owner', 'OWNER'],
] as const;

/**
 * Seeds an empty store with an empty organization, for platforms whose services are real. A seeded store is left alone.
 */
export async function seedEmptyOrganization(db: DataStore, now: string): Promise<void> {
  if ((await readSetting(db, 'seeded')) !== undefined) return;
  await db.write(async (trx) => {
    await trx
      .insertInto('organization')
      .values({
        id: organizationId,
        created_at: now,
        updated_at: now,
        name: 'organization',
        description: null,
        plan: null,
        owner: null,
      })
      .execute();
    await trx
      .insertInto('role')
      .values(
        roles.map(([path, name, legacy]) => ({
          id: seedId(`role/${path}`),
          organization_id: organizationId,
          name,
          created_at: now,
          updated_at: now,
          description: `${name}s of the organization.`,
          legacy_role: legacy,
        })),
      )
      .execute();
    await writeSetting(trx, 'seeded', 'yes');
  });
}

/**
 * Adds the missing clusters and registries. Updates an existing cluster's runtime, description and limits, and an
 * existing registry's kind and URL.
 */
export async function addClusters(
  db: DataStore,
  clusters: readonly ClusterToAdd[],
  registries: readonly RegistryToAdd[],
  now: string,
): Promise<void> {
  const owned = (kind: string, name: string) => ({
    id: seedId(`${kind}/${name}`),
    organization_id: organizationId,
    name,
    created_at: now,
    updated_at: now,
  });
  await db.write(async (trx) => {
    for (const cluster of clusters) await addCluster(trx, cluster, owned('cluster', cluster.name));
    for (const registry of registries) await addRegistry(trx, registry, owned('registry', registry.name));
  });
}

interface OwnedRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Adds a registry, or updates the one that it was added as, or that a member of the organization has linked by its name.
 * Credentials that were stored for another address are removed.
 */
async function addRegistry(trx: Db, { kind, url }: RegistryToAdd, row: OwnedRow): Promise<void> {
  const known = await trx
    .selectFrom('registry')
    .select(['id', 'url'])
    .where('organization_id', '=', row.organization_id)
    .where((where) => where.or([where('id', '=', row.id), trx.sql.sameIgnoringCase('name', row.name)]))
    .orderBy((order) => order.case().when('id', '=', row.id).then(0).else(1).end())
    .executeTakeFirst();
  if (known === undefined) {
    await trx
      .insertInto('registry')
      .values({ ...row, kind, url, description: null, config: null, sealed_config: null })
      .execute();
    return;
  }
  await trx
    .updateTable('registry')
    .set({ kind, url, updated_at: row.updated_at, ...(known.url !== url && { config: null, sealed_config: null }) })
    .where('id', '=', known.id)
    .execute();
}

/** The default limits of one service. */
const largestService = { cpu: 64_000, memory: 262_144 };

const addCluster = async (
  trx: Db,
  { runtime, description, version, limits }: ClusterToAdd,
  row: OwnedRow,
): Promise<void> => {
  const maximums = {
    maximum_cpu: limits?.cpu ?? largestService.cpu,
    maximum_memory: limits?.memory ?? largestService.memory,
  };
  const present = await trx
    .selectFrom('cluster')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('cluster')
    .values({
      ...row,
      description,
      region: 'on-premise',
      cloud_provider: 'ON_PREMISE',
      version,
      next_version: null,
      is_default: present.count === 0 ? 1 : 0,
      production: 0,
      status: 'DEPLOYED',
      ...maximums,
      maximum_gpu: 0,
      last_execution_id: null,
      last_deployment_at: null,
      runtime,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ description, runtime, ...maximums }))
    .execute();
};
