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
