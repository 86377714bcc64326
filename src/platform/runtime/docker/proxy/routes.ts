import * as z from 'zod';
import { dnsLabel, isLocalName, meetingOf } from '../../../common/index.ts';
import type { TaskInputs } from '../../index.ts';
import type { DockerServiceSpec } from '../api/index.ts';
import { routesLabel } from '../labels.ts';
import type { Workload } from '../workload.ts';
import { type ProxySettings, servesSecurely } from './settings.ts';

type Port = Workload['ports'][number];

/** A host name at which a port of a service is publicly reachable. */
const Route = z.object({
  host: z.string(),
  port: z.int(),
  protocol: z.enum(['http', 'grpc']),
  /** Whether it is served over https, with a certificate that the proxy obtains. */
  isSecure: z.boolean(),
  /** Whether the host is a domain that a user chose for the service. */
  isCustom: z.boolean(),
  isDefault: z.boolean(),
  /** Requests for other paths don't reach the port. Default: all do. */
  path: z.string().optional(),
  /** The replacement for that path when the request reaches the service. */
  rewrite: z.string().optional(),
});

export type Route = z.output<typeof Route>;

/** Reads the routes of a service on the engine: none if its label can't be parsed, because it was changed by hand. */
export function routesOf(spec: Pick<DockerServiceSpec, 'Labels'> | undefined): readonly Route[] {
  const text = routesLabel(spec?.Labels);
  if (text === undefined) return [];
  try {
    return z.array(Route).safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}

/**
 * Whether a name that a user chose for a service is outside of the names that the cluster assigns to services. It may
 * have been recorded before such names were refused, or with another domain.
 */
const isOutside = (host: string, { domain }: Pick<ProxySettings, 'domain'>): boolean =>
  meetingOf(host.toLowerCase(), domain) === undefined;

/**
 * Returns the routes of a service on the engine that the proxy serves: chosen names that conflict with the domain of
 * the cluster receive no requests.
 */
export const servedRoutesOf = (
  spec: Parameters<typeof routesOf>[0],
  settings: Pick<ProxySettings, 'domain'>,
): readonly Route[] => routesOf(spec).filter(({ host, isCustom }) => !isCustom || isOutside(host, settings));

/** Returns the public ports of a service, the default one first. */
export const publicPorts = (ports: readonly Port[]): readonly Port[] => {
  const found = ports.filter(({ publicly_accessible: isPublic }) => isPublic === true);
  const first = found.find(({ is_default: isDefault }) => isDefault) ?? found[0];
  return first === undefined ? [] : [first, ...found.filter((port) => port !== first)];
};

/** The longest label of a host name without an id after it: a label has at most 63 characters. */
const longestLabel = 54;

/** Returns the first label of a service's host names, and the same with a part of its id, which makes it unique. */
function labelsOf(
  { id, name }: Pick<Workload, 'id' | 'name'>,
  environmentName: string,
  port: string | undefined,
): readonly [string, string] {
  const label = [...(port === undefined ? [] : [dnsLabel(port)]), dnsLabel(name), dnsLabel(environmentName)].join('-');
  const unique = `${label.slice(0, longestLabel).replace(/-+$/, '')}-${id.slice(0, 8)}`;
  return [label.length > longestLabel ? unique : label, unique];
}

const pathOf = ({ public_path: path, public_path_rewrite: rewrite }: Port): Pick<Route, 'path' | 'rewrite'> => {
  const plain = path?.replace(/\/+$/, '') ?? '';
  return plain === '' ? {} : { path: plain, ...(rewrite !== undefined && { rewrite: rewrite.replace(/\/+$/, '') }) };
};

const protocolOf = ({ protocol }: Port): Route['protocol'] => (protocol === 'GRPC' ? 'grpc' : 'http');

type ChosenDomain = NonNullable<TaskInputs['domains']>[number];

/**
 * Whether the proxy gets a certificate for a domain that a user chose. Wildcard names would need an account at the DNS
 * provider, and authorities can't reach a cluster that only this machine reaches.
 */
const isCertified = ({ domain, hasCertificate }: ChosenDomain, isSecure: boolean): boolean =>
  hasCertificate && isSecure && !domain.startsWith('*.') && !isLocalName(domain);

/** Lookup of the services that have host names at present. */
export interface HostHolders {
  /** Whether another service has it. */
  readonly isTaken: (host: string) => boolean;
  /** Whether the service itself has it. */
  readonly isOwn: (host: string) => boolean;
}

/**
 * Returns the routes of a service: a host name for each public port, and its own domains for the default one. If
 * another service has the host name, a part of the id is added, and stays there.
 */
export function publicRoutes(
  service: Pick<Workload, 'id' | 'name' | 'ports'>,
  { environmentName = '', domains = [] }: Pick<TaskInputs, 'environmentName' | 'domains'>,
  { domain, certificates }: Pick<ProxySettings, 'domain' | 'certificates'>,
  { isTaken, isOwn }: HostHolders,
): readonly Route[] {
  const ports = publicPorts(service.ports);
  const isSecure = servesSecurely({ domain, certificates });
  const own = ports.map((port, index): Route => {
    const hosts = labelsOf(
      service,
      environmentName,
      index === 0 ? undefined : (port.name ?? `p${port.internal_port}`),
    ).map((label) => `${label}.${domain}`);
    const host = hosts.find(isOwn) ?? hosts.find((one) => !isTaken(one)) ?? hosts[1]!;
    return {
      host,
      port: port.internal_port,
      protocol: protocolOf(port),
      isSecure,
      isCustom: false,
      isDefault: index === 0,
      ...pathOf(port),
    };
  });
  const [first] = ports;
  if (first === undefined) return own;
  const custom = domains
    .filter(
      ({ domain: name }) => isOutside(name, { domain }) && !isTaken(name) && own.every(({ host }) => host !== name),
    )
    .map((each): Route => ({
      host: each.domain,
      port: first.internal_port,
      protocol: protocolOf(first),
      isSecure: isCertified(each, isSecure),
      isCustom: true,
      isDefault: false,
      ...pathOf(first),
    }));
  return [...own, ...custom];
}

/** The address of a route. */
export function addressOf(
  { host, isSecure, path = '' }: Route,
  { httpPort, httpsPort }: Pick<ProxySettings, 'httpPort' | 'httpsPort'>,
): string {
  const [scheme, port, usual] = isSecure ? (['https', httpsPort, 443] as const) : (['http', httpPort, 80] as const);
  return `${scheme}://${host}${port === usual ? '' : `:${port}`}${path}`;
}
