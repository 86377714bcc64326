import { type Expression, sql } from 'kysely';
import { parseJson, type JsonRecord, type ServiceKind } from '../../../contract/index.ts';
import { refused } from '../../common/index.ts';
import { type Db, referencesIn, serviceReferences } from '../../store/index.ts';
import { findInOrganization } from './find.ts';

/** Resources of the organization that services name by a member of their configuration. */
type Referred = keyof typeof serviceReferences;

/** Resources of the organization that services use. */
export type Used = Referred | 'labels_group' | 'annotations_group';

const idsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.map((one) => (one as JsonRecord)['id']) : [];

/** The condition for services that name a resource. There is an index on each member that does. */
const refersTo = (used: Referred, id: string, db: Db): Expression<boolean> =>
  sql.join(
    serviceReferences[used].map(
      ({ kind, path }) =>
        sql`(${sql.ref('service.kind')} = ${sql.lit(kind)} and ${db.sql.member('spec', path)} = ${id})`,
    ),
    sql` or `,
  );

/** The condition for services that may use a resource: few others fit, so that few configurations are parsed. */
const mayUse = (used: Used, id: string, db: Db): Expression<boolean> =>
  used === 'labels_group' || used === 'annotations_group'
    ? sql<boolean>`cast(${sql.ref('service.spec')} as text) like ${`%${id}%`}`
    : sql<boolean>`(${refersTo(used, id, db)})`;

const uses = (used: Used, id: string, service: ServiceKind, spec: JsonRecord): boolean =>
  used === 'labels_group' || used === 'annotations_group'
    ? idsOf(spec[`${used}s`]).includes(id)
    : referencesIn(used, service, spec).some((reference) => reference.id === id);

const wordOf = (used: Used): string => used.replaceAll('_', ' ');

/** How many services name a resource. */
export async function countUses(used: Referred, id: string, db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('service')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where(mayUse(used, id, db))
    .executeTakeFirstOrThrow();
  return total;
}

/**
 * The services whose configuration names a resource, in the order of projects, environments and names.
 * @throws ApiProblem 404 for an unknown organization or resource
 */
export async function usesOf(used: Used, organizationId: string, id: string, db: Db) {
  await findInOrganization(db, used, organizationId, id);
  const rows = await db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .where('project.organization_id', '=', organizationId)
    .where(mayUse(used, id, db))
    .select(['service.id as service_id', 'service.name as service_name', 'service.kind', 'service.spec'])
    .select(['environment.id as environment_id', 'environment.name as environment_name'])
    .select(['project.id as project_id', 'project.name as project_name'])
    .orderBy('project.name')
    .orderBy('environment.name')
    .orderBy('service.name')
    .execute();
  return rows.flatMap(({ kind: service, spec, ...row }) =>
    uses(used, id, service, parseJson(spec) as JsonRecord) ? [{ ...row, service_type: service.toUpperCase() }] : [],
  );
}

const namedInRefusal = 5;

/**
 * Refuses a change of what services use. Waits for services that are being created or changed, and keeps others from
 * using it until the transaction ends.
 * @param change what can't be done, such as `be deleted`
 * @throws ApiProblem 400 with the services; 404 for an unknown organization or resource
 */
export async function requireUnused(
  used: Used,
  organizationId: string,
  id: string,
  db: Db,
  change = 'be deleted',
): Promise<void> {
  const { name } = await findInOrganization(db, used, organizationId, id);
  await db.sql.held(db.selectFrom(used).select('id').where('id', '=', id)).execute();
  const found = await usesOf(used, organizationId, id, db);
  if (found.length === 0) return;
  const named = found
    .slice(0, namedInRefusal)
    .map((use) => `${use.project_name}/${use.environment_name}/${use.service_name}`);
  const more = found.length - named.length;
  throw refused(
    `The ${wordOf(used)} ${name} can't ${change}: ${found.length} service${found.length === 1 ? ' uses' : 's use'} it (${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}). Change or delete these first.`,
  );
}
