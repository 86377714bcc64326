import type { DomainCheckStatus } from '../../../contract/index.ts';

/** What the CNAME record of a service's domains has to hold. */
export const validationDomain = (serviceId: string): string => `${serviceId.slice(0, 8)}.lb.infra-mcp.example`;

interface DomainCheck {
  readonly status: DomainCheckStatus;
  readonly error_details: string | null;
}

/** What a domain answers to by one of its labels, where somebody is thought to have entered something for it. */
const entered: Readonly<Record<string, (usesCdn: boolean) => DomainCheck>> = {
  live: (usesCdn) => ({ status: usesCdn ? 'RESOLVES_TO_IP' : 'MATCHES_LOAD_BALANCER_HOST', error_details: null }),
  old: () => ({ status: 'DOMAIN_LINKED_TO_WRONG_HOST', error_details: 'The CNAME record holds former-host.example.' }),
};

/**
 * What the name servers say of a domain. There are none here: nothing is entered for a domain, unless one of its labels is
 * `live` (then its record is right, as for shop.live.acme.example) or `old` (then it points to another host).
 */
export function checkDomain(domain: string, usesCdn: boolean): DomainCheck {
  const label = domain.toLowerCase().split('.').find((one) => Object.hasOwn(entered, one));
  return label === undefined ? { status: 'DOMAIN_NOT_CONFIGURED', error_details: 'There is no CNAME record.' } : entered[label]!(usesCdn);
}
