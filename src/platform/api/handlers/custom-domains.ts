import type { Selectable } from 'kysely';
import type { DomainKind } from '../../../contract/index.ts';
import { isoNow, notFound, taken } from '../../common/index.ts';
import type { CustomDomainTable, Db } from '../../store/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findUnlockedCluster, touchEnvironment } from './environment-changes.ts';
import { findService } from './find.ts';
import { checkDomain, validationDomain } from './name-servers.ts';
import { pageOfFetched, type PageInput } from './page.ts';

type Row = Selectable<CustomDomainTable>;

interface NewDomain {
  readonly domain: string;
  readonly generate_certificate: boolean;
  readonly use_cdn?: boolean | undefined;
}

const answer = (row: Row) => ({
  ...row, generate_certificate: row.generate_certificate === 1, use_cdn: row.use_cdn === 1, validation_domain: validationDomain(row.service_id), status: 'VALIDATION_PENDING' as const,
});

const domainsOf = (db: Db, serviceId: string): Promise<Row[]> =>
  db.selectFrom('custom_domain').selectAll().where('service_id', '=', serviceId).orderBy('created_at').orderBy('id').execute();

/** Finds a service whose domains are about to change, and records the change. @throws ApiProblem 400 while its cluster is locked */
async function findChangeableService(kind: DomainKind, id: string, context: RequestContext): Promise<void> {
  const { environment_id: environmentId } = await findService(context.db, kind, id);
  await findUnlockedCluster(environmentId, context);
  await touchEnvironment(environmentId, context);
}

const list = async (kind: DomainKind, id: string, page: PageInput, { db }: RequestContext) => {
  await findService(db, kind, id);
  const rows = (await domainsOf(db, id)).map(answer);
  return pageOfFetched(page, async ({ offset, limit } = { offset: 0, limit: rows.length }) => ({ rows: rows.slice(offset, offset + limit), total: rows.length }));
};

const check = async (kind: DomainKind, id: string, { db }: RequestContext) => {
  await findService(db, kind, id);
  return { results: (await domainsOf(db, id)).map(({ domain, use_cdn: usesCdn }) => ({ domain_name: domain, ...checkDomain(domain, usesCdn === 1) })) };
};

async function create(kind: DomainKind, id: string, { domain, generate_certificate: certificate, use_cdn: usesCdn = false }: NewDomain, context: RequestContext) {
  const { db, clock, random } = context;
  await findChangeableService(kind, id, context);
  const holder = await db.selectFrom('custom_domain').select('service_id').where('domain', '=', domain).executeTakeFirst();
  if (holder) throw taken('domain', `"${domain}" is taken by ${holder.service_id === id ? 'this service already' : `the service ${holder.service_id}`}`);
  const now = isoNow(clock);
  const row = await db
    .insertInto('custom_domain')
    .values({ id: random.uuid(), created_at: now, updated_at: now, service_id: id, domain: domain.toLowerCase(), generate_certificate: certificate ? 1 : 0, use_cdn: usesCdn ? 1 : 0 })
    .returningAll()
    .executeTakeFirstOrThrow();
  return answer(row);
}

async function remove(kind: DomainKind, id: string, domainId: string, context: RequestContext): Promise<undefined> {
  await findChangeableService(kind, id, context);
  const { numDeletedRows } = await context.db.deleteFrom('custom_domain').where('id', '=', domainId).where('service_id', '=', id).executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('custom_domain', domainId);
  return undefined;
}

export const customDomainHandlers = {
  list_application_domains: ({ application_id, ...page }, context) => list('application', application_id, page, context),
  list_container_domains: ({ container_id, ...page }, context) => list('container', container_id, page, context),
  list_helm_domains: ({ helm_id, ...page }, context) => list('helm', helm_id, page, context),
  get_application_domain_check: ({ application_id }, context) => check('application', application_id, context),
  get_container_domain_check: ({ container_id }, context) => check('container', container_id, context),
  get_helm_domain_check: ({ helm_id }, context) => check('helm', helm_id, context),
  create_application_domain: ({ application_id, ...domain }, context) => create('application', application_id, domain, context),
  create_container_domain: ({ container_id, ...domain }, context) => create('container', container_id, domain, context),
  create_helm_domain: ({ helm_id, ...domain }, context) => create('helm', helm_id, domain, context),
  delete_application_domain: ({ application_id, custom_domain_id }, context) => remove('application', application_id, custom_domain_id, context),
  delete_container_domain: ({ container_id, custom_domain_id }, context) => remove('container', container_id, custom_domain_id, context),
  delete_helm_domain: ({ helm_id, custom_domain_id }, context) => remove('helm', helm_id, custom_domain_id, context),
} satisfies OperationHandlers<`list_${DomainKind}_domains` | `get_${DomainKind}_domain_check` | `${'create' | 'delete'}_${DomainKind}_domain`>;
