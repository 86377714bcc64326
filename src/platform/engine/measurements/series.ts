import type { Db } from '../../store/index.ts';
import { servicesWithObservation, shouldRun, shownStateOf } from '../running-facts.ts';
import { type NodeFigures, type ServiceFigures, staleMilliseconds } from './figures.ts';
import {
  nodeLabels,
  nodeMetrics,
  nodeUseMetrics,
  type ServiceFacts,
  serviceMetricLabels,
  serviceMetrics,
} from './metric-definitions.ts';

/** The current value of a metric for one set of labels. */
export interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** An object for which a metric has no value at present, or only a partial one. */
export interface Gap {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Why, as sentences. */
  readonly reasons: readonly string[];
}

/** The current values, and the gaps in them. */
export interface Present {
  readonly series: readonly Series[];
  readonly gaps: readonly Gap[];
}

const labelled = <Name extends string>(
  names: readonly Name[],
  row: Readonly<Record<Name, string>>,
): Record<string, string> => Object.fromEntries(names.map((name) => [name, row[name]]));

/** The known values of metrics. */
const seriesOf = <Facts>(
  metrics: Readonly<Record<string, { readonly valueOf: (facts: Facts) => number | undefined }>>,
  facts: Facts,
  labels: Readonly<Record<string, string>>,
): Series[] =>
  Object.entries(metrics).flatMap(([metric, { valueOf }]) => {
    const value = valueOf(facts);
    return value === undefined ? [] : [{ metric, labels, value }];
  });

/** The gaps of a service that should run. */
const gapsOf = (facts: ServiceFacts, labels: Gap['labels']): Gap[] =>
  facts.isAvailable === undefined
    ? []
    : Object.entries(serviceMetrics).flatMap(([metric, { missingOf }]) => {
        const reasons = missingOf?.(facts) ?? [];
        return reasons.length === 0 ? [] : [{ metric, labels, reasons }];
      });

/** The gaps of clusters' nodes: the usage of instances there that can't be measured. */
const nodeGaps = (services: readonly { readonly facts: ServiceFacts; readonly labels: Gap['labels'] }[]): Gap[] => {
  const byCluster = Map.groupBy(
    services.filter(({ facts: { figures } }) => figures !== undefined && figures.missing.length > 0),
    ({ labels }) => labels['cluster_id']!,
  );
  return [...byCluster].flatMap(([id, all]) => {
    const reasons = all.map(
      ({ facts, labels }) => `Of ${labels['environment']}/${labels['service']}: ${facts.figures!.missing.join(' ')}`,
    );
    return Object.keys(nodeUseMetrics).map((metric) => ({
      metric,
      labels: { cluster_id: id, cluster: all[0]!.labels['cluster']! },
      reasons,
    }));
  });
};

/** Deployed services of observed clusters, with their observations and measured resource usage. */
const servicesOf = (db: Db) =>
  servicesWithObservation(db)
    .innerJoin('project', 'project.id', 'environment.project_id')
    .innerJoin('organization', 'organization.id', 'project.organization_id')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .select([
      'service.id as service_id',
      'service.name as service',
      'environment.id as environment_id',
      'environment.name as environment',
      'project.id as project_id',
      'project.name as project',
      'organization.id as organization_id',
      'organization.name as organization',
      'cluster.id as cluster_id',
      'cluster.name as cluster',
    ])
    .where('service.deployed_record', 'is not', null);

/** The ids of the clusters that were measured recently. @param now milliseconds since the epoch */
export const measuredClusters = async (db: Db, now: number): Promise<ReadonlySet<string>> =>
  new Set(
    (
      await db
        .selectFrom('measured_cluster')
        .select('cluster_id')
        .where('at_ms', '>', now - staleMilliseconds)
        .execute()
    ).map(({ cluster_id: id }) => id),
  );

/**
 * The current values of all metrics of services and nodes on real clusters, without measurements that are too old; and
 * the gaps where values should be.
 * @param now milliseconds since the epoch
 */
export async function readMeasurements(db: Db, now: number): Promise<Present> {
  const services = (await servicesOf(db).execute()).map((row) => {
    const isFresh = row.at_ms !== null && row.at_ms > now - staleMilliseconds;
    const facts: ServiceFacts = {
      ...(isFresh && row.figures !== null && { figures: JSON.parse(row.figures) as ServiceFigures }),
      ...(row.wanted !== null &&
        row.running !== null &&
        row.since_ms === null && { seen: { wanted: row.wanted, running: row.running, restarts: row.restarts ?? 0 } }),
      ...(shouldRun(row) && { isAvailable: shownStateOf(row) !== 'UNAVAILABLE' }),
    };
    return { facts, labels: labelled(serviceMetricLabels, row) };
  });
  const nodes = await db
    .selectFrom('node_measurement')
    .innerJoin('cluster', 'cluster.id', 'node_measurement.cluster_id')
    .select([
      'node_measurement.node_id',
      'node_measurement.figures',
      'cluster.id as cluster_id',
      'cluster.name as cluster',
    ])
    .where('node_measurement.at_ms', '>', now - staleMilliseconds)
    .execute();
  const ofNodes = nodes.flatMap((row) => {
    const figures = JSON.parse(row.figures) as NodeFigures;
    return seriesOf(nodeMetrics, figures, labelled(nodeLabels, { ...row, node: figures.name ?? row.node_id }));
  });
  return {
    series: [...services.flatMap(({ facts, labels }) => seriesOf(serviceMetrics, facts, labels)), ...ofNodes],
    gaps: [...services.flatMap(({ facts, labels }) => gapsOf(facts, labels)), ...nodeGaps(services)],
  };
}
