import { isProduction, joinPath } from '../contract/index.ts';
import { alertNames, sinceTexts, type FiringAlert } from './alerts.ts';
import { condensed, type Statement } from './condensed-text.ts';
import {
  standingOf,
  standings,
  overviewOf,
  type ServiceCondition,
  type Standing,
  type WatchedService,
} from './overview.ts';

/** The state of an environment as a whole, as the platform reports it. */
export interface WholeStatus {
  readonly state?: string | null;
  readonly deployment_status?: string | null;
  readonly last_deployment_date?: string | null;
  readonly triggered_by?: string | null;
}

/** The lock of a cluster: since and until when, and by whom. */
export interface Lock {
  readonly since?: string;
  readonly until?: string;
  readonly by?: string;
}

/** What a platform does to an environment, or refuses there, by itself. */
export interface Outlook {
  /** Whether its timetable stopped it. */
  readonly isStoppedByTimetable?: boolean;
  /** When its timetable starts it again. */
  readonly startsAt?: string;
  /** Until when a deployment window refuses deployments, and its name. */
  readonly refusedUntil?: string;
  readonly refusedBy?: string;
  /** When the platform deletes it. */
  readonly endsAt?: string;
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
  /** The alert rules that fire. */
  readonly alerts?: readonly FiringAlert[];
  /** The lock of its cluster; absent if there is none. */
  readonly lock?: Lock;
  readonly outlook?: Outlook;
  /** Why nothing can run on its cluster, as the end of a sentence; absent if something can. */
  readonly clusterTrouble?: string;
}

/** Conditions of an environment, most urgent first: those of its services, and its own. */
const environmentConditions = [
  'failed',
  'unavailable',
  'unusable cluster',
  'alerting',
  'canceled',
  'overdue',
  'moving',
  'unknown',
  'not looked at',
  'never succeeded',
  'out of date',
  'locked',
  'stopped',
  'never deployed',
  'no services',
  'healthy',
] as const;
export type EnvironmentCondition = (typeof environmentConditions)[number];

/** An environment with its most urgent condition. */
export interface JudgedEnvironment {
  readonly environment: string;
  readonly mode?: string;
  readonly condition: EnvironmentCondition;
  /** Since when this condition holds, and who brought it about, as far as that is known. */
  readonly since?: string;
  readonly by?: string;
  /** All problems, most urgent first, those after the first with their own times; absent if there are none. */
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
  /**
   * The same counts for each project, the worst first: by condition, then by how many have it, those in production
   * first.
   */
  readonly projects: readonly { readonly project: string; readonly counts: ConditionCounts }[];
}

interface Finding extends Statement {
  readonly condition: EnvironmentCondition;
  readonly since?: string;
  readonly by?: string;
  /** Whether the text has the times already. */
  readonly isTimed?: boolean;
}

const earliest = (times: readonly (string | undefined)[]): string | undefined =>
  times.filter((time) => time !== undefined).toSorted((one, other) => Date.parse(one) - Date.parse(other))[0];

/** Since when services have a condition, and by whom: when the first of them that is left was deployed. */
function beginOf(services: readonly Pick<ServiceCondition, 'at' | 'by'>[]): Pick<Finding, 'since' | 'by'> {
  const since = earliest(services.map(({ at }) => at));
  const by = services.find(({ at }) => at === since)?.by;
  return { ...(since !== undefined && { since }), ...(by !== undefined && { by }) };
}

/** Conditions of services that don't begin with their latest deployment: what is overdue is so since its run was due. */
const notSinceDeployed: readonly Standing[] = [
  'overdue',
  'out of date',
  'unavailable',
  'unknown',
  'never succeeded',
  'never deployed',
  'healthy',
];

/** Since when services have this condition, and by whom, as far as that is known. */
const sinceOf = (condition: Standing, own: readonly ServiceCondition[]): Pick<Finding, 'since' | 'by'> => {
  if (condition === 'overdue') return beginOf(own.map(({ due }) => ({ at: due })));
  return notSinceDeployed.includes(condition) ? {} : beginOf(own);
};

const ofServices = (services: readonly WatchedService[]): readonly Finding[] => {
  const { services: judged } = overviewOf(services);
  if (judged.length === 0) return [{ condition: 'no services', text: '' }];
  return standings.flatMap((condition): readonly Finding[] => {
    const own = judged.filter((one) => one.condition === condition || one.besides?.includes(condition));
    if (own.length === 0) return [];
    if (condition === 'healthy') return [{ condition, text: '' }];
    const isAll = own.length === judged.length && own.length > 1;
    return [
      {
        // An environment in which something was deployed is none that was never deployed.
        condition: condition === 'never deployed' && own.length < judged.length ? 'healthy' : condition,
        ...(isAll && condition !== 'failed'
          ? { text: `${condition}: all ${own.length}` }
          : { text: condition, names: own.map(({ name }) => name) }),
        ...sinceOf(condition, own),
      },
    ];
  });
};

const ofWhole = ({
  state,
  deployment_status: service_deployment_status,
  last_deployment_date: at,
  triggered_by: by,
}: WholeStatus): readonly Finding[] => {
  const [condition, reason] = standingOf({ state, service_deployment_status });
  return [
    {
      condition,
      text: condition === 'healthy' ? '' : `${condition}: ${reason}`,
      ...(notSinceDeployed.includes(condition) ? {} : beginOf([{ at: at ?? undefined, by: by ?? undefined }])),
    },
  ];
};

const ofAlerts = (alerts: readonly FiringAlert[]): readonly Finding[] =>
  alerts.length === 0
    ? []
    : [
        {
          condition: 'alerting',
          text: 'alerting',
          names: alertNames(alerts, alerts.length > 1),
          since: earliest(alerts.map(({ since }) => since)),
          isTimed: alerts.length > 1,
        },
      ];

const ofLock = ({ since, until, by }: Lock): Finding => ({
  condition: 'locked',
  text: `locked: its cluster is locked${until === undefined ? '' : ` until ${until}`}`,
  since,
  by,
});

/** Says of a stopped environment that its timetable stopped it, if it did. */
const stoppedBy =
  ({ isStoppedByTimetable, startsAt }: Outlook) =>
  (finding: Finding): Finding =>
    finding.condition === 'stopped' && isStoppedByTimetable === true
      ? {
          ...finding,
          text: finding.text.replace(
            /^stopped/,
            `stopped by its timetable${startsAt === undefined ? '' : ` until ${startsAt}`}`,
          ),
          by: 'its timetable',
        }
      : finding;

const ofWindow = ({ refusedUntil: until, refusedBy: by = 'unnamed' }: Outlook): readonly Finding[] =>
  until === undefined
    ? []
    : [{ condition: 'locked', text: `locked: the deployment window ${by} refuses deployments until ${until}` }];

const ofEnd = ({ endsAt }: Outlook): readonly Finding[] =>
  endsAt === undefined ? [] : [{ condition: 'healthy', text: `it is deleted at ${endsAt}` }];

const findingsOf = ({
  services,
  status,
  alerts = [],
  lock,
  outlook = {},
  clusterTrouble,
}: WatchedEnvironment): readonly Finding[] => {
  const own = services
    ? ofServices(services)
    : status
      ? ofWhole(status)
      : [{ condition: 'not looked at', text: '' } as const];
  const all: readonly Finding[] = [
    ...own.map(stoppedBy(outlook)),
    ...(clusterTrouble === undefined
      ? []
      : [{ condition: 'unusable cluster', text: `unusable cluster: ${clusterTrouble}` } as const]),
    ...ofAlerts(alerts),
    ...(lock ? [ofLock(lock)] : []),
    ...ofWindow(outlook),
    ...ofEnd(outlook),
  ];
  return all.toSorted(
    (one, other) => environmentConditions.indexOf(one.condition) - environmentConditions.indexOf(other.condition),
  );
};

function judge(environment: WatchedEnvironment): JudgedEnvironment {
  const { project, name, mode } = environment;
  const findings = findingsOf(environment);
  const { condition = 'unknown', since, by } = findings[0] ?? {};
  const what = condensed(
    findings.map(({ text, names, since: its, isTimed }, index) => ({
      text,
      names,
      end:
        index === 0 || isTimed
          ? ''
          : sinceTexts(its)
              .map((words) => ` ${words}`)
              .join(''),
    })),
  );
  return {
    environment: joinPath([project, name]),
    mode,
    condition,
    ...(since !== undefined && { since }),
    ...(by !== undefined && { by }),
    ...(what !== '' && { what }),
  };
}

const countsOf = (environments: readonly JudgedEnvironment[]): ConditionCounts => {
  const by = Map.groupBy(environments, ({ condition }) => condition);
  return Object.fromEntries(
    environmentConditions.flatMap((condition) => (by.has(condition) ? [[condition, by.get(condition)!.length]] : [])),
  );
};

/**
 * How bad a project is, for comparison: of each condition from the most urgent on, how many environments in production
 * have it, then how many at all.
 */
const badness = (environments: readonly JudgedEnvironment[]): readonly number[] =>
  environmentConditions.flatMap((condition) => {
    const own = environments.filter((one) => one.condition === condition);
    return [own.filter(({ mode }) => isProduction(mode)).length, own.length];
  });

const compareDescending = (one: readonly number[], other: readonly number[]): number => {
  const index = one.findIndex((count, at) => count !== other[at]);
  return index === -1 ? 0 : other[index]! - one[index]!;
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
    projects: [...Map.groupBy(judged, ({ project }) => project)]
      .map(([project, own]) => ({ project, rows: own.map(({ row }) => row) }))
      .toSorted(
        (one, other) =>
          compareDescending(badness(one.rows), badness(other.rows)) || one.project.localeCompare(other.project),
      )
      .map(({ project, rows: own }) => ({ project, counts: countsOf(own) })),
  };
}
