import type { Selectable } from 'kysely';
import type * as z from 'zod';
import type { DatabaseUpdateRequest, HelmRequest, workloadRequestFields } from '../../../contract/index.ts';
import type { RequestContext } from '../handler.ts';
import { defaultIcon, invalid, neighbourNames, plainNeighbourName, type ServiceSpecs } from '../../common/index.ts';
import type { ClusterTable, Db, RegistryTable } from '../../store/index.ts';
import { toStoredAutoscaling } from './autoscaling.ts';
import { requireReferences } from './find.ts';

type Cluster = Selectable<ClusterTable>;
type Runnable = z.output<z.ZodObject<typeof workloadRequestFields>>;
type StoredRunnable = ServiceSpecs['application'];
type RequestedPort = NonNullable<Runnable['ports']>[number];

/** Refuses a list in which two items share a trait that must be unique. The error names the second one. */
const requireDistinct = <Item>(
  list: string,
  member: string,
  items: readonly Item[],
  trait: (item: Item) => string | number | undefined,
): void => {
  const traits = items.map(trait);
  const second = traits.findIndex((value, index) => value !== undefined && traits.indexOf(value) !== index);
  if (second >= 0)
    throw invalid(`${list}.${second}.${member}`, `collides with ${list}.${traits.indexOf(traits[second])}`);
};

/**
 * Refuses a service that requests more than its cluster's maximums.
 * @throws ApiProblem 400 with the member
 */
export function requireWithinMaximums(
  requested: { cpu: number; memory: number; gpu?: number },
  cluster: Cluster,
): void {
  const caps = { cpu: cluster.maximum_cpu, memory: cluster.maximum_memory, gpu: cluster.maximum_gpu };
  for (const [name, cap] of Object.entries(caps)) {
    const value = requested[name as keyof typeof requested] ?? 0;
    if (value > cap) throw invalid(name, `${value} is above the cluster's maximum of ${cap}`);
  }
}

const requireInstances = ({ min_running_instances: min, max_running_instances: max }: Runnable): void => {
  if (max !== -1 && min > max)
    throw invalid('min_running_instances', `${min} is above max_running_instances, which is ${max}`);
};

/**
 * Gives new ports and volumes an id. Items with an id must exist already; existing items that aren't sent are removed.
 */
const withIds = <Item extends { id?: string | undefined }>(
  member: string,
  items: readonly Item[],
  known: readonly { id: string }[],
  newId: () => string,
) =>
  items.map((item, index) => {
    if (item.id !== undefined && !known.some(({ id }) => id === item.id)) {
      throw invalid(
        `${member}.${index}.id`,
        `this service has none with the id ${item.id}; leave it out for a new one`,
      );
    }
    return { ...item, id: item.id ?? newId() };
  });

// Every protocol but UDP runs over TCP, and a UDP and a TCP port can share a number.
const transport = ({ protocol }: RequestedPort): string => (protocol === 'UDP' ? 'UDP' : 'TCP');

const requireNoCollision = ({ ports = [], storage = [] }: Runnable): void => {
  requireDistinct('ports', 'id', ports, ({ id }) => id);
  requireDistinct('ports', 'name', ports, ({ name }) => name);
  requireDistinct('ports', 'internal_port', ports, (port) => `${port.internal_port}/${transport(port)}`);
  requireDistinct(
    'ports',
    'external_port',
    ports,
    (port) => port.external_port && `${port.external_port}/${transport(port)}`,
  );
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
 * Validates the configuration that applications and containers share, and converts it to its stored form.
 * @param previous the configuration to replace. Existing ports and volumes keep their ids
 * @throws ApiProblem 400 with the invalid member
 */
export async function toStoredRunnable<Request extends Runnable & { name: string }>(
  request: Request,
  previous: Pick<StoredRunnable, 'ports' | 'storage' | 'autoscaling'> | undefined,
  cluster: Cluster,
  context: RequestContext,
): Promise<
  Omit<Request, 'name' | 'ports' | 'storage' | 'autoscaling'> &
    Pick<StoredRunnable, 'ports' | 'storage' | 'autoscaling'>
> {
  const { name: _, ports = [], storage = [], autoscaling, ...rest } = request;
  const { db, random } = context;
  requireWithinMaximums(request, cluster);
  requireInstances(request);
  requireNoCollision(request);
  await requireGroups(request, cluster.organization_id, db);
  return {
    ...rest,
    ports: withIds('ports', ports.map(completePort), previous?.ports ?? [], () => random.uuid()),
    storage: withIds('storage', storage, previous?.storage ?? [], () => random.uuid()),
    ...(autoscaling && { autoscaling: toStoredAutoscaling(autoscaling, previous?.autoscaling, context) }),
  };
}

const pathSegment = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const repositoryPath = new RegExp(`^${pathSegment}(?:/${pathSegment})*$`);

/** The image names that each kind of registry accepts, as a pattern and as text. */
const imageNames: Readonly<Record<string, { readonly pattern: RegExp; readonly description: string }>> = {
  ECR: { pattern: repositoryPath, description: 'repository' },
  PUBLIC_ECR: { pattern: new RegExp(`^${pathSegment}(?:/${pathSegment})+$`), description: 'registry_alias/repository' },
  DOCKER_HUB: { pattern: new RegExp(`^${pathSegment}(?:/${pathSegment})?$`), description: 'namespace/image or image' },
};

const anyImageName = { pattern: repositoryPath, description: 'repository/image, in lower case' };

/**
 * Refuses an image name that doesn't fit its registry's kind.
 * @throws ApiProblem 400 with the member
 */
function requireImageName(
  member: string,
  imageName: string,
  registry: Pick<Selectable<RegistryTable>, 'kind' | 'name'>,
): void {
  const { pattern, description } = imageNames[registry.kind] ?? anyImageName;
  if (!pattern.test(imageName))
    throw invalid(
      member,
      `"${imageName}" doesn't fit the registry ${registry.name} of kind ${registry.kind}, which takes ${description}`,
    );
}

/**
 * Refuses an image whose registry isn't linked, or whose name doesn't fit it.
 * @param at path of the image's members, with a dot at its end
 * @throws ApiProblem 400 with the member
 */
export async function requireImage(
  { registry_id: id, image_name: name }: { registry_id: string; image_name: string },
  organizationId: string,
  { db }: RequestContext,
  at = '',
): Promise<void> {
  // Kept, because it would otherwise go before the service is there.
  const registry = await db.sql
    .kept(db.selectFrom('registry').selectAll().where('id', '=', id).where('organization_id', '=', organizationId))
    .executeTakeFirst();
  if (!registry) throw invalid(`${at}registry_id`, `no registry has the id ${id}`);
  requireImageName(`${at}image_name`, name, registry);
}

/**
 * Refuses groups that the organization doesn't have.
 * @throws ApiProblem 400 with the member and the first unknown id
 */
export async function requireGroups(
  request: { labels_groups?: { id: string }[] | undefined; annotations_groups?: { id: string }[] | undefined },
  organizationId: string,
  db: Db,
): Promise<void> {
  for (const table of ['labels_group', 'annotations_group'] as const) {
    await requireReferences(
      db,
      table,
      organizationId,
      `${table}s`,
      (request[`${table}s`] ?? []).map(({ id }) => id),
    );
  }
}

/**
 * Validates a database's new configuration and converts it to its stored form. Its type and mode stay.
 * @throws ApiProblem 400 with the invalid member
 */
export async function toStoredDatabase(
  request: Omit<z.output<typeof DatabaseUpdateRequest>, 'name'>,
  previous: ServiceSpecs['database'],
  cluster: Cluster,
  { db }: RequestContext,
): Promise<ServiceSpecs['database']> {
  const { type, mode, version, instance_type: size } = previous;
  requireWithinMaximums(request, cluster);
  if (mode === 'CONTAINER' && request.instance_type !== undefined && request.instance_type !== size)
    throw invalid('instance_type', 'only MANAGED databases have one; set cpu and memory');
  await requireGroups(request, cluster.organization_id, db);
  return { ...request, type, mode, version: request.version ?? version };
}

/**
 * Refuses a name that another service of the environment already has, ignoring case, or whose host name is already that
 * of another service there. The network would send one service's traffic to the other.
 * @param self the renamed service; absent for a new one
 * @throws ApiProblem 400 with the member
 */
export async function requireFreeServiceName(
  db: Db,
  environmentId: string,
  name: string,
  self?: string,
): Promise<void> {
  const taken = await db
    .selectFrom('service')
    .select(['id', 'name', 'kind'])
    .where('environment_id', '=', environmentId)
    .where(db.sql.sameIgnoringCase('name', name))
    .executeTakeFirst();
  if (taken && taken.id !== self)
    throw invalid('name', `"${taken.name}" (${taken.kind} ${taken.id}) in this environment has that name already`);
  // An unchanged name stays allowed. A later service with it was refused, or was created before this check existed.
  if (taken?.name.toLowerCase() === name.toLowerCase()) return;
  const others = await db
    .selectFrom('service')
    .select(['id', 'name', 'kind'])
    .where('environment_id', '=', environmentId)
    .execute();
  const own = self === undefined ? [plainNeighbourName(name)] : neighbourNames({ id: self, name });
  for (const other of others.filter(({ id }) => id !== self)) {
    const shared = neighbourNames(other).find((one) => own.includes(one));
    if (shared !== undefined)
      throw invalid(
        'name',
        `"${shared}" is the host name of "${other.name}" (${other.kind} ${other.id}) in this environment, whose traffic this service would get; choose another name`,
      );
  }
}

type RequestedHelm = z.output<typeof HelmRequest>;
type HelmSpec = ServiceSpecs['helm'];

/** Converts a source, in either form that requests use, to the form of responses. */
const toStoredSource = ({
  git_repository,
  helm_repository,
  git,
  repository,
}: RequestedHelm['source']): HelmSpec['source'] => {
  const fromGit = git_repository ?? git?.git_repository;
  if (fromGit) return { git: { git_repository: fromGit } };
  if (repository) return { repository };
  const { repository: id, ...chart } = helm_repository!;
  return { repository: { ...chart, repository: { id } } };
};

const isSamePort = (
  one: { internal_port: number; name?: string | undefined },
  other: { internal_port: number; name?: string | undefined },
): boolean => one.internal_port === other.internal_port && one.name === other.name;

/**
 * Converts a Helm request to its stored form. Ports have no ids in requests: a port with the number and name of an
 * existing one keeps that one's id.
 * @param newId creates an id
 */
export function toStoredHelm(
  { source, ports = [], ...rest }: Omit<RequestedHelm, 'name'>,
  previous: Pick<HelmSpec, 'ports'>,
  newId: () => string,
): HelmSpec {
  return {
    ...rest,
    source: toStoredSource(source),
    auto_preview: rest.auto_preview ?? false,
    icon_uri: rest.icon_uri ?? defaultIcon('helm'),
    ports: ports.map((port) => ({
      ...port,
      id: previous.ports.find((known) => isSamePort(known, port))?.id ?? newId(),
      port_type: 'HELM',
      protocol: port.protocol ?? 'HTTP',
      is_default: port.is_default ?? false,
    })),
  };
}
