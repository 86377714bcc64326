import { isIPv6 } from 'node:net';

/** For whom places are counted, so that nobody takes those of the others. */
export interface LimiterKey {
  /** Who it is and with what right on the platform. */
  readonly principal: string;
  /** Who it is: the key or the subject, whatever right on the platform it brought along. */
  readonly identity: string;
  /** Where its requests come from, as `clientAddress` names it. */
  readonly address: string;
}

/** The first four groups of an IPv6 address, written out. */
function networkOf(address: string): string {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  // What is left out, where something is, is as many zeros as are missing.
  const groups = [...head, ...Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0'), ...tail];
  return `${groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * The address at the other end of a connection, as it is counted. What the request says of addresses is not asked: whoever sends it
 * writes it. Of IPv6 the network counts, for one machine has all the addresses in it.
 * @param remote as the socket tells it; undefined when the other end has left.
 */
export function clientAddress(remote: string | undefined): string {
  if (remote === undefined) return 'left';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remote)?.[1];
  if (mapped !== undefined) return mapped;
  const [address = ''] = remote.split('%', 1);
  return isIPv6(address) && address !== '::1' && !address.includes('.') ? networkOf(address) : address;
}
