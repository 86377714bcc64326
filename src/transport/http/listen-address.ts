import { isIP, isIPv4 } from 'node:net';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';

/** Whether an address is a loopback address. Other names than `localhost` don't count, even if they resolve to one. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** The address of a host, and the names under which it accepts requests. */
export interface ListenAddress {
  /** Host name or IP address to bind. */
  readonly host: string;
  /**
   * The URL of the MCP endpoint as clients see it, if it differs from the bound address, for example behind a proxy.
   */
  readonly publicUrl?: URL;
  /** Additional host names accepted in the Host header. */
  readonly allowedHosts: readonly string[];
  /** Additional host names accepted in the Origin header. */
  readonly allowedOrigins: readonly string[];
}

const isWildcardAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** A host name or IP address in URL syntax: IPv6 addresses get brackets. */
export const hostForUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/**
 * Rejects a non-loopback address without authentication, and a wildcard address without known host names.
 * @throws Error that names the options to set.
 */
export function assertSafeAddress({ host, publicUrl, allowedHosts }: ListenAddress, authorizes: boolean): void {
  if (isLoopback(host)) return;
  if (!authorizes) {
    throw new Error(
      `Refusing to listen on ${host}: other machines could reach it without authentication. ` +
        'Set INFRA_HTTP_KEYS_FILE or INFRA_OAUTH_ISSUER, or listen on 127.0.0.1.',
    );
  }
  if (isWildcardAddress(host) && !publicUrl && allowedHosts.length === 0) {
    throw new Error(
      `Refusing to listen on ${host} without knowing under which name clients reach this server. ` +
        'Set INFRA_HTTP_PUBLIC_URL, or INFRA_HTTP_ALLOWED_HOSTS.',
    );
  }
}

const hostnameOf = (url: URL | undefined): string[] => (url ? [url.hostname] : []);

/** The host names accepted in the Host header. */
export const acceptedHosts = ({ host, publicUrl, allowedHosts }: ListenAddress): string[] => [
  ...localhostAllowedHostnames(),
  ...(isWildcardAddress(host) ? [] : [hostForUrl(host)]),
  ...hostnameOf(publicUrl),
  ...allowedHosts,
];

/** The host names accepted in the Origin header. */
export const acceptedOrigins = ({ publicUrl, allowedOrigins }: ListenAddress): string[] => [
  ...localhostAllowedOrigins(),
  ...hostnameOf(publicUrl),
  ...allowedOrigins,
];
