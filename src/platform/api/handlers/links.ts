import type { ServiceKind, ServiceType } from '../../../contract/index.ts';
import type { Db } from '../../store/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { findById, findService, parseServiceRow, type ServiceRow } from './find.ts';

interface AddressedPort {
  readonly internal_port: number;
  readonly external_port?: number | undefined;
  readonly publicly_accessible?: boolean | undefined;
  readonly is_default?: boolean | undefined;
  readonly protocol?: string | undefined;
  readonly public_path?: string | undefined;
}

const defaultExternalPort = 443;

/** The ports that are reached from outside: a chart's are, once they have an external port. */
const publicPorts = ({ kind, spec }: ServiceRow): readonly AddressedPort[] => {
  const ports: readonly AddressedPort[] = 'ports' in spec ? spec.ports : [];
  return ports.filter((port) => (kind === 'helm' ? port.external_port !== undefined : port.publicly_accessible === true));
};

const urlOf = (host: string, { protocol = 'HTTP', external_port: port = defaultExternalPort, public_path: path = '' }: AddressedPort): string =>
  protocol === 'TCP' || protocol === 'UDP' ? `${protocol.toLowerCase()}://${host}:${port}` : `https://${host}${port === defaultExternalPort ? '' : `:${port}`}${path === '/' ? '' : path}`;

/** The addresses that the platform gives to the public ports of a service. */
const linksOf = (service: ServiceRow) =>
  publicPorts(service).map((port) => ({
    service_id: service.id, service_type: service.kind.toUpperCase() as Uppercase<ServiceKind> & ServiceType,
    url: urlOf(`p${port.internal_port}-${service.id.slice(0, 8)}.apps.invalid`, port), internal_port: port.internal_port, external_port: port.external_port ?? defaultExternalPort,
    is_default: port.is_default ?? false, is_platform_domain: true,
  }));

const ofService = async (kind: ServiceKind, id: string, db: Db) => ({ results: linksOf(await findService(db, kind, id)) });

export const linkHandlers = {
  get_application_links: ({ application_id }, { db }) => ofService('application', application_id, db),
  get_container_links: ({ container_id }, { db }) => ofService('container', container_id, db),
  get_helm_links: ({ helm_id }, { db }) => ofService('helm', helm_id, db),
  list_links_of_environment: async ({ environment_id }, { db }) => {
    await findById(db, 'environment', environment_id);
    const rows = await db.selectFrom('service').selectAll().where('environment_id', '=', environment_id).orderBy('created_at').orderBy('id').execute();
    return { results: rows.flatMap((row) => linksOf(parseServiceRow(row))) };
  },
} satisfies Partial<OperationHandlers<'get_application_links' | 'get_container_links' | 'get_helm_links' | 'list_links_of_environment'>>;
