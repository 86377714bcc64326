import { isIP, isIPv4 } from 'node:net';
import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import type { ServerLogger } from '../../server/context/index.ts';
import { refusal } from './error-response.ts';
import type { HttpRequest } from './http-request.ts';

/**
 * Whether an address is a loopback address. Other names than `localhost` don't count, even if they resolve to one.
 * @param host an IPv6 address may have brackets, as in URLs.
 */
export const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || (isIPv4(host) && host.startsWith('127.'));

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
  /** Additional origins accepted in the Origin header, in the form in which browsers send them. */
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

/** Maximum number of host names that the log names as refused. Scanners send any. */
const mostLoggedHosts = 100;

/**
 * Creates a function that returns the response to a request whose Host header names another host; undefined if the name
 * is accepted. The log has each refused name once.
 * @param remedy what allows another name, for the operator: `set …`.
 */
export function hostCheck(
  accepted: readonly string[],
  remedy: string,
  log: Pick<ServerLogger, 'warn'>,
): (request: HttpRequest) => Response | undefined {
  const logged = new Set<string>();
  return ({ headers }) => {
    const checked = validateHostHeader(headers.get('host'), [...accepted]);
    if (checked.ok) return undefined;
    if (checked.hostname === undefined) return refusal('The request has no valid Host header.');
    const { hostname } = checked;
    if (logged.size < mostLoggedHosts && !logged.has(hostname)) {
      logged.add(hostname);
      log.warn({ host: hostname }, `refused a request to this host name; if clients use it, ${remedy}`);
    }
    return refusal(
      `This server does not answer under the host name ${hostname}. If clients are to reach it so, its operator can ${remedy}.`,
    );
  };
}
