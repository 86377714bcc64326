import { type Expression, sql } from 'kysely';
import { isRecord, parseJson, type JsonRecord } from '../../../contract/index.ts';
import { refused } from '../../common/index.ts';
import type { Db } from '../../store/index.ts';
import { findInOrganization } from './find.ts';

/** Resources of the organization that services use. */
type Used = 'helm_repository' | 'labels_group' | 'annotations_group';

const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

const idsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.map((one) => (one as JsonRecord)['id']) : [];

/** Where a service's configuration names its Helm repository. There is an index on this member. */
export const helmRepositoryPath = ['source', 'repository', 'repository', 'id'];

/** The ids of the resources of a kind that a service's configuration names. */
const idsIn: Readonly<Record<Used, (spec: JsonRecord) => readonly unknown[]>> = {
  helm_repository: (spec) => [helmRepositoryPath.reduce<unknown>(memberOf, spec)],
  labels_group: ({ labels_groups: groups }) => idsOf(groups),
  annotations_group: ({ annotations_groups: groups }) => idsOf(groups),
};

/** The condition for services that may use a resource: few others fit, so that few configurations are parsed. */
const mayUse = (kind: Used, id: string, db: Db): Expression<boolean> =>
  kind === 'helm_repository'
    ? sql<boolean>`${sql.ref('service.kind')} = ${sql.lit('helm')} and ${db.sql.member('spec', helmRepositoryPath)} = ${id}`
    : sql<boolean>`cast(${sql.ref('service.spec')} as text) like ${`%${id}%`}`;

const wordOf = (kind: Used): string => kind.replaceAll('_', ' ');

/**
 * The services whose configuration names a resource, in the order of projects, environments and names.
 * @throws ApiProblem 404 for an unknown organization or resource
 */
export async function usesOf(kind: Used, organizationId: string, id: string, db: Db) {
  await findInOrganization(db, kind, organizationId, id);
  const rows = await db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .where('project.organization_id', '=', organizationId)
    .where(mayUse(kind, id, db))
    .select(['service.id as service_id', 'service.name as service_name', 'service.kind', 'service.spec'])
    .select(['environment.id as environment_id', 'environment.name as environment_name'])
    .select(['project.id as project_id', 'project.name as project_name'])
    .orderBy('project.name')
    .orderBy('environment.name')
    .orderBy('service.name')
    .execute();
  return rows.flatMap(({ kind: service, spec, ...row }) =>
    idsIn[kind](parseJson(spec) as JsonRecord).includes(id) ? [{ ...row, service_type: service.toUpperCase() }] : [],
  );
}

const namedInRefusal = 5;

/**
 * Refuses to delete what services use. Waits for services that are being created or changed, and keeps others from
 * using it until the transaction ends.
 * @throws ApiProblem 400 with the services; 404 for an unknown organization or resource
 */
export async function requireUnused(kind: Used, organizationId: string, id: string, db: Db): Promise<void> {
  const { name } = await findInOrganization(db, kind, organizationId, id);
  await db.sql.held(db.selectFrom(kind).select('id').where('id', '=', id)).execute();
  const uses = await usesOf(kind, organizationId, id, db);
  if (uses.length === 0) return;
  const named = uses
    .slice(0, namedInRefusal)
    .map((use) => `${use.project_name}/${use.environment_name}/${use.service_name}`);
  const more = uses.length - named.length;
  throw refused(
    `The ${wordOf(kind)} ${name} can't be deleted: ${uses.length} service${uses.length === 1 ? ' uses' : 's use'} it (${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}). Change or delete these first.`,
  );
}
