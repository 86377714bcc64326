import { Resolver } from 'node:dns/promises';
import type { DomainCheckStatus } from '../../../contract/index.ts';
import { isLocalName } from '../../common/index.ts';

/** The required value of the CNAME record of a service's domains, where domains are simulated. */
export const validationDomain = (serviceId: string): string => `${serviceId.slice(0, 8)}.lb.infra-mcp.example`;

interface DomainCheck {
  readonly status: DomainCheckStatus;
  readonly error_details: string | null;
}

/** The parts of a service's domain that matter to name servers. */
interface AskedDomain {
  readonly domain: string;
  readonly usesCdn: boolean;
  readonly serviceId: string;
  /** The first service that had the domain. Its record was entered for this service. */
  readonly firstServiceId: string;
}

const wrongHost = (host: string): DomainCheck => ({
  status: 'DOMAIN_LINKED_TO_WRONG_HOST',
  error_details: `The CNAME record holds ${host}.`,
});

/** The results for domains with simulated records, by the label that marks them. */
const entered: Readonly<Record<string, (asked: AskedDomain) => DomainCheck>> = {
  live: ({ usesCdn, serviceId, firstServiceId }) => {
    if (usesCdn) return { status: 'RESOLVES_TO_IP', error_details: null };
    return serviceId === firstServiceId
      ? { status: 'MATCHES_LOAD_BALANCER_HOST', error_details: null }
      : wrongHost(validationDomain(firstServiceId));
  },
  old: () => wrongHost('former-host.example'),
};

/**
 * Simulates the name servers' check of a domain. A domain has no record unless one of its labels is `live` (its record
 * is right for the service that had it first, as for shop.live.acme.example) or `old` (it points to another host).
 */
export function checkDomain(asked: AskedDomain): DomainCheck {
  const label = asked.domain
    .toLowerCase()
    .split('.')
    .find((one) => Object.hasOwn(entered, one));
  return label === undefined
    ? { status: 'DOMAIN_NOT_CONFIGURED', error_details: 'There is no CNAME record.' }
    : entered[label]!(asked);
}

/** Queries to name servers. Each rejects with a `code` such as ENOTFOUND. */
export interface NameServers {
  /** The names in the CNAME record of a name. */
  readonly cnames: (name: string) => Promise<readonly string[]>;
  /** The IP addresses of a name. */
  readonly addresses: (name: string) => Promise<readonly string[]>;
}

/** The timeout of a query, in milliseconds, and the number of tries. */
const patience = { timeout: 2000, tries: 2 };

const code = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

/** The codes of a name that has no record. */
const absent = ['ENOTFOUND', 'ENODATA'];

const orNone = <Value>(asked: Promise<readonly Value[]>): Promise<readonly Value[]> =>
  asked.catch((error: unknown) => {
    if (absent.includes(code(error))) return [];
    throw error;
  });

const resolver = (): Resolver => new Resolver(patience);

/** The name servers of this machine. */
export const systemNameServers: NameServers = {
  cnames: (name) => resolver().resolveCname(name),
  addresses: async (name) => {
    // Every machine resolves local names itself.
    if (isLocalName(name)) return ['127.0.0.1'];
    const [four, six] = await Promise.all([orNone(resolver().resolve4(name)), orNone(resolver().resolve6(name))]);
    return [...four, ...six];
  },
};

/** A name that a wildcard domain matches. */
const nameIn = (domain: string): string => domain.toLowerCase().replace(/^\*/, 'any-name');

/**
 * Checks at name servers whether a domain resolves to the cluster of its service.
 * @param target the name of the cluster
 */
export async function lookUpDomain(
  { domain, usesCdn }: Pick<AskedDomain, 'domain' | 'usesCdn'>,
  target: string,
  servers: NameServers,
): Promise<DomainCheck> {
  const name = nameIn(domain);
  try {
    const [cnames, found] = await Promise.all([
      isLocalName(name) ? Promise.resolve<string[]>([]) : orNone(servers.cnames(name)),
      orNone(servers.addresses(name)),
    ]);
    if (cnames.includes(target)) return { status: 'MATCHES_LOAD_BALANCER_HOST', error_details: null };
    if (found.length === 0)
      return {
        status: 'DOMAIN_NOT_CONFIGURED',
        error_details: `There is no record of ${name}: enter a CNAME record that holds ${target}.`,
      };
    if (usesCdn) return { status: 'RESOLVES_TO_IP', error_details: null };
    const wanted = await orNone(servers.addresses(target));
    if (wanted.length === 0)
      return {
        status: 'GENERIC_FAILURE',
        error_details: `The name ${target} leads nowhere: enter a record for *.${target.slice(target.indexOf('.') + 1)} with the address of the cluster.`,
      };
    if (found.some((address) => wanted.includes(address)))
      return { status: 'MATCHES_LOAD_BALANCER_HOST', error_details: null };
    return {
      status: 'DOMAIN_LINKED_TO_WRONG_HOST',
      error_details: `It leads to ${found.join(', ')}, and the cluster is at ${wanted.join(', ')}.`,
    };
  } catch (error) {
    return { status: 'GENERIC_FAILURE', error_details: `The name servers did not answer (${code(error)}).` };
  }
}
