/** How a domain that somebody chooses meets that of a cluster: it is that one, lies below it, or its star stands for it. */
export type DomainMeeting = 'same' | 'below' | 'star';

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
