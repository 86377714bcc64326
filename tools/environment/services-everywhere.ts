import {
  isDown,
  isServiceKind,
  maximumPageSize,
  operations,
  productionFirst,
  segmentOf,
} from '../../src/contract/index.ts';
import {
  canServe,
  instancesIn,
  originIn,
  servingText,
  shortCommit,
  usageFigures,
  usageText,
  type Serving,
} from '../../src/analysis/index.ts';
import {
  statusRowsIn,
  isRecord,
  pick,
  pruneRecord,
  withFigures,
  readUses,
  recordsIn,
  rootOf,
  rowsIn,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin, type Allowance } from '../shared/allowance.ts';
import {
  environmentsWithin,
  lackingPlaces,
  lackingText,
  lookedAtText,
  someNames,
  readsOfEnvironments,
  unlessFailing,
  type ListedEnvironment,
  type Within,
} from '../shared/places.ts';
import { readsOfServing, servingWithin, type Served } from '../shared/serving.ts';

/** The reads for the services of a project or everything. */
export const readsOfServicesEverywhere: readonly ReadUse[] = [
  ...readsOfEnvironments,
  ...readUses('states, usage and what runs are not known', operations.get_environment_status),
  ...readsOfServing,
];

/** The columns of a service of one of several environments. */
export const columnsEverywhere = [
  'path',
  'kind',
  'state',
  'type',
  'image',
  'tag',
  'repository',
  'branch',
  'commit',
  'chart',
  'version',
  'running',
  'cpu',
  'memory',
  'storage',
  'instances',
  'restarts',
  'usage',
  'id',
] as const;

/** Whether a column is one of these. */
export const isColumnEverywhere = (column: string): boolean =>
  (columnsEverywhere as readonly string[]).includes(column);

/** Number of requests for an environment: its services and their states. */
const requestsEach = 2;

const notKnown = 'not known';
const notMeasured = 'not measured';

/** What was read of an environment; undefined members could not be read. */
interface ReadEnvironment extends Pick<ListedEnvironment, 'id' | 'path'> {
  readonly services: readonly JsonRecord[] | undefined;
  readonly statuses: ReadonlyMap<unknown, JsonRecord> | undefined;
}

const statusesIn = (answer: JsonRecord): ReadonlyMap<unknown, JsonRecord> =>
  new Map(statusRowsIn(answer).map((row) => [row['id'], row] as const));

async function readEnvironment(context: ToolContext, { id, path }: ListedEnvironment): Promise<ReadEnvironment> {
  const [list, statuses] = await Promise.all([
    unlessFailing(context.attempt(operations.list_services, { environment_id: id })),
    unlessFailing(context.attempt(operations.get_environment_status, { environment_id: id })),
  ]);
  return { id, path, services: list && rowsIn(list), statuses: statuses && statusesIn(statuses) };
}

interface PlacedService extends Served {
  readonly path: string;
  readonly configuration: JsonRecord;
  /** Whether the states of its environment were read. */
  readonly isObserved: boolean;
}

const placedIn = ({ path, services = [], statuses }: ReadEnvironment): readonly PlacedService[] =>
  services.map((configuration) => {
    const id = textOf(configuration, 'id') ?? '';
    return {
      id,
      path: `${path}/${segmentOf(textOf(configuration, 'name') ?? id)}`,
      kind: (textOf(configuration, 'service_type') ?? 'service').toLowerCase(),
      configuration,
      status: statuses?.get(id),
      isObserved: statuses !== undefined,
    };
  });

/** The disk of a service as configured, in GB: that of a database, or of all volumes. */
function storageIn({ storage }: JsonRecord): unknown {
  if (!Array.isArray(storage)) return storage;
  const sizes = recordsIn(storage).map(({ size }) => size);
  return sizes.length > 0 && sizes.every((size) => typeof size === 'number')
    ? sizes.reduce((sum, size) => sum + size, 0)
    : undefined;
}

/** What a service is made from, as configured. */
function madeFrom({ kind, configuration }: PlacedService): JsonRecord {
  const { git, image, chart } = originIn(configuration);
  return {
    ...(kind === 'database' && { type: configuration['type'], version: configuration['version'] }),
    ...(image && { image: image.name, tag: image.tag }),
    ...(git && { repository: git.url, branch: git.branch, commit: git.deployed && shortCommit(git.deployed) }),
    ...(chart && { chart: chart.name, version: chart.version }),
  };
}

/**
 * What runs, unless it is what is configured. Kinds that don't serve have nothing of their own running; of these it is
 * told only if they were never deployed, or are stopped.
 */
function runningText({ kind, status, isObserved }: PlacedService, serving: Serving | undefined, made: JsonRecord) {
  if (!isServiceKind(kind)) return undefined;
  if (!canServe(kind)) {
    const { state } = status ?? {};
    return typeof state !== 'string' ? notKnown : isDown(state) ? 'nothing' : undefined;
  }
  if (!isObserved || !serving) return notKnown;
  if (serving.is !== 'serving' || serving.ending) return servingText(serving);
  const configured = made['tag'] ?? made['commit'] ?? made['version'];
  return serving.version === configured ? undefined : (serving.version ?? notKnown);
}

/** The number of instances, as it is configured and, where the platform observes it, as it is. */
function instancesOf({ configuration, status }: PlacedService): string | undefined {
  const configured = instancesIn(configuration);
  const { instances: running } = status?.running ?? {};
  if (typeof running !== 'number') return configured;
  return `${running} running${configured === undefined ? '' : ` (configured: ${configured})`}`;
}

/** How often its instances were restarted; nothing for kinds that don't serve, and never restart by themselves. */
function restartsOf({ kind, status, isObserved }: PlacedService): unknown {
  const restarts = isRecord(status?.running) ? status.running['restarts'] : undefined;
  return restarts ?? (canServe(kind) ? (isObserved ? notMeasured : notKnown) : undefined);
}

function rowOf(
  service: PlacedService,
  serving: Serving | undefined,
  { now, members }: { readonly now: number; readonly members: readonly string[] },
): JsonRecord {
  const { id, path, kind, configuration, status } = service;
  const made = madeFrom(service);
  return pruneRecord({
    ...pick(configuration, members),
    path,
    kind,
    state: status?.state ?? (service.isObserved ? undefined : notKnown),
    ...made,
    running: runningText(service, serving, made),
    cpu: configuration['cpu'],
    memory: configuration['memory'],
    storage: storageIn(configuration),
    instances: instancesOf(service),
    restarts: restartsOf(service),
    usage: usageText(status, now) ?? notMeasured,
    id: id || undefined,
  });
}

/** What was measured of a service, as a view draws it; nothing if nothing was. */
const measuredIn = ({ id, path, kind, status }: PlacedService): readonly JsonRecord[] => {
  const usage = usageFigures(status);
  return usage === undefined ? [] : [pruneRecord({ id, path, kind, state: status?.state, usage })];
};

/** A page of rows with its place among all of them. */
const paged = (rows: readonly unknown[], page: number, page_size: number): JsonRecord => ({
  results: rows.slice((page - 1) * page_size, page * page_size),
  pagination: { page, page_size, total_count: rows.length, total_pages: Math.ceil(rows.length / page_size) },
});

interface Wanted extends Within {
  readonly page?: number;
  readonly page_size?: number;
  /** Columns to show in place of the usual ones. */
  readonly fields?: readonly string[];
}

/**
 * The services of an environment, a project or everything, production first, with what was looked at and what could not
 * be read. Columns that are chosen beside the usual ones are members of the configuration.
 * @throws ApiError if the platform fails as a whole
 */
export async function servicesEverywhere(
  { project, environment, page = 1, page_size = maximumPageSize, fields = [] }: Wanted,
  context: ToolContext,
): Promise<JsonRecord> {
  const allowanceFor = (): Allowance => ({ remainingRequests: allowedRequests(context) });
  const { places, allowance } = await environmentsWithin(context, { project, environment }, allowanceFor);
  const members = fields.map(rootOf).filter((member) => !isColumnEverywhere(member));
  const wanted = places.environments.toSorted(productionFirst);
  const environments = await eachWithin(wanted, allowance, (one) => readEnvironment(context, one), {
    cost: requestsEach,
  });
  const services = environments.flatMap(placedIn);
  const serving = await servingWithin(context, services, allowance);
  const read = environments.filter((one) => one.services);
  const unobserved = read.filter(({ statuses }) => !statuses);
  const answer = pruneRecord({
    ...paged(
      services.map((service) => rowOf(service, serving.get(service.id), { now: context.now(), members })),
      page,
      page_size,
    ),
    looked_at: lookedAtText(read.length, project, context),
    disk: notMeasured,
    ...(unobserved.length > 0 && { partly_read: someNames(unobserved.map(({ path }) => path)) }),
    ...lackingPlaces({
      unread: [...places.unread, ...environments.filter((one) => !one.services).map(({ path }) => path)],
      notReached: [...places.notReached, ...wanted.slice(environments.length).map(({ path }) => path)],
    }),
  });
  return withFigures(answer, {
    services: services.slice((page - 1) * page_size, page * page_size).flatMap(measuredIn),
  });
}

/** The members of such an answer besides its rows. */
export const besidesServices = ['looked_at', 'disk', 'partly_read', 'unread', 'not_looked_into'];

/** These members in sentences. */
export const besidesText = (view: JsonRecord): readonly string[] => [
  `Looked at: ${String(view['looked_at'])}.`,
  'cpu is in thousandths of a CPU, memory in MB, storage in GB, each as configured for one instance; what Helm charts and Terraform ask for is not told. Disk, and how full databases are: not measured.',
  'running is empty where what is configured runs, and for jobs and Terraform that were deployed.',
  ...(typeof view['partly_read'] === 'string'
    ? [`States, usage and what runs could not be read of: ${view['partly_read']}.`]
    : []),
  ...lackingText(view),
];
