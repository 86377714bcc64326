import type { Selectable } from 'kysely';
import type { ServiceKind, ServiceType } from '../../../contract/index.ts';
import type { Db, ServiceTable } from '../../store/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findById, findService } from './find.ts';

/** The port of an address without an explicit one. */
const defaultExternalPort = 443;

/** The addresses that the platform gives to the public ports of services of one environment. */
const linksOf = async (
  environmentId: string,
  services: readonly Selectable<ServiceTable>[],
  { db, engine }: Pick<RequestContext, 'db' | 'engine'>,
) => {
  const found = await engine.addresses(db, environmentId, services);
  return services.flatMap(({ id, kind }) =>
    found
      .get(id)!
      .map(({ url, internalPort, externalPort, isDefault }) => ({
        service_id: id,
        service_type: kind.toUpperCase() as Uppercase<ServiceKind> & ServiceType,
        url,
        internal_port: internalPort,
        external_port: externalPort ?? defaultExternalPort,
        is_default: isDefault,
        is_platform_domain: true,
      })),
  );
};

const servicesIn = (db: Db, environmentId: string) =>
  db.selectFrom('service').selectAll().where('environment_id', '=', environmentId);

const ofService = async (kind: ServiceKind, id: string, context: Pick<RequestContext, 'db' | 'engine'>) => {
  const { environment_id: environmentId } = await findService(context.db, kind, id);
  return {
    results: await linksOf(
      environmentId,
      await servicesIn(context.db, environmentId).where('id', '=', id).execute(),
      context,
    ),
  };
};

export const linkHandlers = {
  get_application_links: ({ application_id }, context) => ofService('application', application_id, context),
  get_container_links: ({ container_id }, context) => ofService('container', container_id, context),
  get_helm_links: ({ helm_id }, context) => ofService('helm', helm_id, context),
  list_links_of_environment: async ({ environment_id }, context) => {
    await findById(context.db, 'environment', environment_id);
    return {
      results: await linksOf(
        environment_id,
        await servicesIn(context.db, environment_id).orderBy('created_at').orderBy('id').execute(),
        context,
      ),
    };
  },
} satisfies Partial<
  OperationHandlers<'get_application_links' | 'get_container_links' | 'get_helm_links' | 'list_links_of_environment'>
>;
