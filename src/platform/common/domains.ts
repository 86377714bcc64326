import ipaddr from 'ipaddr.js';

/** Whether an IP address is one of the public internet: no private, loopback, link-local or otherwise reserved one. */
export const isPublicAddress = (address: string): boolean => ipaddr.process(address).range() === 'unicast';

/**
 * How a domain that somebody chooses meets that of a cluster: it is that one, lies below it, or its star stands for it.
 */
type DomainMeeting = 'same' | 'below' | 'star';

const meetingTexts: Readonly<Record<DomainMeeting, string>> = {
  same: 'is',
  below: 'lies below',
  star: 'stands also for',
};

/**
 * Why a service can't have a chosen domain, by which it would get requests that are meant for the addresses of others;
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
 * How a chosen domain meets the domain of a cluster. A star stands for one label.
 * @param domain in lower case, perhaps with a star as its first label
 * @param given the domain of the cluster, in lower case
 * @returns undefined if they don't meet
 */
export function meetingOf(domain: string, given: string): DomainMeeting | undefined {
  if (domain === given) return 'same';
  if (domain.endsWith(`.${given}`)) return 'below';
  return domain.startsWith('*.') && given.replace(/^[^.]+/, '*') === domain ? 'star' : undefined;
}
