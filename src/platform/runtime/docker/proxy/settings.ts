import { isLocalName } from '../../../common/index.ts';

/** Settings of the proxy for a cluster's public ports. */
export interface ProxySettings {
  /**
   * The domain below which services get their addresses. `localhost` and names that end with it are only reachable from
   * the engine's host.
   */
  readonly domain: string;
  /** The host's address to listen on. */
  readonly bind: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /**
   * Whether the proxy gets certificates, if its domain is public. If not, another server in front of it has to serve
   * https.
   */
  readonly certificates: boolean;
  /** The image of the proxy, with its registry and tag, or its id on the engine. It has to be Caddy 2. */
  readonly image: string;
  /** The contact address for the certificate authority. */
  readonly email?: string | undefined;
  /** The authority that issues the certificates; default: the public authorities that the proxy knows. */
  readonly authority?: CertificateAuthority | undefined;
}

/** An ACME server. */
export interface CertificateAuthority {
  /** The address of its directory. */
  readonly directory: string;
  /** The root certificates that verify that server, in PEM format; default: the publicly trusted ones. */
  readonly root?: string;
}

/** Completes settings with their defaults. A local domain is only served to this machine. */
export function proxySettings({
  domain = 'localhost',
  bind,
  httpPort = 80,
  httpsPort = 443,
  certificates = true,
  image = 'docker.io/library/caddy:2',
  email,
  authority,
}: Partial<ProxySettings> = {}): ProxySettings {
  return {
    domain: domain.toLowerCase(),
    bind: bind ?? (isLocalName(domain) ? '127.0.0.1' : '0.0.0.0'),
    httpPort,
    httpsPort,
    certificates,
    image,
    ...(email !== undefined && { email }),
    ...(authority && { authority }),
  };
}

/** Whether the proxy serves its domain with its own certificates: no authority issues any for local names. */
export const servesSecurely = ({ domain, certificates }: Pick<ProxySettings, 'domain' | 'certificates'>): boolean =>
  certificates && !isLocalName(domain);

/** The host's ports that the proxy uses. Without certificates, the https port stays free for other programs. */
export const hostPorts = (settings: ProxySettings): { readonly http: number; readonly https?: number } => ({
  http: settings.httpPort,
  ...(servesSecurely(settings) && { https: settings.httpsPort }),
});
