import { proxyFor, proxyWarnings, usedProxies } from '../../outgoing/index.ts';
import { type DoctorFinding, findingBuilder } from '../../platform/common/index.ts';
import { tracesAddress } from '../../telemetry/index.ts';
import type { Config } from '../config/index.ts';
import type { DescribedClusters } from '../wiring/real-clusters.ts';

const proxy = findingBuilder('proxy');

/** A server that requests go to, with the words for it. Without an address there is none. */
interface Destination {
  readonly what: string;
  readonly url: URL | string | undefined;
}

/** Reports through which proxy requests to servers go. No findings if the environment names no proxy. */
const routeFindings = (destinations: readonly Destination[], env: NodeJS.ProcessEnv): DoctorFinding[] =>
  usedProxies(env).proxies.length === 0
    ? []
    : destinations.flatMap(({ what, url: address }) => {
        const url = address === undefined ? null : URL.parse(String(address).trim());
        return url ? [proxy.good(`${what} at ${url.host}: ${proxyFor(url, env)?.address ?? 'without a proxy'}`)] : [];
      });

/**
 * Reports which requests go through a proxy, and what of NO_PROXY is ignored. No findings if the environment names no
 * proxy. Shows no credentials.
 */
export function proxyFindings(config: Config, env: NodeJS.ProcessEnv): DoctorFinding[] {
  const { proxies, exceptions } = usedProxies(env);
  if (proxies.length === 0) return [];
  const used = proxies.map(
    ({ scheme, address, variable }) => `all requests over ${scheme} go through ${address} (${variable})`,
  );
  const direct = ['this machine', ...exceptions.map((entry) => `${entry} (NO_PROXY)`)].join(', ');
  return [
    proxy.good(`${used.join(', ')}, except those to ${direct}`),
    ...proxyWarnings(env).map((warning) => proxy.note(warning)),
    ...routeFindings(
      [
        { what: 'the platform', url: config.baseUrl },
        { what: 'the authorization server', url: config.oauthIssuer },
        { what: 'the keys of the authorization server', url: config.oauthJwksUrl },
        { what: 'the approvals webhook', url: config.approvalsWebhookUrl },
        { what: 'the receiver of traces', url: tracesAddress(env) },
      ],
      env,
    ),
  ];
}

/** Reports through which proxy a platform reaches the servers of its clusters file. Git over ssh goes through none. */
export const clustersProxyFindings = (
  { prometheus, shared: { registries, git } }: Pick<DescribedClusters, 'prometheus' | 'shared'>,
  env: NodeJS.ProcessEnv,
): DoctorFinding[] =>
  routeFindings(
    [
      { what: 'Prometheus', url: prometheus?.evaluation?.url },
      ...registries.map(({ name, url }) => ({ what: `the registry "${name}"`, url })),
      ...Object.entries(git)
        .filter(([, { ssh, token }]) => ssh === undefined || token !== undefined)
        .map(([host]) => ({ what: 'the git server', url: `https://${host}` })),
    ],
    env,
  );
