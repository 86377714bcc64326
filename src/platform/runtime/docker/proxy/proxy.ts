import type { TaskInputs } from '../../index.ts';
import { connectToDockerNetwork, disconnectFromDockerNetwork, inspectDockerContainer, isDockerError, listDockerServices, type DockerService } from '../engine/index.ts';
import { isStopped, labelFilter, labelledEnvironment, platformLabels } from '../labels.ts';
import { dockerServiceName, isNetworkName, networkName } from '../names.ts';
import type { Workload } from '../workload.ts';
import { caddyConfig, type ServedRoute } from './caddy-config.ts';
import { configureProxy, ensureProxy, findProxy, type ProxyParts, removeProxy } from './proxy-container.ts';
import { publicRoutes, type Route, routesOf } from './routes.ts';
import type { ProxySettings } from './settings.ts';

/**
 * What serves the public ports of a cluster's services: a container on the networks of their environments. What it has to
 * serve is in the labels of the services on the engine, and is read anew each time.
 */
export interface Proxy {
  readonly settings: ProxySettings;
  /** Chooses the addresses of a service, which no other one has. One that has some keeps them. */
  routesFor(service: Workload, inputs: Pick<TaskInputs, 'environmentName' | 'domains'>, signal: AbortSignal): Promise<readonly Route[]>;
  /**
   * Brings the proxy to what the services on the engine need: starts it, gives it its routes, and joins and leaves networks.
   * Without any public port it goes.
   * @throws Error with what to do, if it can't be started or doesn't take its configuration
   */
  sync(signal: AbortSignal): Promise<void>;
  /** Takes the proxy off a network that is about to be deleted. @param network id */
  leave(network: string, signal: AbortSignal): Promise<void>;
}

/** How long a choice of host names holds without a service that has them, in milliseconds: as long as a service takes to be sent. */
const choiceMilliseconds = 90_000;

const nameOf = ({ Spec }: DockerService): string => Spec.Name;

const hostsText = (routes: readonly Route[]): string => routes.map(({ host }) => host).join(' ');

/** The routes of the services that run. */
const servedBy = (services: readonly DockerService[]): readonly ServedRoute[] =>
  services.filter(({ Spec }) => !isStopped(Spec.Labels)).flatMap((service) => {
    // While one version replaces another, instances of both run.
    const earlier = service.UpdateStatus?.State === 'completed' ? [] : routesOf(service.PreviousSpec);
    return routesOf(service.Spec).map((route) => {
      const earlierPort = earlier.find(({ host }) => host === route.host)?.port ?? route.port;
      return { ...route, upstream: nameOf(service), ...(earlierPort !== route.port && { earlierPort }) };
    });
  });

/** The networks of the environments in which something is served. */
const networksOf = (services: readonly DockerService[]): ReadonlySet<string> =>
  new Set(services.filter(({ Spec }) => !isStopped(Spec.Labels) && routesOf(Spec).length > 0).flatMap(({ Spec }) => labelledEnvironment(Spec.Labels) ?? []).map(networkName));

/** Passes over failures that another change of the same network causes: it was just deleted, or the proxy has just joined or left it. */
const ignoreGone = (error: unknown): void => {
  if (!isDockerError(error, 'not found', 'refused', 'conflict') && !(isDockerError(error, 'failed') && /not found|already exists|not connected/.test(error.reason))) throw error;
};

/** Creates what serves the public ports of one engine. Its work is done one after the other. */
export function createProxy(parts: ProxyParts & { readonly now: () => number }): Proxy {
  const { docker, platformId, settings, now } = parts;
  /** The configuration that a container is known to have. */
  let given: { readonly container: string; readonly config: string } | undefined;
  /** The host names that were just given away, by the names of services: their labels may not be on the engine yet. */
  const chosen = new Map<string, { readonly hosts: readonly string[]; readonly text: string; readonly at: number }>();
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };

  /** The services of this platform. Choices that show in their labels need not be remembered any more. */
  const ours = async (signal: AbortSignal): Promise<readonly DockerService[]> => {
    const services = await listDockerServices(docker, labelFilter(platformLabels(platformId)), { signal });
    for (const service of services) if (chosen.get(nameOf(service))?.text === hostsText(routesOf(service.Spec))) chosen.delete(nameOf(service));
    return services;
  };

  const joinNetworks = async (container: string, wanted: ReadonlySet<string>, signal: AbortSignal): Promise<void> => {
    const { NetworkSettings: { Networks } } = await inspectDockerContainer(docker, container, { signal });
    const joined = Object.keys(Networks);
    for (const network of [...wanted].filter((name) => !joined.includes(name))) {
      // oxlint-disable-next-line no-await-in-loop -- the engine changes one endpoint of a container at a time.
      await connectToDockerNetwork(docker, network, container, [], { signal }).catch(ignoreGone);
    }
    for (const network of joined.filter((name) => isNetworkName(name) && !wanted.has(name))) {
      // oxlint-disable-next-line no-await-in-loop
      await disconnectFromDockerNetwork(docker, network, container, { signal }).catch(ignoreGone);
    }
  };

  const sync = async (signal: AbortSignal): Promise<void> => {
    const services = await ours(signal);
    if (!services.some(({ Spec }) => routesOf(Spec).length > 0)) {
      await removeProxy(parts, signal);
      return;
    }
    const config = caddyConfig(servedBy(services), settings);
    const { id, hasConfig } = await ensureProxy(parts, config, signal);
    await joinNetworks(id, networksOf(services), signal);
    // Networks first: a route leads somewhere from its first moment on.
    if (!hasConfig && !(given?.container === id && given.config === config)) await configureProxy(parts, id, config, signal);
    given = { container: id, config };
  };

  return {
    settings,
    sync: (signal) => inTurn(() => sync(signal)),
    leave: (network, signal) => inTurn(async () => {
      const present = await findProxy(parts, signal);
      if (!Object.values(present?.NetworkSettings.Networks ?? {}).some(({ NetworkID: id }) => id === network)) return;
      await disconnectFromDockerNetwork(docker, network, present!.Id, { signal }).catch(ignoreGone);
    }),
    routesFor: (service, inputs, signal) => inTurn(async () => {
      const name = dockerServiceName(service);
      const present = new Map((await ours(signal)).map((each) => [nameOf(each), routesOf(each.Spec).map(({ host }) => host)]));
      for (const [each, { at }] of chosen) if (now() - at > choiceMilliseconds) chosen.delete(each);
      const others = [...present, ...[...chosen].map(([each, { hosts }]) => [each, hosts] as const)].filter(([each]) => each !== name);
      const taken = new Set(others.flatMap(([, hosts]) => hosts));
      const routes = publicRoutes(service, inputs, settings, { isTaken: (host) => taken.has(host), isOwn: (host) => present.get(name)?.includes(host) === true });
      chosen.set(name, { hosts: routes.map(({ host }) => host), text: hostsText(routes), at: now() });
      return routes;
    }),
  };
}
