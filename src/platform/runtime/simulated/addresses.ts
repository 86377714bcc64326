import type { ServiceAddress, ServiceToRun } from '../index.ts';

interface AddressedPort {
  readonly internal_port: number;
  readonly external_port?: number | undefined;
  readonly publicly_accessible?: boolean | undefined;
  readonly is_default?: boolean | undefined;
  readonly protocol?: string | undefined;
  readonly public_path?: string | undefined;
}

const defaultExternalPort = 443;

/** The domain of the addresses of simulated services. It can't be registered. */
export const simulatedDomain = 'apps.invalid';

/** The ports that are reachable from outside. Those of a chart are, if they have an external port. */
const publicPorts = ({ kind, spec }: ServiceToRun): readonly AddressedPort[] => {
  const ports: readonly AddressedPort[] = 'ports' in spec ? spec.ports : [];
  return ports.filter((port) =>
    kind === 'helm' ? port.external_port !== undefined : port.publicly_accessible === true,
  );
};

const urlOf = (
  host: string,
  { protocol = 'HTTP', external_port: port = defaultExternalPort, public_path: path = '' }: AddressedPort,
): string =>
  protocol === 'TCP' || protocol === 'UDP'
    ? `${protocol.toLowerCase()}://${host}:${port}`
    : `https://${host}${port === defaultExternalPort ? '' : `:${port}`}${path === '/' ? '' : path}`;

/** The addresses of a service: one for each public port. Nothing listens there. */
export const simulatedAddresses = (service: ServiceToRun): readonly ServiceAddress[] =>
  publicPorts(service).map((port) => ({
    url: urlOf(`p${port.internal_port}-${service.id.slice(0, 8)}.${simulatedDomain}`, port),
    internalPort: port.internal_port,
    isDefault: port.is_default ?? false,
    ...(port.external_port !== undefined && { externalPort: port.external_port }),
  }));
