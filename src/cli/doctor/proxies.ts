import { proxyFor, usedProxies } from '../../outgoing/index.ts';
import { type DoctorFinding, findingBuilder } from '../../platform/common/index.ts';
import type { Config } from '../config/index.ts';

const proxy = findingBuilder('proxy');

/** The servers that the options name, with the words for each. */
const destinationsOf = ({ baseUrl, oauthIssuer, approvalsWebhookUrl }: Config) =>
  [
    { what: 'the platform', url: baseUrl },
    { what: 'the authorization server', url: oauthIssuer },
    { what: 'the approvals webhook', url: approvalsWebhookUrl },
  ].flatMap(({ what, url }) => {
    const parsed = url === undefined ? null : URL.parse(url.trim());
    return parsed ? [{ what, url: parsed }] : [];
  });

/** Reports which requests go through a proxy. No finding if the environment names none. Shows no credentials. */
export function proxyFindings(config: Config, env: NodeJS.ProcessEnv): DoctorFinding[] {
  const { proxies, exceptions } = usedProxies(env);
  if (proxies.length === 0) return [];
  const used = proxies.map(({ scheme, address, variable }) => `${scheme}:// through ${address} (${variable})`);
  const direct = ['this machine', ...exceptions.map((entry) => `${entry} (NO_PROXY)`)].join(', ');
  const routes = destinationsOf(config).map(({ what, url }) =>
    proxy.good(`${what} at ${url.host}: ${proxyFor(url, env)?.address ?? 'without a proxy'}`),
  );
  return [proxy.good(`${used.join(', ')}; without it: ${direct}`), ...routes];
}
