import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Condition } from '../../../src/contract/index.ts';
import type { DockerNode, DockerTask } from '../../../src/platform/runtime/docker/api/index.ts';
import { withRoutes } from '../../../src/platform/runtime/docker/labels.ts';
import { ownAnswers, proxyHeader } from '../../../src/platform/runtime/docker/proxy/caddy-config.ts';
import { beginRoute, observeRoute } from '../../../src/platform/runtime/docker/proxy/route-phase.ts';
import { proxySettings } from '../../../src/platform/runtime/docker/proxy/settings.ts';
import { createClusterRegistry } from '../../../src/platform/runtime/docker/registry/registry.ts';
import { registrySettings } from '../../../src/platform/runtime/docker/registry/settings.ts';
import { conditionBehind, type RuntimeCall, type Task } from '../../../src/platform/runtime/index.ts';
import { eventually } from '../../support/eventually.ts';
import { contextWith, fails, instance, labels, node, service, signal } from './fake-swarm.ts';
import { type MadeCondition, shown } from './made-condition.ts';

const call = {
  inputs: async () => ({ variables: [], domains: [{ domain: 'web.apps.example.test', hasCertificate: true }] }),
  signal,
} as unknown as RuntimeCall;
const task = { deploymentId: 'd', beganAt: 0, fencingToken: 1, service } as unknown as Task;

/** What the log tells of the address of a service. @param proxy how that answers; without it nothing does */
async function routed(isSecure: boolean, proxy?: RequestListener): Promise<readonly (Condition | undefined)[]> {
  const server = createServer(proxy);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (proxy === undefined) server.close();
  else onTestFinished(() => void server.close());
  let time = 0;
  const route = { host: 'web.example.test', port: 8080, protocol: 'http', isSecure, isCustom: false, isDefault: true };
  const routes = JSON.stringify([route]);
  const settings = proxySettings({ domain: 'apps.example.test', bind: '127.0.0.1', httpPort: port, httpsPort: port });
  const sync = async () => ({ places: [{ docker: context.docker, name: 'node-a' }], problems: ['it is old'] });
  const context = await contextWith(
    {
      '/services/': {
        ID: 's',
        Version: { Index: 1 },
        Spec: { Labels: withRoutes(labels, routes), TaskTemplate: { ContainerSpec: {} } },
      },
      '/': [],
    },
    { proxy: { settings, sync }, clock: { now: () => (time += 100_000) } },
  );
  await beginRoute(context, task, call);
  const lines = await eventually(async () => {
    const seen = await observeRoute(context, task, null, call);
    if (seen.outcome === 'ongoing') throw new Error('It goes on.');
    return seen.lines;
  });
  return lines.map((line) => line.condition);
}

const says =
  (own: string): RequestListener =>
  (_, response) =>
    void response.setHeader(proxyHeader, own).end();
const breaksOff: RequestListener = (request) => void request.destroy();

const made = async (reason: Condition['reason'], ...asked: Parameters<typeof routed>) =>
  (await routed(...asked)).find((each) => each?.reason === reason);

const part = (name: string, more: object = {}, Labels: object = {}) => ({
  ID: name,
  Version: { Index: 1 },
  Spec: { Name: name, Labels: { 'io.infra-mcp.registry': name, ...Labels }, TaskTemplate: more },
});
const runningOn = (name: string, NodeID: string): DockerTask => instance({ ServiceID: name, NodeID });

/** What an engine on the node a answers about a registry that keeps its images on the node b. */
const registryAnswers = ({
  nodes = [node('a', 'ready'), node('b', 'ready')],
  tasks = [runningOn('registry', 'b'), runningOn('forwarder', 'a')],
  labels: told = {},
}: {
  readonly nodes?: readonly DockerNode[];
  readonly tasks?: readonly DockerTask[];
  readonly labels?: object;
}) => ({
  '/nodes': nodes,
  '/tasks': tasks,
  '/info': { Swarm: { NodeID: 'a' } },
  '/services': [part('registry', { Placement: { Constraints: ['node.id==b'] } }, told), part('forwarder')],
  '/distribution': fails(500, 'no route to it'),
});

/** What the registry of a cluster says until patience ends. Default: of one that is not set up. */
async function registry(
  answers: Readonly<Record<string, unknown>> = { '/services': [], '/': fails(404, 'nothing') },
): Promise<readonly Condition[]> {
  const { docker } = await contextWith(answers);
  let time = 0;
  const settings = registrySettings({}, 'caddy:2');
  const parts = { docker, platformId: 'p', settings, now: () => (time += 50_000), secretFor: () => 'secret' };
  const told: Condition[] = [];
  const say = (each: Condition | string) => void (typeof each === 'string' || told.push(each));
  const own = createClusterRegistry(parts as unknown as Parameters<typeof createClusterRegistry>[0]);
  const end = await own.untilReady(docker, say, signal).catch(conditionBehind);
  return [...told, end!];
}

/** What is awaited of such a registry. */
const awaited = async (of: Parameters<typeof registryAnswers>[0]) => (await registry(registryAnswers(of)))[0];

/** What becomes of public addresses, and of the registry of a cluster. */
export const ofRoutes: readonly MadeCondition[] = [
  shown('ADDRESS_WITHOUT_INSTANCE', 'log', () => made('ADDRESS_WITHOUT_INSTANCE', false, says(ownAnswers.noInstance))),
  shown('ADDRESS_WITHOUT_ROUTE', 'log', () => made('ADDRESS_WITHOUT_ROUTE', false, says(ownAnswers.noService))),
  shown('ADDRESS_SLOW', 'log', () => made('ADDRESS_SLOW', false, breaksOff)),
  shown('ADDRESS_UNTRIED', 'log', () => made('ADDRESS_UNTRIED', false)),
  shown('CERTIFICATE_MISSING', 'log', () => made('CERTIFICATE_MISSING', true, breaksOff)),
  shown('DOMAIN_NOT_SERVED', 'log', () => made('DOMAIN_NOT_SERVED', false, says(''))),
  shown('PROXY_IMPAIRED', 'log', () => made('PROXY_IMPAIRED', false, says(''))),
  shown('REGISTRY_NOT_SET_UP', 'log', async () => (await registry())[0]),
  shown('REGISTRY_NODE_GONE', 'log', () => awaited({ nodes: [node('a', 'ready')] })),
  shown('REGISTRY_NODE_AWAY', 'log', () => awaited({ nodes: [node('a', 'ready'), node('b', 'down')] })),
  shown('REGISTRY_NOT_RUNNING', 'log', () => awaited({ tasks: [] })),
  shown('BUILDER_NODE_AWAY', 'log', () =>
    awaited({ nodes: [node('a', 'ready', { Spec: { Availability: 'drain' } }), node('b', 'ready')] }),
  ),
  shown('REGISTRY_NOT_FORWARDED', 'log', () => awaited({ tasks: [runningOn('registry', 'b')] })),
  shown('REGISTRY_BEING_CLEANED', 'log', () => awaited({ labels: { 'io.infra-mcp.read-only': 'true' } })),
  shown('REGISTRY_SILENT', 'log', () => awaited({})),
  shown('REGISTRY_AWAITED', 'log', async () => (await registry())[0]),
  shown('REGISTRY_NOT_READY', 'log', async () => (await registry()).at(-1)),
];
