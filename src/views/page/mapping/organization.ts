import {
  answerIn,
  countsIn,
  namesIn,
  recordsIn,
  someText,
  textOf,
  textsIn,
  type JsonRecord,
  type ToolResult,
} from './result.ts';

/** An environment of the tree. */
export interface EnvironmentNode {
  readonly path: string;
  readonly name: string;
  readonly mode: string;
  readonly condition: string;
  readonly since?: string;
  readonly by?: string;
  readonly what?: string;
}

/** A project with its environments, worst first. */
export interface ProjectNode {
  readonly name: string;
  /** The condition of its worst environment. */
  readonly condition: string;
  readonly environments: readonly EnvironmentNode[];
}

/** Something that holds for more than one environment. */
export interface OrganizationNotice {
  readonly kind: 'lock' | 'cluster' | 'alert' | 'unwatched' | 'nodes';
  readonly text: string;
}

/** The state of an organization, as it is drawn. */
export interface OrganizationTree {
  readonly title: string;
  readonly counts: readonly (readonly [string, number])[];
  readonly services: readonly (readonly [string, number])[];
  /** In the order of their worst environments. */
  readonly projects: readonly ProjectNode[];
  readonly notices: readonly OrganizationNotice[];
  readonly page: number;
  readonly pages: number;
}

const environmentOf = (row: JsonRecord): EnvironmentNode => {
  const path = textOf(row['environment']);
  return {
    path,
    name: namesIn(path).at(-1) ?? path,
    mode: textOf(row['mode']),
    condition: textOf(row['condition']),
    since: someText(row['since']),
    by: someText(row['by']),
    what: someText(row['what']),
  };
};

const notices = (kind: OrganizationNotice['kind'], value: unknown): readonly OrganizationNotice[] =>
  textsIn(value).map((text) => ({ kind, text }));

/** The tree of an answer of `get_organization_overview`. */
export function organizationTree(result: ToolResult): OrganizationTree {
  const answer = answerIn(result);
  const environments = recordsIn(answer['results']).map(environmentOf);
  const byProject = Map.groupBy(environments, ({ path }) => namesIn(path)[0] ?? '');
  return {
    title: [answer['organization'], answer['within']].flatMap((part) => someText(part) ?? []).join(', '),
    counts: countsIn(answer['counts']),
    services: countsIn(answer['services']),
    projects: [...byProject].map(([name, own]) => ({ name, condition: own[0]!.condition, environments: own })),
    notices: [
      ...notices('lock', answer['locks']),
      ...notices('cluster', answer['unusable_clusters']),
      ...notices('alert', answer['cluster_alerts']),
      ...notices('unwatched', answer['unwatched']),
      ...notices('nodes', answer['nodes']),
    ],
    page: Number(answer['page'] ?? 1),
    pages: Number(answer['pages'] ?? 1),
  };
}

/** A service of an environment. */
export interface ServiceLeaf {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly condition: string;
  readonly state: string;
  readonly facts: readonly (readonly [string, string])[];
}

/** An alert that fires. */
export interface AlertRow {
  readonly name: string;
  readonly severity: string;
  /** The service or the cluster that it is about; absent if it is about the environment. */
  readonly about?: string;
  readonly since?: string;
  readonly told?: string;
}

/** The state of an environment, as it is drawn. */
export interface EnvironmentState {
  readonly path: string;
  readonly counts: readonly (readonly [string, number])[];
  readonly services: readonly ServiceLeaf[];
  readonly alerts: readonly AlertRow[];
  readonly notices: readonly OrganizationNotice[];
}

const shownFacts = ['reason', 'serves', 'usage', 'backup', 'url', 'domains'];

const serviceOf = (row: JsonRecord): ServiceLeaf => ({
  id: textOf(row['id']),
  name: textOf(row['name']),
  kind: textOf(row['kind']),
  condition: textOf(row['condition']),
  state: textOf(row['state']),
  facts: shownFacts.flatMap((name) => (row[name] === undefined ? [] : [[name, textOf(row[name])] as const])),
});

const alertOf = (row: JsonRecord): AlertRow => ({
  name: textOf(row['name']),
  severity: textOf(row['severity']),
  about: someText(row['service']) ?? (someText(row['cluster']) && `cluster ${textOf(row['cluster'])}`),
  since: someText(row['since']),
  told: someText(row['told']),
});

/** The state in an answer of `get_environment_overview`. */
export function environmentState(result: ToolResult): EnvironmentState {
  const answer = answerIn(result);
  return {
    path: textOf(answer['environment']),
    counts: countsIn(answer['counts']),
    services: recordsIn(answer['results']).map(serviceOf),
    alerts: recordsIn(answer['alerts']).map(alertOf),
    notices: [
      ...notices('lock', answer['cluster_lock']),
      ...notices('cluster', answer['unusable_cluster']),
      ...notices('nodes', answer['nodes']),
      ...notices('unwatched', answer['unwatched']),
      ...notices('nodes', answer['outlook']),
    ],
  };
}

/** Whether an answer is about one environment, not about an organization. */
export const isOfEnvironment = (result: ToolResult): boolean => answerIn(result)['environment'] !== undefined;
