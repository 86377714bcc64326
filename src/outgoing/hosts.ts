import { isIPv4 } from 'node:net';

/** Whether a URL's host is this machine. Other names than `localhost` don't count, even if they resolve to it. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));

/** A URL's host as an address or name: IPv6 addresses have brackets in URLs only. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
