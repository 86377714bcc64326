import { isProduction, joinPath } from '../contract/index.ts';
import { standingOf, standings, overviewOf, type Standing, type WatchedService } from './overview.ts';

/** The state of an environment as a whole, as the platform reports it. */
export interface WholeStatus {
  readonly state?: string | null;
  readonly deployment_status?: string | null;
}

/** An environment, with the parts that could be read. */
export interface WatchedEnvironment {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly mode?: string;
  readonly clusterId?: string;
  /** Its services with their statuses; absent if they were not read. */
  readonly services?: readonly WatchedService[];
  /** Used in place of the services if these were not read. */
  readonly status?: WholeStatus | null;
  /** Names of the firing alert rules. */
  readonly alerts?: readonly string[];
  readonly isLocked?: boolean;
}

/** Conditions of an environment, most urgent first: those of its services, and its own. */
const environmentConditions = [
  'failed',
  'unavailable',
  'alerting',
  'canceled',
  'moving',
  'unknown',
  'not looked at',
  'out of date',
  'locked',
  'stopped',
  'never deployed',
  'no services',
  'well',
] as const;
export type EnvironmentCondition = (typeof environmentConditions)[number];

/** An environment with its most urgent condition. */
export interface JudgedEnvironment {
  readonly environment: string;
  readonly mode?: string;
  readonly condition: EnvironmentCondition;
  /** All problems, most urgent first; absent if there are none. */
  readonly what?: string;
}

/** Number of environments by their most urgent condition. */
export type ConditionCounts = Readonly<Partial<Record<EnvironmentCondition, number>>>;

export interface OrganizationOverview {
  /** Most urgent first; of the same condition, production first. */
  readonly environments: readonly JudgedEnvironment[];
  readonly counts: ConditionCounts;
  /** Services by condition, of the environments whose services were read. */
  readonly services: Readonly<Partial<Record<Standing, number>>>;
  /** The same counts for each project, the one with the most urgent environment first. */
  readonly projects: readonly { readonly project: string; readonly counts: ConditionCounts }[];
}

/** Maximum number of names listed for one condition. */
const mostNames = 3;

const named = (names: readonly string[]): string =>
  names.slice(0, mostNames).join(', ') + (names.length > mostNames ? ` and ${names.length - mostNames} more` : '');

interface Finding {
  readonly condition: EnvironmentCondition;
  readonly text: string;
}

/** Conditions that need no attention: the text of an environment omits them. */
const quiet: readonly EnvironmentCondition[] = ['well', 'no services'];

const ofServices = (services: readonly WatchedService[]): readonly Finding[] => {
  const { services: judged } = overviewOf(services);
  if (judged.length === 0) return [{ condition: 'no services', text: '' }];
  const by = Map.groupBy(judged, ({ condition }) => condition);
  const present = standings.filter((condition) => by.has(condition));
  return present.map((condition) => {
    const own = by.get(condition)!;
    const isAll = own.length === judged.length && own.length > 1;
    return {
      condition,
      text:
        isAll && condition !== 'failed'
          ? `${condition}: all ${own.length}`
          : `${condition}: ${named(own.map(({ name }) => name))}`,
    };
  });
};

const ofWhole = ({ state, deployment_status: service_deployment_status }: WholeStatus): readonly Finding[] => {
  const [condition, reason] = standingOf({ state, service_deployment_status });
  return [{ condition, text: `${condition}: ${reason}` }];
};

const findingsOf = ({ services, status, alerts = [], isLocked }: WatchedEnvironment): readonly Finding[] => {
  const own = services
    ? ofServices(services)
    : status
      ? ofWhole(status)
      : [{ condition: 'not looked at', text: '' } as const];
  const all: readonly Finding[] = [
    ...own,
    ...(alerts.length > 0 ? [{ condition: 'alerting', text: `alerting: ${named(alerts)}` } as const] : []),
    ...(isLocked ? [{ condition: 'locked', text: 'locked: its cluster is locked' } as const] : []),
  ];
  return all.toSorted(
    (one, other) => environmentConditions.indexOf(one.condition) - environmentConditions.indexOf(other.condition),
  );
};

function judge(environment: WatchedEnvironment): JudgedEnvironment {
  const { project, name, mode } = environment;
  const [first, ...rest] = findingsOf(environment);
  const what = [first, ...rest]
    .filter((finding) => finding !== undefined && !quiet.includes(finding.condition) && finding.text !== '')
    .map((finding) => finding!.text)
    .join('; ');
  return {
    environment: joinPath([project, name]),
    mode,
    condition: first?.condition ?? 'unknown',
    ...(what !== '' && { what }),
  };
}

const countsOf = (environments: readonly JudgedEnvironment[]): ConditionCounts => {
  const by = Map.groupBy(environments, ({ condition }) => condition);
  return Object.fromEntries(
    environmentConditions.flatMap((condition) => (by.has(condition) ? [[condition, by.get(condition)!.length]] : [])),
  );
};

const rank = ({ condition, mode }: JudgedEnvironment): number =>
  environmentConditions.indexOf(condition) * 2 + (isProduction(mode) ? 0 : 1);

/** The overview of an organization, or a part of it: its environments by their problems. */
export function organizationOverviewOf(watched: readonly WatchedEnvironment[]): OrganizationOverview {
  const judged = watched
    .map((environment) => ({ project: environment.project, row: judge(environment) }))
    .toSorted(
      (one, other) => rank(one.row) - rank(other.row) || one.row.environment.localeCompare(other.row.environment),
    );
  const rows = judged.map(({ row }) => row);
  return {
    environments: rows,
    counts: countsOf(rows),
    services: overviewOf(watched.flatMap(({ services = [] }) => services)).counts,
    projects: [...Map.groupBy(judged, ({ project }) => project)].map(([project, own]) => ({
      project,
      counts: countsOf(own.map(({ row }) => row)),
    })),
  };
}
