import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { chosen, wordsOf, type Choice } from './differences.ts';
import { settle } from './deployments.ts';
import { listener, type Exchange, type RefusedRequest } from './listener.ts';
import type { Platform, Route } from './platform.ts';
import { checkAndRuleRoutes } from './routes/checks-and-rules.ts';
import { clusterRoutes } from './routes/clusters.ts';
import { domainAndStageRoutes } from './routes/domains-and-stages.ts';
import { environmentActions } from './routes/environment-actions.ts';
import { environmentRoutes } from './routes/environments.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { peopleRoutes } from './routes/people.ts';
import { registryRoutes } from './routes/registries.ts';
import { serviceActions } from './routes/service-actions.ts';
import { serviceRoutes } from './routes/services.ts';
import { variableRoutes } from './routes/variables.ts';
import { watchingRoutes } from './routes/watching.ts';
import { seedOrganization, type Seeded } from './seed-organization.ts';
import { seedServices } from './seed-services.ts';
import { seedWatching } from './seed-watching.ts';
import { emptyStore, idMaker, type Service, type Store } from './store.ts';

export interface OtherPlatformOptions {
  /** What is different from the documented platform; nothing, without it. */
  differences?: Choice;
  /** The token that requests have to bear. */
  token: string;
  /** The time, in milliseconds since 1970: deployments move with it. */
  now?: () => number;
  /** How long a deployment takes. */
  deploymentMs?: number;
  requestsPerHour?: number;
}

export interface OtherPlatform {
  url: string;
  token: string;
  requests: readonly Exchange[];
  refusals: readonly RefusedRequest[];
  /** Everything the platform keeps, as it keeps it: secrets too. */
  state: Store;
  /** Ids of what was there from the start. */
  ids: Seeded;
  /** The service of this name, in staging where no environment is named. */
  service: (name: string, environment?: string) => Service;
  close: () => Promise<void>;
}

const allRoutes = (platform: Platform): Route[] =>
  [
    organizationRoutes,
    environmentRoutes,
    environmentActions,
    serviceRoutes,
    serviceActions,
    variableRoutes,
    clusterRoutes,
    watchingRoutes,
    peopleRoutes,
    registryRoutes,
    domainAndStageRoutes,
    checkAndRuleRoutes,
  ].flatMap((routesOf) => routesOf(platform));

/** Starts a platform of the same family on a free port of this machine, with everything in memory. */
export async function startOtherPlatform({
  differences,
  token,
  now = Date.now,
  deploymentMs = 300,
  requestsPerHour = 1000,
}: OtherPlatformOptions): Promise<OtherPlatform> {
  const on = chosen(differences);
  const store = emptyStore();
  const platform: Platform = {
    on,
    words: wordsOf(on),
    store,
    now,
    date: (at) => new Date(at ?? now()).toISOString(),
    newId: idMaker(),
    deploymentMs,
  };
  const ids = seedOrganization(platform);
  seedServices(platform, ids);
  seedWatching(platform, ids);

  const record: { requests: Exchange[]; refusals: RefusedRequest[] } = { requests: [], refusals: [] };
  const server = listener(platform, allRoutes(platform), record, { token, perHour: requestsPerHour });
  server.prependListener('request', () => settle(platform));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    ...record,
    state: store,
    ids,
    service: (name, environment = ids.environments.staging) => {
      const found = store.services.find(
        (service) => service.spec.name === name && service.environment_id === environment,
      );
      if (found === undefined) throw new Error(`There is no service ${name}`);
      return found;
    },
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
