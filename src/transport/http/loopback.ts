import { isIPv4 } from 'node:net';

/** Whether an address is a loopback address. Other names than `localhost` don't count, even if they resolve to one. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
