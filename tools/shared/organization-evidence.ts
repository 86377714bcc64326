import { isoAt, isoTime, operations } from '../../src/contract/index.ts';
import {
  nodesText,
  unusableNamed,
  whyUnusable,
  type FiringAlert,
  type WatchedEnvironment,
} from '../../src/analysis/index.ts';
import {
  isRecord,
  lockEnd,
  lockReads,
  readUses,
  rowsIn,
  textAt,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { clustersOf, readsOfNodes } from './cluster-nodes.ts';
import { locksInForce } from './environment-lock.ts';
import { unlessMissing } from './if-possible.ts';
import { lateRunsByRows, readsOfLateRuns } from './late-runs.ts';
import { placeOf, serviceOf, type Place } from './organization-rows.ts';
import { alertsInPlaces, watchedAlerts } from './firing-alerts.ts';

/** The possible reads of an overview of an organization. Which ones are used depends on the platform and the policy. */
export const readsOfOrganization: readonly ReadUse[] = [
  ...readUses('nothing is found but the environment that is named', operations.get_organization),
  ...readUses(
    'each project is read by itself',
    operations.list_services_of_organization,
    operations.list_environments_of_organization,
  ),
  ...readUses(
    'each environment is read by itself',
    operations.list_environment_overviews,
    operations.list_environment_statuses,
  ),
  ...readUses(
    'environments without services may be missing',
    operations.list_projects,
    operations.list_environments,
    operations.get_environment,
  ),
  ...readUses('services are not judged one by one', operations.get_environment_status, operations.list_services),
  ...readUses('alerts that fire are not shown', operations.list_alert_rules),
  ...lockReads('locked clusters are not shown'),
  ...readsOfLateRuns,
  ...readsOfNodes.filter(({ operation }) => operation === operations.list_clusters),
];

/** Maximum number of environments whose services are read individually although the overall state is known. */
const mostLookedInto = 12;

/** Maximum number of individual requests for projects and environments, if the platform has no wider reads. */
const mostRequests = 40;

const mostAtOnce = 4;

/** The evidence that was read, and what was left out. */
export interface OrganizationEvidence {
  readonly organization?: string;
  readonly environments: readonly WatchedEnvironment[];
  /** Locks of the clusters that host them, or of all clusters, with the clusters' names and when each ends. */
  readonly locks: readonly JsonRecord[];
  /** Clusters on which nothing can run: names, each with the reason. */
  readonly unusable: readonly string[];
  /** The machines of the clusters, if there is something to report. */
  readonly nodes: readonly string[];
  /** The alert rules about clusters that fire. */
  readonly clusterAlerts: readonly FiringAlert[];
  /** The alert rules that watch nothing, as one text. */
  readonly unwatched?: string;
  /** Number of environments for which only the overall state is known. */
  readonly judgedAsWhole: number;
}

/** The scope of an overview: everything, or a project or environment by its id. */
interface Within {
  readonly project?: string;
  readonly environment?: string;
}

/** Remaining requests for individual reads. */
interface Allowance {
  left: number;
}

/**
 * Visits as many items of a list as there are requests left, a few at a time.
 * @returns the results, shorter than the list if requests ran out
 */
async function eachWithin<One, Result>(
  list: readonly One[],
  allowance: Allowance,
  cost: number,
  visit: (one: One) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  while (results.length < list.length && allowance.left >= cost) {
    const batch = list.slice(results.length, results.length + Math.min(mostAtOnce, Math.floor(allowance.left / cost)));
    allowance.left -= batch.length * cost;
    // A few at a time.
    results.push(...(await Promise.all(batch.map(visit))));
  }
  return results;
}

/**
 * The services of an environment from the statuses of all of them; undefined if these can't be read.
 * @param known the services, if a wider list had them.
 */
async function lookInto(context: ToolContext, place: Place, known: readonly JsonRecord[] | undefined): Promise<Place> {
  if (place.id === '') return place;
  const [statuses, list] = await Promise.all([
    context.attempt(operations.get_environment_status, { environment_id: place.id }) as Promise<JsonRecord | undefined>,
    known
      ? { results: known }
      : (context.attempt(operations.list_services, { environment_id: place.id }) as Promise<JsonRecord | undefined>),
  ]);
  if (!statuses) return place;
  const all = Object.values(statuses).flatMap((member) => rowsIn({ results: member }));
  const rows = list ? rowsIn(list) : all;
  return {
    ...place,
    services: rows.map((row) =>
      serviceOf(
        row,
        all.find(({ id }) => id === row['id']),
        statuses['environment'],
      ),
    ),
  };
}

interface Project {
  readonly id: string;
  readonly name: string;
}

/** The environments of a project, with their overall states if the platform lists them. */
async function placesIn(context: ToolContext, { id: project_id, name }: Project): Promise<readonly Place[]> {
  const overviews = await unlessMissing(context, operations.list_environment_overviews, { project_id });
  if (overviews) return rowsIn(overviews).map((row) => placeOf(row, name, project_id));
  const list = await context.attempt(operations.list_environments, { project_id });
  const statuses = list && (await unlessMissing(context, operations.list_environment_statuses, { project_id }));
  const states = new Map(rowsIn(statuses).map((status) => [status['id'], status]));
  return rowsIn(list as JsonRecord | undefined).map((row) => ({
    ...placeOf(row, name, project_id),
    ...(states.has(row['id']) && { status: states.get(row['id'])! }),
  }));
}

/** The projects of rows of services or, without rows, all projects. */
async function projectsOf(
  context: ToolContext,
  organization_id: string,
  services: readonly JsonRecord[] | undefined,
): Promise<readonly Project[]> {
  const rows = services ?? rowsIn(await context.attempt(operations.list_projects, { organization_id }));
  const [id, name] = services ? (['project_id', 'project_name'] as const) : (['id', 'name'] as const);
  return [
    ...new Map(
      rows.flatMap((row) =>
        textAt(row, id) === undefined
          ? []
          : [[textAt(row, id)!, { id: textAt(row, id)!, name: textAt(row, name) ?? textAt(row, id)! }] as const],
      ),
    ).values(),
  ];
}

/** The environments of services whose rows have their statuses, and those without services. */
async function placesWithStates(
  context: ToolContext,
  organization_id: string,
  project: Project | undefined,
  services: readonly JsonRecord[],
): Promise<readonly Place[] | undefined> {
  const list = project
    ? await unlessMissing(context, operations.list_environment_overviews, { project_id: project.id })
    : await unlessMissing(context, operations.list_environments_of_organization, { organization_id });
  if (!list) return undefined;
  const by = Map.groupBy(services, (row) => row['environment_id']);
  const projects = new Map(services.map((row) => [row['project_id'], textAt(row, 'project_name')]));
  return rowsIn(list).map((row): Place => {
    const projectId = textAt(row, 'project.id') ?? project?.id;
    const name = project?.name ?? textAt(row, 'project.name') ?? projects.get(projectId) ?? projectId ?? '';
    const own = by.get(row['id']) ?? [];
    const place = placeOf(row, name, projectId);
    return { ...place, services: own.map((service) => serviceOf(service, service['status'], place.status)) };
  });
}

const notReached = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? ' was' : 's were'} not looked into, to spare requests: give the project or environment to look there.`;

/** Environments that are read one project and, if necessary, one environment at a time. */
async function placesOneByOne(
  context: ToolContext,
  projects: readonly Project[],
  services: readonly JsonRecord[] | undefined,
): Promise<readonly Place[]> {
  const allowance: Allowance = {
    left: Math.min(mostRequests, Math.floor((context.budget()?.remaining ?? Number.POSITIVE_INFINITY) / 2)),
  };
  const places = await eachWithin(projects, allowance, 1, (project) => placesIn(context, project));
  if (places.length < projects.length) context.leftOut(notReached(projects.length - places.length, 'project'));
  const all = places.flat();
  const unjudged = all.filter(({ status }) => status === undefined);
  const wanted = all.length <= mostLookedInto ? all : unjudged;
  const by = services && Map.groupBy(services, (row) => row['environment_id']);
  const looked = await eachWithin(wanted, allowance, services ? 1 : 2, (place) =>
    lookInto(context, place, by && (by.get(place.id) ?? [])),
  );
  if (looked.length < unjudged.length) context.leftOut(notReached(unjudged.length - looked.length, 'environment'));
  const closer = new Map(looked.map((place) => [place.id, place]));
  return all.map((place) => closer.get(place.id) ?? place);
}

async function findPlaces(
  context: ToolContext,
  organization_id: string | undefined,
  { project, environment }: Within,
): Promise<{ readonly places: readonly Place[]; readonly services: readonly JsonRecord[] }> {
  if (environment !== undefined) {
    const row = await context.attempt(operations.get_environment, { environment_id: environment });
    const { name, project: parent } = context.resolved['environment'] ?? {};
    const place = placeOf({ id: environment, name: name ?? environment, ...row }, parent?.name ?? '', parent?.id);
    return { places: [await lookInto(context, place, undefined)], services: [] };
  }
  const named = project === undefined ? undefined : { id: project, name: context.resolved['project']?.name ?? project };
  const wide =
    organization_id === undefined
      ? undefined
      : await unlessMissing(context, operations.list_services_of_organization, {
          organization_id,
          ...(project !== undefined && { project_id: project }),
        });
  const services = wide && rowsIn(wide).filter((row) => project === undefined || row['project_id'] === project);
  if (organization_id !== undefined && services && services.every(({ status }) => isRecord(status))) {
    const places = await placesWithStates(context, organization_id, named, services);
    if (places) return { places, services };
  }
  if (!named && organization_id === undefined)
    return context.refuseWithout(
      [operations.get_organization],
      'the platform does not say the id of the organization, and everything is listed by it',
      'Name what to look at: a project or an environment.',
    );
  const projects = named ? [named] : await projectsOf(context, organization_id!, services);
  if (!named && services) context.leftOut('Projects without any service are not shown.');
  return { places: await placesOneByOne(context, projects, services), services: services ?? [] };
}

const isKnown = ({ services, status }: Place): boolean =>
  services !== undefined || (status !== undefined && status !== null);

/** A lock as the analysis takes it. */
function lockOf(lock: JsonRecord | null | undefined): WatchedEnvironment['lock'] {
  if (!lock) return undefined;
  const end = lockEnd(lock);
  return {
    since: isoTime(lock['locked_at']),
    until: Number.isFinite(end) ? isoAt(end) : undefined,
    by: textAt(lock, 'owner_name'),
  };
}

/**
 * Starts to read what an overview of everything needs later. Failures are those of the read that needs the answer.
 */
function readAhead(context: ToolContext, organization_id: string): void {
  const later = [
    operations.list_environments_of_organization,
    operations.list_clusters,
    operations.list_cluster_locks,
  ] as const;
  for (const operation of later) context.read(operation, { organization_id }).catch(() => undefined);
}

/**
 * Reads the state of the environments of an organization, or of a part of it, in as few requests as the platform
 * allows.
 */
export async function readOrganization(context: ToolContext, within: Within): Promise<OrganizationEvidence> {
  const organization = await context.attempt(operations.get_organization, {});
  const isWhole = within.project === undefined && within.environment === undefined;
  if (isWhole && organization?.id) readAhead(context, organization.id);
  const [{ places, services }, alerts] = await Promise.all([
    findPlaces(context, organization?.id ?? undefined, within),
    watchedAlerts(context),
  ]);
  const lateJobs = lateRunsByRows(
    context,
    places.flatMap(({ services: own = [] }) => own),
  );
  // Awaited below, unless something fails before.
  lateJobs.catch(() => undefined);
  const hosting = new Set(places.flatMap(({ clusterId }) => clusterId ?? []));
  const isCovered = (row: JsonRecord): boolean => isWhole || hosting.has(textAt(row, 'id') ?? '');
  const rows = isWhole || hosting.size > 0 ? (await clustersOf(context)).filter(isCovered) : [];
  const clusters = [...new Set([...hosting, ...rows.flatMap((row) => textAt(row, 'id') ?? [])])];
  const locks =
    organization?.id && clusters.length > 0
      ? await locksInForce(organization.id, clusters, context)
      : new Map<string, JsonRecord | null>();
  const untold = clusters.filter((cluster) => !locks.has(cluster)).length;
  if (untold > 0)
    context.leftOut(
      `Whether ${untold} of the ${clusters.length} clusters ${clusters.length === 1 ? 'is' : 'are'} locked could not be read.`,
    );
  const clusterNames = new Map([
    ...places.map(({ clusterId, clusterName }) => [clusterId, clusterName] as const),
    ...rows.map((row) => [textAt(row, 'id'), textAt(row, 'name')] as const),
  ]);
  const troubles = new Map(rows.map((row) => [textAt(row, 'id'), whyUnusable(row)]));
  const environmentOf = new Map(services.map((row) => [String(row['id']), String(row['environment_id'])]));
  const placed = alertsInPlaces(alerts, {
    known: new Set(places.filter(isKnown).map(({ id }) => id)),
    environmentOf,
    clusterNames,
    hosting,
    isWhole,
  });
  const late = await lateJobs;
  return {
    organization: typeof organization?.name === 'string' ? organization.name : undefined,
    environments: places.map((place) => ({
      ...place,
      services: place.services?.map((service) => ({ ...service, late: late.get(service.id) })),
      lock: lockOf(locks.get(place.clusterId ?? '')),
      clusterTrouble: troubles.get(place.clusterId),
      alerts: placed.ofEnvironment(place.id),
    })),
    locks: [...locks].flatMap(([cluster, lock]) =>
      lock === null ? [] : [{ ...lock, until: lockOf(lock)?.until, name: clusterNames.get(cluster) ?? cluster }],
    ),
    unusable: rows.flatMap(unusableNamed),
    nodes: rows.flatMap((row) => nodesText(row) ?? []),
    clusterAlerts: placed.ofClusters,
    unwatched: placed.unwatched,
    judgedAsWhole: places.filter((place) => place.services === undefined && isKnown(place)).length,
  };
}
