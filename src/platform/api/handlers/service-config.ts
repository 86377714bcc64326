import type { Selectable } from 'kysely';
import type * as z from 'zod';
import type { workloadRequestFields } from '../../../contract/resources/service.ts';
import type { RequestContext } from '../handler.ts';
import { invalid } from '../../problem.ts';
import type { Db } from '../../store/database.ts';
import type { RegistryTable } from '../../store/schema/organization-tables.ts';
import type { ClusterTable } from '../../store/schema/schema.ts';
import type { ServiceSpecs } from '../../service-spec.ts';
import { toStoredAutoscaling } from './autoscaling.ts';
import { requireReferences } from './find.ts';
import type { HelmRequest } from '../../../contract/resources/helm.ts';

type Cluster = Selectable<ClusterTable>;
type Runnable = z.output<z.ZodObject<typeof workloadRequestFields>>;
type StoredRunnable = ServiceSpecs['application'];
type RequestedPort = NonNullable<Runnable['ports']>[number];

/** Refuses the second of two items of a list that are alike in a way that they may not be. */
const requireDistinct = <Item>(list: string, member: string, items: readonly Item[], trait: (item: Item) => string | number | undefined): void => {
  const traits = items.map(trait);
  const second = traits.findIndex((value, index) => value !== undefined && traits.indexOf(value) !== index);
  if (second >= 0) throw invalid(`${list}.${second}.${member}`, `collides with ${list}.${traits.indexOf(traits[second])}`);
};

/**
 * Holds what a service asks for against its cluster's maximums.
 * @throws ApiProblem 400 naming the member
 */
export function requireWithinMaximums(asked: { cpu: number; memory: number; gpu?: number }, cluster: Cluster): void {
  const caps = { cpu: cluster.maximum_cpu, memory: cluster.maximum_memory, gpu: cluster.maximum_gpu };
  for (const [name, cap] of Object.entries(caps)) {
    const value = asked[name as keyof typeof asked] ?? 0;
    if (value > cap) throw invalid(name, `${value} is above the cluster's maximum of ${cap}`);
  }
}

const requireInstances = ({ min_running_instances: min, max_running_instances: max }: Runnable): void => {
  if (max !== -1 && min > max) throw invalid('min_running_instances', `${min} is above max_running_instances, which is ${max}`);
};

/** Ports and volumes keep the id they are sent with; without one they are new; what isn't sent is gone. */
const withIds = <Item extends { id?: string | undefined }>(member: string, items: readonly Item[], known: readonly { id: string }[], newId: () => string) =>
  items.map((item, index) => {
    if (item.id !== undefined && !known.some(({ id }) => id === item.id)) {
      throw invalid(`${member}.${index}.id`, `this service has none with the id ${item.id}; leave it out for a new one`);
    }
    return { ...item, id: item.id ?? newId() };
  });

// Every protocol but UDP runs over TCP: only those two can share a number.
const transport = ({ protocol }: RequestedPort): string => (protocol === 'UDP' ? 'UDP' : 'TCP');

const requireNoCollision = ({ ports = [], storage = [] }: Runnable): void => {
  requireDistinct('ports', 'id', ports, ({ id }) => id);
  requireDistinct('ports', 'name', ports, ({ name }) => name);
  requireDistinct('ports', 'internal_port', ports, (port) => `${port.internal_port}/${transport(port)}`);
  requireDistinct('ports', 'external_port', ports, (port) => port.external_port && `${port.external_port}/${transport(port)}`);
  requireDistinct('ports', 'is_default', ports, (port) => (port.is_default ? 'default' : undefined));
  requireDistinct('storage', 'id', storage, ({ id }) => id);
  requireDistinct('storage', 'mount_point', storage, (volume) => volume.mount_point);
};

const completePort = (port: RequestedPort): RequestedPort => ({
  ...port,
  name: port.name ?? `p${port.internal_port}`,
  publicly_accessible: port.publicly_accessible ?? false,
  protocol: port.protocol ?? 'HTTP',
  is_default: port.is_default ?? false,
});


/**
 * The part of a configuration that applications and containers share, checked and as it is kept.
 * @param previous what it replaces, whose ports and volumes keep their ids.
 * @throws ApiProblem 400 naming the member at fault
 */
export async function toStoredRunnable<Request extends Runnable & { name: string }>(
  request: Request, previous: Pick<StoredRunnable, 'ports' | 'storage' | 'autoscaling'> | undefined, cluster: Cluster, context: RequestContext,
): Promise<Omit<Request, 'name' | 'ports' | 'storage' | 'autoscaling'> & Pick<StoredRunnable, 'ports' | 'storage' | 'autoscaling'>> {
  const { name: _, ports = [], storage = [], autoscaling, ...rest } = request;
  const { db, random } = context;
  requireWithinMaximums(request, cluster);
  requireInstances(request);
  requireNoCollision(request);
  const groups = { labels_group: request.labels_groups, annotations_group: request.annotations_groups } as const;
  for (const [table, pointers] of Object.entries(groups)) {
    await requireReferences(db, table as keyof typeof groups, cluster.organization_id, `${table}s`, (pointers ?? []).map(({ id }) => id));
  }
  return {
    ...rest,
    ports: withIds('ports', ports.map(completePort), previous?.ports ?? [], () => random.uuid()),
    storage: withIds('storage', storage, previous?.storage ?? [], () => random.uuid()),
    ...(autoscaling && { autoscaling: toStoredAutoscaling(autoscaling, previous?.autoscaling, context) }),
  };
}

const pathSegment = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const repositoryPath = new RegExp(`^${pathSegment}(?:/${pathSegment})*$`);

/** Which image names a registry of a kind takes, and how that is said. */
const imageNames: Readonly<Record<string, { readonly form: RegExp; readonly words: string }>> = {
  ECR: { form: repositoryPath, words: 'repository' },
  PUBLIC_ECR: { form: new RegExp(`^${pathSegment}(?:/${pathSegment})+$`), words: 'registry_alias/repository' },
  DOCKER_HUB: { form: new RegExp(`^${pathSegment}(?:/${pathSegment})?$`), words: 'namespace/image or image' },
};

const anyImageName = { form: repositoryPath, words: 'repository/image, in lower case' };

/**
 * Holds an image name against its registry's kind.
 * @throws ApiProblem 400 naming the member
 */
export function requireImageName(imageName: string, registry: Pick<Selectable<RegistryTable>, 'kind' | 'name'>): void {
  const { form, words } = imageNames[registry.kind] ?? anyImageName;
  if (!form.test(imageName)) throw invalid('image_name', `"${imageName}" doesn't fit the registry ${registry.name} of kind ${registry.kind}, which takes ${words}`);
}

/**
 * Refuses a name that a sibling has, whatever the case.
 * @throws ApiProblem 400 naming the member
 */
export async function requireFreeServiceName(db: Db, environmentId: string, name: string, self?: string): Promise<void> {
  const taken = await db.selectFrom('service').select(['id', 'name', 'kind']).where('environment_id', '=', environmentId).where('name', '=', name).executeTakeFirst();
  if (taken && taken.id !== self) throw invalid('name', `"${taken.name}" (${taken.kind} ${taken.id}) in this environment has that name already`);
}

type RequestedHelm = z.output<typeof HelmRequest>;
type HelmSpec = ServiceSpecs['helm'];

/** The source as answers shape it, from either shape that requests come in. */
const toStoredSource = ({ git_repository, helm_repository, git, repository }: RequestedHelm['source']): HelmSpec['source'] => {
  const fromGit = git_repository ?? git?.git_repository;
  if (fromGit) return { git: { git_repository: fromGit } };
  if (repository) return { repository };
  const { repository: id, ...chart } = helm_repository!;
  return { repository: { ...chart, repository: { id } } };
};

const isSamePort = (one: { internal_port: number; name?: string | undefined }, other: { internal_port: number; name?: string | undefined }): boolean =>
  one.internal_port === other.internal_port && one.name === other.name;

/**
 * A helm request as it is kept. Ports have no ids in requests: one with the number and name of a present one keeps its id.
 * @param newId makes an id.
 */
export function toStoredHelm({ source, ports = [], ...rest }: Omit<RequestedHelm, 'name'>, previous: Pick<HelmSpec, 'ports'>, newId: () => string): HelmSpec {
  return {
    ...rest,
    source: toStoredSource(source),
    auto_preview: rest.auto_preview ?? false,
    icon_uri: rest.icon_uri ?? 'app://infra-mcp/helm',
    ports: ports.map((port) => ({
      ...port,
      id: previous.ports.find((known) => isSamePort(known, port))?.id ?? newId(),
      port_type: 'HELM',
      protocol: port.protocol ?? 'HTTP',
      is_default: port.is_default ?? false,
    })),
  };
}
