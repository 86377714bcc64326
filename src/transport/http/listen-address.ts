import { isIP } from 'node:net';
import { localhostAllowedHostnames, localhostAllowedOrigins } from '@modelcontextprotocol/server';
import { isLoopback } from './loopback.ts';

/** Where a host is to be reached. */
export interface ListenAddress {
  /** Name or address to bind. */
  readonly host: string;
  /** The MCP endpoint as clients reach it, where that is not the bound address: behind a proxy, under a name. */
  readonly publicUrl?: URL;
  /** More host names it answers to. */
  readonly allowedHosts: readonly string[];
  /** Host names of more pages that may call it from a browser. */
  readonly allowedOrigins: readonly string[];
}

const isWildcardAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** A host name or address as URLs and headers write it. */
export const hostForUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/**
 * Refuses to be reachable by others without knowing who they are, and without knowing its own name.
 * @throws Error that says what to set.
 */
export function assertSafeAddress({ host, publicUrl, allowedHosts }: ListenAddress, authorizes: boolean): void {
  if (isLoopback(host)) return;
  if (!authorizes) {
    throw new Error(
      `Refusing to listen on ${host}: others could reach it, and nothing says who may call. ` +
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

/** The names a request's Host header may say. */
export const acceptedHosts = ({ host, publicUrl, allowedHosts }: ListenAddress): string[] =>
  [...localhostAllowedHostnames(), ...(isWildcardAddress(host) ? [] : [hostForUrl(host)]), ...hostnameOf(publicUrl), ...allowedHosts];

/** The host names a request's Origin header may say, where there is one. */
export const acceptedOrigins = ({ publicUrl, allowedOrigins }: ListenAddress): string[] =>
  [...localhostAllowedOrigins(), ...hostnameOf(publicUrl), ...allowedOrigins];
