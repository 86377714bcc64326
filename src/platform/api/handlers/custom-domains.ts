import { type Selectable, sql } from 'kysely';
import type { DomainKind } from '../../../contract/index.ts';
import { invalid, isoNow, meetingFault, notFound, taken } from '../../common/index.ts';
import type { CustomDomainTable, Db } from '../../store/index.ts';
import type { NonTransactionalContext, OperationHandlers, RequestContext } from '../handler.ts';
import { findUnlockedCluster, touchEnvironment } from './environment-changes.ts';
import { findService } from './find.ts';
import { checkDomain, lookUpDomain, systemNameServers, validationDomain } from './name-servers.ts';
import { pageOfFetched, type PageInput } from './page.ts';

type Row = Selectable<CustomDomainTable>;

interface NewDomain {
  readonly domain: string;
  readonly generate_certificate: boolean;
  readonly use_cdn?: boolean | undefined;
}

/** @param target the required DNS target; undefined where DNS is simulated */
const answer = (row: Row, target: string | undefined) => ({
  ...row,
  generate_certificate: row.generate_certificate === 1,
  use_cdn: row.use_cdn === 1,
  validation_domain: target ?? validationDomain(row.service_id),
  status: 'VALIDATION_PENDING' as const,
});

const domainsOf = (db: Db, serviceId: string): Promise<Row[]> =>
  db
    .selectFrom('custom_domain')
    .selectAll()
    .where('service_id', '=', serviceId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/**
 * Makes a change of a service's domains. Unless DNS is simulated, it takes effect with the next deployment.
 * @param change gets the required DNS target of the domains; undefined where DNS is simulated
 * @throws ApiProblem 400 while its cluster is locked
 */
async function changeDomains<Answer>(
  kind: DomainKind,
  id: string,
  context: RequestContext,
  change: (target: string | undefined) => Promise<Answer>,
): Promise<Answer> {
  const service = await findService(context.db, kind, id);
  await findUnlockedCluster(service.environment_id, context);
  await touchEnvironment(service.environment_id, context);
  const target = await context.engine.domainTarget(context.db, service);
  const changed = await change(target);
  if (target !== undefined) await context.engine.markOutOfDate(context.db, [id]);
  return changed;
}

const list = async (kind: DomainKind, id: string, page: PageInput, { db, engine }: RequestContext) => {
  const target = await engine.domainTarget(db, await findService(db, kind, id));
  const rows = (await domainsOf(db, id)).map((row) => answer(row, target));
  return pageOfFetched(page, async ({ offset, limit } = { offset: 0, limit: rows.length }) => ({
    rows: rows.slice(offset, offset + limit),
    total: rows.length,
  }));
};

/** The first service that a domain was removed from, according to the events; undefined if there is none. */
async function firstTakenFrom(db: Db, domain: string): Promise<string | undefined> {
  const event = await db
    .selectFrom('audit_event')
    .select('target_id')
    // There is an index on these.
    .where('event_type', '=', sql.lit('DELETE'))
    .where('sub_target_type', '=', sql.lit('CUSTOM_DOMAIN'))
    .where(db.sql.member('original_change', ['domain']), '=', domain)
    .orderBy('seq')
    .executeTakeFirst();
  return event?.target_id ?? undefined;
}

/** Checks the domains of a service at the name servers. The name servers are queried after the transaction. */
const check = async (kind: DomainKind, id: string, { db, engine }: NonTransactionalContext) => {
  const domains = await db.read(async (trx) => {
    const target = await engine.domainTarget(trx, await findService(trx, kind, id));
    return Promise.all(
      (await domainsOf(trx, id)).map(async ({ domain, use_cdn: usesCdn }) => {
        const asked = { domain, usesCdn: usesCdn === 1 };
        return {
          asked,
          target,
          simulated:
            target === undefined
              ? checkDomain({ ...asked, serviceId: id, firstServiceId: (await firstTakenFrom(trx, domain)) ?? id })
              : undefined,
        };
      }),
    );
  });
  const results = await Promise.all(
    domains.map(async ({ asked, target, simulated }) => ({
      domain_name: asked.domain,
      ...(simulated ?? (await lookUpDomain(asked, target!, systemNameServers))),
    })),
  );
  return { results };
};

/**
 * Refuses a domain with which a service would receive requests for the addresses of other services.
 * @throws ApiProblem 400 with the member and the domain of the cluster
 */
function requireOutsideClusters(domain: string, clusterDomains: readonly string[]): void {
  for (const given of clusterDomains) {
    const fault = meetingFault(domain, given);
    if (fault !== undefined) throw invalid('domain', fault);
  }
}

async function create(kind: DomainKind, id: string, given: NewDomain, context: RequestContext) {
  requireOutsideClusters(given.domain, context.engine.clusterDomains);
  return changeDomains(kind, id, context, async (target) => answer(await insert(id, given, context), target));
}

/** @throws ApiProblem 409 if a service has the domain already */
async function insert(
  id: string,
  { domain, generate_certificate: certificate, use_cdn: usesCdn = false }: NewDomain,
  { db, clock, random }: RequestContext,
): Promise<Row> {
  // Across all environments, a domain belongs to one service.
  await db.lock(`custom_domain/${domain.toLowerCase()}`);
  const holder = await db
    .selectFrom('custom_domain')
    .select('service_id')
    .where(db.sql.sameIgnoringCase('domain', domain))
    .executeTakeFirst();
  if (holder)
    throw taken(
      'domain',
      `"${domain}" is taken by ${holder.service_id === id ? 'this service already' : `the service ${holder.service_id}`}`,
    );
  const now = isoNow(clock);
  return db
    .insertInto('custom_domain')
    .values({
      id: random.uuid(),
      created_at: now,
      updated_at: now,
      service_id: id,
      domain: domain.toLowerCase(),
      generate_certificate: certificate ? 1 : 0,
      use_cdn: usesCdn ? 1 : 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

const remove = (kind: DomainKind, id: string, domainId: string, context: RequestContext): Promise<undefined> =>
  changeDomains(kind, id, context, async () => {
    const { numDeletedRows } = await context.db
      .deleteFrom('custom_domain')
      .where('id', '=', domainId)
      .where('service_id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('custom_domain', domainId);
    return undefined;
  });

export const customDomainHandlers = {
  list_application_domains: ({ application_id, ...page }, context) =>
    list('application', application_id, page, context),
  list_container_domains: ({ container_id, ...page }, context) => list('container', container_id, page, context),
  list_helm_domains: ({ helm_id, ...page }, context) => list('helm', helm_id, page, context),
  get_application_domain_check: {
    withoutTransaction: ({ application_id }, context) => check('application', application_id, context),
  },
  get_container_domain_check: {
    withoutTransaction: ({ container_id }, context) => check('container', container_id, context),
  },
  get_helm_domain_check: { withoutTransaction: ({ helm_id }, context) => check('helm', helm_id, context) },
  create_application_domain: ({ application_id, ...domain }, context) =>
    create('application', application_id, domain, context),
  create_container_domain: ({ container_id, ...domain }, context) => create('container', container_id, domain, context),
  create_helm_domain: ({ helm_id, ...domain }, context) => create('helm', helm_id, domain, context),
  delete_application_domain: ({ application_id, custom_domain_id }, context) =>
    remove('application', application_id, custom_domain_id, context),
  delete_container_domain: ({ container_id, custom_domain_id }, context) =>
    remove('container', container_id, custom_domain_id, context),
  delete_helm_domain: ({ helm_id, custom_domain_id }, context) => remove('helm', helm_id, custom_domain_id, context),
} satisfies OperationHandlers<
  `list_${DomainKind}_domains` | `get_${DomainKind}_domain_check` | `${'create' | 'delete'}_${DomainKind}_domain`
>;
