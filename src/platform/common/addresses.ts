import ipaddr from 'ipaddr.js';

/** Whether an IP address is one of the public internet: no private, loopback, link-local or otherwise reserved one. */
export const isPublicAddress = (address: string): boolean => ipaddr.process(address).range() === 'unicast';
