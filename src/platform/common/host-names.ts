import ipaddr from 'ipaddr.js';

/** Whether an IP address is one of the public internet: not private, loopback, link-local or otherwise reserved. */
export const isPublicAddress = (address: string): boolean => ipaddr.process(address).range() === 'unicast';

/**
 * How a chosen domain overlaps with that of a cluster: it is the same, is a subdomain of it, or covers it with a
 * wildcard.
 */
type DomainMeeting = 'same' | 'below' | 'star';

const meetingTexts: Readonly<Record<DomainMeeting, string>> = {
  same: 'is',
  below: 'lies below',
  star: 'stands also for',
};

/**
 * Why a service can't have a chosen domain, with which it would receive requests for the addresses of other services;
 * undefined if it can. See `meetingOf`.
 */
export function meetingFault(domain: string, given: string): string | undefined {
  const meeting = meetingOf(domain.toLowerCase(), given);
  return (
    meeting &&
    `"${domain}" ${meetingTexts[meeting]} ${given}, below which a cluster gives services their addresses; choose a domain outside of it`
  );
}

/**
 * How a chosen domain overlaps with the domain of a cluster. A wildcard covers one label.
 * @param domain in lower case, optionally with an asterisk as its first label
 * @param given the domain of the cluster, in lower case
 * @returns undefined if they don't overlap
 */
export function meetingOf(domain: string, given: string): DomainMeeting | undefined {
  if (domain === given) return 'same';
  if (domain.endsWith(`.${given}`)) return 'below';
  return domain.startsWith('*.') && given.replace(/^[^.]+/, '*') === domain ? 'star' : undefined;
}

/** Whether a name resolves to the machine that looks it up. No CA issues certificates for such names. */
export const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** How many characters of a name a label uses: followed by an id, it stays below the 63 that DNS allows. */
const longest = 40;

/** A name in the form of a DNS label: lower case letters, digits and dashes; `service` if nothing remains. */
export const dnsLabel = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, longest)
    .replace(/-+$/, '') || 'service';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A short name that users recognise, and that no other service has. */
const uniqueName = ({ id, name }: Named): string => `${dnsLabel(name)}-${id.slice(0, 8)}`;

/**
 * The service's name itself, if it is a DNS label apart from its case: otherwise, two different names could become the
 * same label.
 */
export const plainNeighbourName = (name: string): string | undefined =>
  name.toLowerCase() === dnsLabel(name) ? name.toLowerCase() : undefined;

/** The host name at which other services of the environment reach a service. */
export const internalHost = (service: Named): string => `${uniqueName(service)}.internal`;

/**
 * The DNS names of a service in the network of its environment. No two services of an environment may share one, or the
 * network would send requests for one to the other.
 */
export const neighbourNames = (service: Named): readonly string[] =>
  [plainNeighbourName(service.name) ?? [], uniqueName(service), internalHost(service)].flat();
