import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isPublicAddress } from '../../common/index.ts';

/** Decides whether webhooks may connect to an IP address. */
export type AddressPolicy = (address: string) => boolean;

/** Allows only addresses of the public internet: no private, loopback, link-local or otherwise reserved ones. */
export const publicOnly: AddressPolicy = isPublicAddress;

/** Allows every address. */
export const anyAddress: AddressPolicy = () => true;

/** Thrown for a target whose address the policy refuses. A retry would fail the same way. */
export class TargetRefused extends Error {
  constructor(host: string, address: string) {
    const where = host === address ? host : `${host} (${address})`;
    super(`Not sent: ${where} is a private or reserved address, and the operator doesn't allow those as webhook targets.`);
    this.name = 'TargetRefused';
  }
}

const connectMilliseconds = 5000;

// Checks the very address that the connection is made to, so neither DNS rebinding nor a redirect can bypass it.
const checkedLookup = (policy: AddressPolicy): LookupFunction => (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, '', 0);
    const refused = addresses.find(({ address }) => !policy(address));
    if (refused !== undefined) return callback(new TargetRefused(host, refused.address), '', 0);
    const first = addresses[0];
    return options.all ? callback(null, addresses) : callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

/** Creates an HTTP agent that connects only to addresses the policy allows. Other requests fail with TargetRefused. */
export function createAgent(policy: AddressPolicy): Agent {
  const connect = buildConnector({ lookup: checkedLookup(policy), timeout: connectMilliseconds });
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // Literal IP addresses don't go through the lookup.
      if (isIP(host) !== 0 && !policy(host)) callback(new TargetRefused(host, host), null);
      else connect(options, callback);
    },
    keepAliveTimeout: 4000,
  });
}
