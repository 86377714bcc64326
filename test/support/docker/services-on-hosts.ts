import type { GitServer } from '../git-server.ts';
import type { Json } from '../test-platform.ts';
import { shellSource } from './applications.ts';
import { scriptContainer } from './docker-platform.ts';
import { scriptJob } from './script-job.ts';
import type { SpawnedPlatform } from './spawned-platform.ts';

/** A service that is rolled out again and again while machines fail. */
export interface ServiceOnHosts {
  readonly kind: 'container' | 'application' | 'job';
  readonly id: string;
  readonly name: string;
  readonly environmentId: string;
  /** How many instances it should have; a job has none between its runs. */
  readonly instances: number;
  /** The host name of its public address. */
  readonly publicHost?: string;
  /** Where its source is. */
  readonly repository?: string;
  /** Whether it has a volume. */
  readonly isBound: boolean;
}

/** What the services of a load are made with. */
interface LoadParts {
  readonly platform: SpawnedPlatform;
  readonly git: GitServer;
  /** The address at which jobs report that they run. */
  readonly reportUrl: string;
}

const ports = [{ internal_port: 8080 }];
const publicPorts = [{ internal_port: 8080, publicly_accessible: true, protocol: 'HTTP' }];
/** The script of a program that serves the name of its container at port 8080. */
export const servesPage = 'mkdir -p /www && hostname > /www/index.html && exec httpd -f -p 8080 -h /www';
const two = { min_running_instances: 2, max_running_instances: 2 };
const storage = [{ type: 'FAST_SSD', size: 1, mount_point: '/data' }];
const readiness = {
  readiness_probe: {
    type: { tcp: { port: 8080 } },
    initial_delay_seconds: 0,
    period_seconds: 1,
    timeout_seconds: 1,
    success_threshold: 1,
    failure_threshold: 30,
  },
};

/**
 * The services of one environment; small loads have the first ones. Jobs are apart, because what comes after one that
 * failed isn't deployed.
 */
const kinds = ['web', 'single', 'pair', 'app', 'files'] as const;

/**
 * Creates services in environments of five: one with a public port and two instances, one with one instance, one with
 * two, an application that is built, and one with storage. Jobs have environments of their own. Needs the image
 * `shell:1`.
 * @param prefix of the names of the environments
 */
export async function createServicesOnHosts(
  { platform, git, reportUrl }: LoadParts,
  prefix: string,
  { kept, jobs }: { readonly kept: number; readonly jobs: number },
): Promise<readonly ServiceOnHosts[]> {
  const services: ServiceOnHosts[] = [];
  const create = async (
    kind: ServiceOnHosts['kind'],
    environmentId: string,
    name: string,
    body: Json,
    more: Partial<ServiceOnHosts> = {},
  ): Promise<void> => {
    const { id } = await platform.call('POST', `/environment/${environmentId}/${kind}`, { name, ...body });
    services.push({
      kind,
      id: String(id),
      name,
      environmentId,
      instances: kind === 'job' ? 0 : 1,
      isBound: false,
      ...more,
    });
  };
  const createInOne = async (environment: string, chosen: readonly (typeof kinds)[number][]): Promise<void> => {
    const { environmentId, registryId } = await platform.createEnvironment(environment);
    const container = (more: Json = {}): Json => scriptContainer(registryId, servesPage, { ports, ...more });
    const repository = `app-${environment}`;
    const makers: Readonly<Record<(typeof kinds)[number], () => Promise<void>>> = {
      web: () =>
        create('container', environmentId, 'web', container({ ports: publicPorts, healthchecks: readiness, ...two }), {
          instances: 2,
          publicHost: `web-${environment}.localhost`,
        }),
      single: () => create('container', environmentId, 'single', container()),
      pair: () => create('container', environmentId, 'pair', container(two), { instances: 2 }),
      app: () => {
        git.commit(repository, 'The first version', shellSource(servesPage));
        return create(
          'application',
          environmentId,
          'app',
          { git_repository: { url: git.url(repository) }, cpu: 100, memory: 64, healthchecks: {}, ports },
          { repository },
        );
      },
      files: () => create('container', environmentId, 'files', container({ storage }), { isBound: true }),
    };
    for (const kind of chosen) await makers[kind]();
  };
  for (let made = 0; made < kept; made += kinds.length)
    await createInOne(`${prefix}-${made / kinds.length}`, kinds.slice(0, kept - made));
  for (let index = 0; index < jobs; index += 1) {
    const { environmentId, registryId } = await platform.createEnvironment(`${prefix}-job-${index}`);
    await create(
      'job',
      environmentId,
      'job',
      scriptJob(registryId, `wget -q -O - "${reportUrl}/$(hostname)"; sleep 3`),
    );
  }
  return services;
}
