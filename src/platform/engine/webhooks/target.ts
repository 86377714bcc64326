import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';

/** Decides by its address whether a target may be connected to. */
export type AddressPolicy = (address: string) => boolean;

/** Lets only addresses of the public internet pass: no private, loopback, link-local or otherwise reserved ones. */
export const publicOnly: AddressPolicy = (address) => ipaddr.process(address).range() === 'unicast';

/** Lets every address pass. */
export const anyAddress: AddressPolicy = () => true;

/** A target whose address the policy doesn't let pass. Trying again would end the same way. */
export class TargetRefused extends Error {
  constructor(host: string, address: string) {
    const where = host === address ? host : `${host} (${address})`;
    super(`Not sent: ${where} is a private or reserved address, and the operator doesn't allow those as webhook targets.`);
    this.name = 'TargetRefused';
  }
}

const connectMilliseconds = 5000;

// The check lies where the connection is made, on the very address it is made to: a name that resolves to something
// else a moment later, or a redirect, can't get around it.
const checkedLookup = (policy: AddressPolicy): LookupFunction => (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, '', 0);
    const refused = addresses.find(({ address }) => !policy(address));
    if (refused !== undefined) return callback(new TargetRefused(host, refused.address), '', 0);
    const first = addresses[0];
    return options.all ? callback(null, addresses) : callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

/** An HTTP agent that connects only to addresses the policy lets pass; requests to others fail with TargetRefused. */
export function createAgent(policy: AddressPolicy): Agent {
  const connect = buildConnector({ lookup: checkedLookup(policy), timeout: connectMilliseconds });
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // Addresses written as such are never looked up.
      if (isIP(host) !== 0 && !policy(host)) callback(new TargetRefused(host, host), null);
      else connect(options, callback);
    },
    keepAliveTimeout: 4000,
  });
}
