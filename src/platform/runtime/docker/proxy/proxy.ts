import { RuntimeProblem, type TaskInputs } from '../../index.ts';
import {
  connectToDockerNetwork,
  type DockerClient,
  disconnectFromDockerNetwork,
  inspectDockerContainer,
  isDockerAway,
  isDockerError,
  listDockerServices,
  type DockerService,
} from '../api/index.ts';
import { isStopped, labelFilter, labelledEnvironment, platformLabels } from '../labels.ts';
import { dockerServiceName, isNetworkName, networkName } from '../names.ts';
import { answeringEngines, createNodeEngines } from '../nodes/node-engines.ts';
import type { Workload } from '../workload.ts';
import { caddyConfig, type ServedRoute } from './caddy-config.ts';
import { configureProxy, ensureProxy, findProxy, type ProxyParts, removeProxy } from './proxy-container.ts';
import { findProxyPlaces, type ProxyPlace } from './proxy-places.ts';
import { publicRoutes, type Route, servedRoutesOf } from './routes.ts';
import type { ProxySettings } from './settings.ts';

/**
 * The proxy for the public ports of a cluster's services: a container on the networks of their environments, on one or
 * several machines. Its routes are in the labels of the services on the engine, and are read again each time.
 */
export interface Proxy {
  readonly settings: ProxySettings;
  /** Chooses the addresses of a service, distinct from those of all others. A service that has addresses keeps them. */
  routesFor(
    service: Workload,
    inputs: Pick<TaskInputs, 'environmentName' | 'domains'>,
    signal: AbortSignal,
  ): Promise<readonly Route[]>;
  /**
   * Reconciles the proxy with the services on the engine: starts it, applies its routes, and joins and leaves networks.
   * Removes it if there is no public port.
   * @returns where it serves them now, and the problems on other machines on which it should run
   * @throws Error with what to do, if it can't be started or rejects its configuration on all machines
   */
  sync(signal: AbortSignal): Promise<SyncedProxy>;
  /** Disconnects the proxy from a network that is about to be deleted. @param network id */
  leave(network: string, signal: AbortSignal): Promise<void>;
}

/** The machines where the proxy is up to date. */
export interface SyncedProxy {
  readonly places: readonly ProxyPlace[];
  /** As sentences. */
  readonly problems: readonly string[];
}

/**
 * How long chosen host names stay reserved without a service that has them, in milliseconds: as long as the creation of
 * a service takes.
 */
const choiceMilliseconds = 90_000;

const nameOf = ({ Spec }: DockerService): string => Spec.Name;

const hostsText = (routes: readonly Route[]): string => routes.map(({ host }) => host).join(' ');

/** The routes of the services that are not stopped. */
const servedBy = (services: readonly DockerService[], settings: ProxySettings): readonly ServedRoute[] =>
  services
    .filter(({ Spec }) => !isStopped(Spec.Labels))
    .flatMap((service) => {
      // While one version replaces another, instances of both run.
      const earlier = service.UpdateStatus?.State === 'completed' ? [] : servedRoutesOf(service.PreviousSpec, settings);
      return servedRoutesOf(service.Spec, settings).map((route) => {
        const earlierPort = earlier.find(({ host }) => host === route.host)?.port ?? route.port;
        return { ...route, upstream: nameOf(service), ...(earlierPort !== route.port && { earlierPort }) };
      });
    });

/** The host names of stopped services. They keep them. */
const stoppedHosts = (services: readonly DockerService[], settings: ProxySettings): readonly string[] =>
  services
    .filter(({ Spec }) => isStopped(Spec.Labels))
    .flatMap(({ Spec }) => servedRoutesOf(Spec, settings).map(({ host }) => host));

/** The networks of the environments that have public routes. */
const networksOf = (services: readonly DockerService[], settings: ProxySettings): ReadonlySet<string> =>
  new Set(
    services
      .filter(({ Spec }) => !isStopped(Spec.Labels) && servedRoutesOf(Spec, settings).length > 0)
      .flatMap(({ Spec }) => labelledEnvironment(Spec.Labels) ?? [])
      .map(networkName),
  );

/**
 * Ignores failures that are caused by another change of the same network: it was just deleted, or the proxy has just
 * joined or left it.
 */
const ignoreGone = (error: unknown): void => {
  if (
    !isDockerError(error, 'not found', 'refused', 'conflict') &&
    !(isDockerError(error, 'failed') && /not found|already exists|not connected/.test(error.reason))
  )
    throw error;
};

/** Connects a container to the wanted networks, and disconnects it from those of other environments. */
async function joinNetworks(
  at: DockerClient,
  container: string,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const {
    NetworkSettings: { Networks },
  } = await inspectDockerContainer(at, container, { signal });
  const joined = Object.keys(Networks);
  for (const network of [...wanted].filter((name) => !joined.includes(name))) {
    // In sequence: the engine changes one endpoint of a container at a time.
    await connectToDockerNetwork(at, network, container, [], { signal }).catch(ignoreGone);
  }
  for (const network of joined.filter((name) => isNetworkName(name) && !wanted.has(name))) {
    await disconnectFromDockerNetwork(at, network, container, { signal }).catch(ignoreGone);
  }
}

/** Creates the proxy for the public ports of a cluster. Its operations run one after the other. */
export function createProxy(parts: ProxyParts & { readonly now: () => number }): Proxy {
  const { docker, platformId, settings, now } = parts;
  const engines = createNodeEngines({ docker });
  /** The known configuration of each container, by its id. */
  const given = new Map<string, string>();
  /** The host names that were just chosen, by the names of services: their labels may not be on the engine yet. */
  const chosen = new Map<string, { readonly hosts: readonly string[]; readonly text: string; readonly at: number }>();
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };

  /** Reads the services of this platform. Choices that are in their labels are no longer kept here. */
  const ours = async (signal: AbortSignal): Promise<readonly DockerService[]> => {
    const services = await listDockerServices(docker, labelFilter(platformLabels(platformId)), { signal });
    for (const service of services)
      if (chosen.get(nameOf(service))?.text === hostsText(servedRoutesOf(service.Spec, settings)))
        chosen.delete(nameOf(service));
    return services;
  };

  /** Reconciles the proxy of one machine. */
  const serveAt = async (
    at: DockerClient,
    config: string,
    networks: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> => {
    const there = { ...parts, docker: at };
    const { id, hasConfig } = await ensureProxy(there, config, signal);
    await joinNetworks(at, id, networks, signal);
    // Networks first: a route has a reachable service from the start.
    if (!hasConfig && given.get(id) !== config) await configureProxy(there, id, config, signal);
    given.set(id, config);
  };

  const removeAt = (engine: DockerClient, signal: AbortSignal): Promise<void> =>
    removeProxy({ ...parts, docker: engine }, signal);

  /** If an engine is unavailable now, its proxy is removed the next time. */
  const removeFromOthers = async (others: readonly DockerClient[], signal: AbortSignal): Promise<void> => {
    await Promise.all(
      others.map((engine) =>
        removeAt(engine, signal).catch((error: unknown) => {
          if (!isDockerAway(error)) throw error;
        }),
      ),
    );
  };

  const sync = async (signal: AbortSignal): Promise<SyncedProxy> => {
    const services = await ours(signal);
    const { places, others, problems } = await findProxyPlaces(docker, engines, signal);
    if (!services.some(({ Spec }) => servedRoutesOf(Spec, settings).length > 0)) {
      await Promise.all(places.map((place) => removeAt(place.docker, signal)));
      await removeFromOthers(others, signal);
      given.clear();
      return { places: [], problems: [] };
    }
    if (places.length === 0) throw new RuntimeProblem(`No machine can serve public ports: ${problems.join(' ')}`);
    const [config, networks] = [
      caddyConfig(servedBy(services, settings), settings, stoppedHosts(services, settings)),
      networksOf(services, settings),
    ];
    const results = await Promise.allSettled(places.map((place) => serveAt(place.docker, config, networks, signal)));
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected' ? [{ error: result.reason as Error, place: places[index]! }] : [],
    );
    if (failures.length === places.length) throw failures[0]!.error;
    // Only once the others serve.
    await removeFromOthers(others, signal);
    return {
      places: places.filter((place) => !failures.some((failed) => failed.place === place)),
      problems: [...problems, ...failures.map(({ error, place }) => `The proxy on ${place.name}: ${error.message}`)],
    };
  };

  return {
    settings,
    sync: (signal) => inTurn(() => sync(signal)),
    leave: (network, signal) =>
      inTurn(async () => {
        await Promise.all(
          (await answeringEngines(docker, signal)).map(async (engine) => {
            const present = await findProxy({ docker: engine, platformId }, signal);
            if (!Object.values(present?.NetworkSettings.Networks ?? {}).some(({ NetworkID: id }) => id === network))
              return;
            await disconnectFromDockerNetwork(engine, network, present!.Id, { signal }).catch(ignoreGone);
          }),
        );
      }),
    routesFor: (service, inputs, signal) =>
      inTurn(async () => {
        const name = dockerServiceName(service);
        const present = new Map(
          (await ours(signal)).map((each) => [
            nameOf(each),
            servedRoutesOf(each.Spec, settings).map(({ host }) => host),
          ]),
        );
        for (const [each, { at }] of chosen) if (now() - at > choiceMilliseconds) chosen.delete(each);
        const others = [...present, ...[...chosen].map(([each, { hosts }]) => [each, hosts] as const)].filter(
          ([each]) => each !== name,
        );
        const taken = new Set(others.flatMap(([, hosts]) => hosts));
        const routes = publicRoutes(service, inputs, settings, {
          isTaken: (host) => taken.has(host),
          isOwn: (host) => present.get(name)?.includes(host) === true,
        });
        chosen.set(name, { hosts: routes.map(({ host }) => host), text: hostsText(routes), at: now() });
        return routes;
      }),
  };
}
