import { isIPv6 } from 'node:net';

/** The /64 network of an IPv6 address. */
function networkOf(address: string): string {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  // "::" replaces as many zero groups as are missing.
  const groups = [...head, ...Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0'), ...tail];
  return `${groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * The client address that limits are counted by. Forwarding headers are ignored, because the client can set them. IPv6 clients are
 * counted by their /64 network, because one machine can use every address in it.
 * @param remote the socket's remote address; undefined after the client disconnected.
 */
export function clientAddress(remote: string | undefined): string {
  if (remote === undefined) return 'left';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remote)?.[1];
  if (mapped !== undefined) return mapped;
  const [address = ''] = remote.split('%', 1);
  return isIPv6(address) && address !== '::1' && !address.includes('.') ? networkOf(address) : address;
}
