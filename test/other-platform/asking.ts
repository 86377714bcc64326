import type { DifferenceName } from './differences.ts';
import { startOtherPlatform, type OtherPlatform, type OtherPlatformOptions } from './start.ts';
import type { Row } from './store.ts';

interface Answer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, text where it isn't, undefined where there is none. */
  body: unknown;
  /** The results of a list. */
  rows: Row[];
}

const opened: OtherPlatform[] = [];

/** Closes what the last test opened. */
export async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((platform) => platform.close()));
}

/** A platform with plain requests to it. */
export function askerOf(platform: OtherPlatform) {
  opened.push(platform);
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const answer = await fetch(platform.url + path, {
      method,
      headers: {
        authorization: `Token ${platform.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed: unknown =
      answer.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text === '' ? undefined : text;
    const { results = [] } = (parsed ?? {}) as { results?: Row[] };
    return { status: answer.status, headers: answer.headers, body: parsed, rows: results };
  };
  return {
    ...platform,
    ask,
    get: (path: string) => ask('GET', path),
    post: (path: string, body?: unknown) => ask('POST', path, body),
    put: (path: string, body: unknown) => ask('PUT', path, body),
    readable: () => readable(platform),
  };
}

/** Two platforms: one with a single difference, and the documented one. @param more options of both */
export async function open(difference: DifferenceName, more: Pick<OtherPlatformOptions, 'deploymentMs'> = {}) {
  const on = askerOf(await startOtherPlatform({ ...more, token: 'secret', differences: { [difference]: true } }));
  const off = askerOf(await startOtherPlatform({ ...more, token: 'secret' }));
  return { on, off };
}

/** Paths that can be read on any platform of the family, for what is there from the start. */
function readable({ ids, service }: OtherPlatform): string[] {
  const names = {
    application: 'storefront',
    container: 'gateway',
    database: 'orders',
    job: 'nightly',
    helm: 'cache',
    terraform: 'network',
  };
  const organization = [
    '',
    '/project',
    '/services',
    '/environments',
    '/project/stats',
    '/cluster',
    '/cluster/status',
    '/webhook',
    '/alert-rules',
    '/alert-receivers',
    '/member',
    '/inviteMember',
    '/availableRole',
    '/customRole',
    '/billingInfo',
    '/events',
    '/targets',
    '/containerRegistry',
    '/helmRepository',
    '/gitToken',
    '/labelsGroups',
    '/annotationsGroups',
    `/containerRegistry/${ids.registry}/images`,
    `/helmRepository/${ids.charts}/charts`,
    `/labelsGroups/${ids.labels}`,
  ];
  const environment = [
    '',
    '/status',
    '/statuses',
    '/statusesWithStages',
    '/services',
    '/logs',
    '/log',
    '/deploymentHistoryV2',
    '/deploymentQueue',
    '/deploymentStage',
    '/deploymentRule',
    '/link',
    '/environmentVariable',
    '/secret',
  ];
  const services = Object.entries(names).flatMap(([kind, name]) => {
    const paths = [
      '',
      '/deploymentHistoryV2',
      ...(kind === 'terraform' ? ['/commit', '/terraformResources'] : ['/status']),
    ];
    return paths.map((path) => `/${kind}/${service(name).id}${path}`);
  });
  return [
    ...organization.map((path) => `/organization/${ids.organization}${path}`),
    ...[
      '',
      '/environment',
      '/environment/overview',
      '/environment/status',
      '/environment/stats',
      '/environmentVariable',
      '/deploymentRule',
    ].map((path) => `/project/${ids.projects.shop}${path}`),
    ...environment.map((path) => `/environment/${ids.environments.staging}${path}`),
    ...Object.keys(names).map((kind) => `/environment/${ids.environments.staging}/${kind}`),
    ...services,
    ...[
      '/environmentVariable',
      '/secret',
      '/log',
      '/link',
      '/customDomain',
      '/commit',
      '/advancedSettings',
      '/deploymentRestriction',
    ].map((path) => `/application/${service('storefront').id}${path}`),
    `/cluster/${ids.clusters.main}/environments`,
    `/database/${service('orders').id}/backup`,
  ];
}
