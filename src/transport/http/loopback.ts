import { isIPv4 } from 'node:net';

/** Whether only this machine reaches what listens on an address. A name that merely resolves to one doesn't count. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
