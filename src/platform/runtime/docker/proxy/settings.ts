import { isLocalName } from '../../../common/index.ts';

/** How the public ports of a cluster's services are served. */
export interface ProxySettings {
  /**
   * The domain below which services get their addresses. One that is `localhost`, or ends so, is reached from the
   * engine's host only.
   */
  readonly domain: string;
  /** The host's address to listen on. */
  readonly bind: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /**
   * Whether the proxy gets certificates, where its domain is public. If not, somebody else before it has to serve
   * https.
   */
  readonly certificates: boolean;
  /** The image of the proxy, with its registry and tag, or its id on the engine. It has to be Caddy 2. */
  readonly image: string;
  /** Whom the authority of the certificates writes to. */
  readonly email?: string | undefined;
  /** Who issues the certificates; default the public authorities that the proxy knows. */
  readonly authority?: CertificateAuthority | undefined;
}

/** A server of ACME. */
export interface CertificateAuthority {
  /** The address of its directory. */
  readonly directory: string;
  /** The certificates by which that server is known, in PEM format; default those that everybody trusts. */
  readonly root?: string;
}

/** Completes settings. A domain for this machine only is served to this machine only. */
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

/** Whether the proxy serves its domain with certificates of its own: for names of this machine, nobody issues any. */
export const servesSecurely = ({ domain, certificates }: Pick<ProxySettings, 'domain' | 'certificates'>): boolean =>
  certificates && !isLocalName(domain);

/**
 * The host's ports that the proxy takes. Where nobody issues certificates, nothing is served with them, and the port of
 * https stays free for others.
 */
export const hostPorts = (settings: ProxySettings): { readonly http: number; readonly https?: number } => ({
  http: settings.httpPort,
  ...(servesSecurely(settings) && { https: settings.httpsPort }),
});
