import { alertNames } from '../../src/analysis/index.ts';
import { isDown, isFiring, joinPath, operations, productionFirst } from '../../src/contract/index.ts';
import {
  isRecord,
  notAgreedTo,
  notKnown,
  organizationOf,
  reading,
  readUses,
  rowsIn,
  stateBefore,
  textAt,
  textOf,
  wholeListIn,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { fewAtOnce } from '../shared/few-at-once.ts';
import { environmentWatched, firingAlert, readsOfAlerts } from '../shared/firing-alerts.ts';
import { someNames, unlessFailing } from '../shared/places.ts';

type Reads = Pick<ToolContext, 'attempt'>;

/** Most environments whose services are read for their instances, production first. */
const mostEnvironments = 5;

/** Most names in a line. */
const mostNamed = 8;

/** An environment on the cluster. */
interface Hosted {
  readonly id: string;
  /** Its name, after that of its project. */
  readonly names: readonly (string | undefined)[];
  readonly mode: string | undefined;
}

/** What is known of what a cluster hosts, from the lists of the organization; undefined where one can't be read. */
interface Hosting {
  readonly environments: readonly Hosted[] | undefined;
  readonly services: readonly JsonRecord[] | undefined;
}

async function hostedOn(clusterId: string, organization_id: string, reads: Reads): Promise<Hosting> {
  const [environments, services]: readonly (JsonRecord | undefined)[] = await Promise.all([
    unlessFailing(reads.attempt(operations.list_environments_of_organization, { organization_id })),
    unlessFailing(reads.attempt(operations.list_services_of_organization, { organization_id })),
  ]);
  const all = environments && rowsIn(environments);
  // One whose cluster isn't told may be on this one.
  const own = all?.every((row) => textOf(row, 'cluster_id') !== undefined)
    ? all.filter((row) => row['cluster_id'] === clusterId)
    : undefined;
  const ids = new Set(own?.map(({ id }) => id));
  return {
    environments: own?.map((row) => ({
      id: String(row['id']),
      names: [textAt(row, 'project.name'), textOf(row, 'name') ?? String(row['id'])],
      mode: textOf(row, 'mode'),
    })),
    services: own && services && rowsIn(services).filter((row) => ids.has(row['environment_id'])),
  };
}

const statusIn = (row: JsonRecord | undefined): JsonRecord => (isRecord(row?.['status']) ? row['status'] : {});

const numberIn = (record: unknown, name: string): number | undefined =>
  isRecord(record) && typeof record[name] === 'number' ? record[name] : undefined;

/** How many instances of a service run at least, as observed or else as configured; undefined if that isn't told. */
function leastInstances(service: JsonRecord, row: JsonRecord | undefined): number | undefined {
  const observed = numberIn(statusIn(row)['running'], 'instances');
  return observed ?? numberIn(service, 'min_running_instances');
}

/** Kinds of which something runs all the time. */
const serving: readonly string[] = ['application', 'container', 'database', 'helm'];

const isServing = (service: JsonRecord): boolean =>
  serving.includes((textOf(service, 'service_type') ?? '').toLowerCase());

/** The services that an upgrade may interrupt, because a single instance of them is moved. */
async function singleLines({ environments, services }: Hosting, reads: Reads): Promise<readonly PlanLine[]> {
  const unknown = notAgreedTo(notKnown('which services on it have a single instance'));
  if (!environments) return [unknown];
  const rowOf = (id: unknown): JsonRecord | undefined => services?.find((row) => row['id'] === id);
  const runs = (service: JsonRecord): boolean => {
    const state = textOf(statusIn(rowOf(service['id'])), 'state');
    return isServing(service) && (state === undefined || !isDown(state));
  };
  const busy = environments
    .filter(({ id }) => services?.some((row) => row['environment_id'] === id && runs(row)) ?? true)
    .toSorted(productionFirst);
  const looked = await fewAtOnce(busy.slice(0, mostEnvironments), async ({ id, names }) => {
    const list: JsonRecord | undefined = await unlessFailing(
      reads.attempt(operations.list_services, { environment_id: id }),
    );
    return (
      list &&
      rowsIn(list)
        .filter(runs)
        .map((service) => ({
          name: joinPath([...names, textOf(service, 'name') ?? String(service['id'])]),
          least: leastInstances(service, rowOf(service['id'])),
        }))
    );
  });
  const found = looked.flatMap((one) => one ?? []);
  const single = found.filter(({ least }) => least !== undefined && least <= 1).map(({ name }) => name);
  const untold = found.filter(({ least }) => least === undefined).map(({ name }) => name);
  const unread = busy.length - looked.filter((one) => one !== undefined).length;
  return [
    ...(single.length > 0
      ? [
          notAgreedTo(
            `May be interrupted while they are moved, because they have a single instance: ${someNames(single, mostNamed)}.`,
          ),
        ]
      : []),
    ...(untold.length > 0
      ? [notAgreedTo(`The platform does not tell how many instances these have: ${someNames(untold, mostNamed)}.`)]
      : []),
    ...(unread > 0
      ? [
          notAgreedTo(
            `Not looked at, whether services have a single instance: ${unread} of ${busy.length} environments.`,
          ),
        ]
      : []),
    ...(single.length + untold.length + unread === 0
      ? [notAgreedTo('No service that runs on it has a single instance.')]
      : []),
  ];
}

/** The alerts that fire on the cluster or on what it hosts. */
async function alertLine(
  clusterId: string,
  { environments = [], services = [] }: Hosting,
  organization_id: string,
  reads: Reads,
): Promise<PlanLine> {
  const list: JsonRecord | undefined = await unlessFailing(
    reads.attempt(operations.list_alert_rules, { organization_id }),
  );
  const rules = wholeListIn(list);
  if (!rules) return stateBefore(notKnown('which alerts fire on it or on what it hosts'));
  const environmentOf = new Map(services.map((row) => [String(row['id']), String(row['environment_id'])]));
  const ids = new Set(environments.map(({ id }) => id));
  const isHere = (rule: JsonRecord): boolean =>
    [rule['cluster_id'], textAt(rule, 'target.target_id')].includes(clusterId) ||
    ids.has(environmentWatched(rule, environmentOf) ?? '');
  const firing = rules.filter((rule) => isFiring(rule['state']) && isHere(rule)).map((rule) => firingAlert(rule));
  return stateBefore(
    firing.length === 0
      ? 'No alert fires on it or on what it hosts.'
      : `Alerts fire on it or on what it hosts: ${someNames(alertNames(firing), mostNamed)}.`,
  );
}

/** What an upgrade of the target cluster may interrupt, and the alerts that fire there now. */
export const upgradeOutlook: Preview = reading(
  [
    ...readUses(
      'the plan does not tell which services have a single instance',
      operations.get_organization,
      operations.list_environments_of_organization,
      operations.list_services_of_organization,
      operations.list_services,
    ),
    ...readsOfAlerts,
  ],
  async (_, { target, reader }) => {
    const organization = await organizationOf(reader);
    if (organization === undefined || target.id === undefined) return [];
    const clusterId = target.id;
    const hosting = await hostedOn(clusterId, organization, reader);
    const [single, alerts] = await Promise.all([
      singleLines(hosting, reader),
      alertLine(clusterId, hosting, organization, reader),
    ]);
    return [...single, alerts];
  },
);
