import * as z from 'zod';
import { isoTime, maximumPageSize, operations, PageNumber, reference } from '../../src/contract/index.ts';
import { alertNames, clip, organizationOverviewOf, type ConditionCounts } from '../../src/analysis/index.ts';
import {
  compact,
  composeTool,
  recordsIn,
  pruneRecord,
  tableText,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { unwatchedLine } from '../shared/firing-alerts.ts';
import { readOrganization, readsOfOrganization } from '../shared/organization-evidence.ts';

// A page stays within 2,000 tokens, as text and as structured content together.
const pageSize = 15;
const mostProjects = 8;
const mostLocks = 8;
const mostClusters = 3;
const longestText = 140;
const longestName = 60;

const countsText = (counts: ConditionCounts): string =>
  Object.entries(counts)
    .map(([condition, count]) => `${count} ${condition}`)
    .join(', ');

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const said = (before: string, value: unknown): string =>
  value === undefined || value === null ? '' : `${before}${compact(value)}`;

const lockText = ({ name, owner_name, reason, locked_at, until }: JsonRecord): string =>
  clip(
    `cluster ${compact(name)}${said(' by ', owner_name)}${said(' since ', isoTime(locked_at) ?? locked_at)}${said(' until ', until)}${said(': ', reason)}`,
    160,
  );

/** As many texts as fit, and how many there are besides. */
const firstOf = (list: readonly string[], most: number, noun: string): readonly string[] =>
  list.length > most ? [...list.slice(0, most), `${list.length - most} more ${noun}`] : list;

/** The part of the organization that an overview is about; undefined if it is about everything. */
function withinText(
  { resolved }: ToolContext,
  { project, environment }: { readonly project?: string; readonly environment?: string },
): string | undefined {
  if (environment !== undefined) return `environment ${resolved['environment']?.path ?? environment}`;
  return project === undefined ? undefined : `project ${resolved['project']?.name ?? project}`;
}

const titleOf = (...parts: readonly unknown[]): string =>
  parts.flatMap((part) => (part === undefined ? [] : [compact(part)])).join(', ');

const withoutHost = (count: number): string =>
  `Which cluster hosts ${count} of the environments is not known: a lock of that cluster, alerts about it and why nothing can run on it are not shown.`;

const asWhole = (count: number): string =>
  `${count} of the environments ${count === 1 ? 'is' : 'are'} judged by the platform's state of the whole: a service that failed before the latest deployment may not show.`;

const troubled: readonly string[] = [
  'failed',
  'unavailable',
  'unusable cluster',
  'alerting',
  'moving',
  'never succeeded',
];

/** Where there is no environment, what leads to one. */
const firstSteps = ({ project, environment }: JsonRecord): readonly NextCall[] => {
  if (environment !== undefined) return [];
  if (project !== undefined)
    return [
      {
        tool: 'create_environment',
        arguments: { project },
        needs: 'its name and mode',
        why: 'none of this project is shown here',
      },
    ];
  return [
    { tool: 'list_projects', arguments: {}, why: 'whether there is one without environments' },
    { tool: 'create_project', arguments: {}, needs: 'its name', why: 'no environment is shown here' },
  ];
};

function next(view: JsonRecord, args: JsonRecord): readonly NextCall[] {
  if (view['total'] === 0) return firstSteps(args);
  const [worst] = recordsIn(view['results']).filter(({ condition }) => troubled.includes(String(condition)));
  const page = Number(view['page']);
  return [
    ...(worst
      ? [
          {
            tool: 'get_environment_overview',
            arguments: { environment: worst['environment'] },
            why: 'each of its services',
          },
        ]
      : []),
    ...(view['more_locks'] === undefined
      ? []
      : [
          {
            tool: 'list_clusters',
            arguments: {
              page_size: maximumPageSize,
              fields: ['name', 'is_locked', 'locked_by', 'lock_reason', 'locked_until'],
            },
            why: 'each lock',
          },
        ]),
    ...(page < Number(view['pages'])
      ? [{ tool: 'get_organization_overview', arguments: { ...args, page: page + 1 }, why: 'the next environments' }]
      : []),
  ];
}

export const getOrganizationOverview = composeTool({
  name: 'get_organization_overview',
  toolset: 'organization',
  title: 'Status report, morning check of everything: big picture',
  description:
    'Health overview, state of everything: organization (company), all projects, environments; anything broken, ' +
    'wrong, problems, issues, errors, failing, red, down, outdated, locked, alerting; worst first.',
  input: {
    project: reference('project').optional(),
    environment: reference('environment').optional(),
    page: PageNumber.default(1),
  },
  // For servers that are restricted to an environment.
  hidden: ['environment'],
  operations: [
    operations.get_organization,
    operations.list_services_of_organization,
    operations.list_environments_of_organization,
    operations.list_environment_overviews,
    operations.get_environment_status,
    operations.list_alert_rules,
  ],
  reads: readsOfOrganization,
  output: z.object({
    organization: z.string(),
    total: z.int(),
    counts: z.object({}),
    services: z.object({}),
    projects: z.array(z.string()),
    results: z.array(z.object({ environment: z.string(), mode: z.string(), condition: z.string(), what: z.string() })),
    locks: z.array(z.string()),
    page: z.int(),
    pages: z.int(),
  }),
  answer: async ({ project, environment, page }, context) => {
    const evidence = await readOrganization(context, { project, environment });
    const { environments, counts, services, projects } = organizationOverviewOf(evidence.environments);
    if (evidence.judgedAsWhole > 0) context.leftOut(asWhole(evidence.judgedAsWhole));
    const within = withinText(context, { project, environment });
    const hostless = evidence.environments.filter(({ clusterId }) => clusterId === undefined).length;
    if (within !== undefined && hostless > 0) context.leftOut(withoutHost(hostless));
    const shown = environments.slice((page - 1) * pageSize, page * pageSize);
    const otherProjects = projects.length - mostProjects;
    return pruneRecord({
      organization: evidence.organization,
      within,
      total: environments.length,
      counts,
      ...(Object.keys(services).length > 0 && { services }),
      ...(projects.length > 1 && {
        projects: [
          ...projects
            .slice(0, mostProjects)
            .map((one) => `${clip(one.project, longestName)}: ${countsText(one.counts)}`),
          ...(otherProjects > 0 ? [`${otherProjects} more projects`] : []),
        ],
      }),
      results: shown.map((row) => pruneRecord({ ...row })),
      ...(evidence.locks.length > 0 && { locks: evidence.locks.slice(0, mostLocks).map(lockText) }),
      ...(evidence.locks.length > mostLocks && { more_locks: evidence.locks.length - mostLocks }),
      ...(evidence.unusable.length > 0 && {
        unusable_clusters: firstOf(
          evidence.unusable.map((text) => clip(text, longestText)),
          mostClusters,
          'clusters',
        ),
      }),
      ...(evidence.clusterAlerts.length > 0 && {
        cluster_alerts: firstOf(
          alertNames(evidence.clusterAlerts, true).map((name) => clip(name, longestText)),
          mostClusters,
          'alerts',
        ),
      }),
      ...(evidence.unwatched !== undefined && { unwatched: evidence.unwatched }),
      ...(evidence.nodes.length > 0 && { nodes: firstOf(evidence.nodes, mostClusters, 'clusters') }),
      page,
      pages: Math.max(1, Math.ceil(environments.length / pageSize)),
    });
  },
  render: {
    view: (answer) => ({ ...answer, results: answer['results'] ?? [] }),
    text: ({
      organization,
      within,
      total,
      counts,
      services,
      projects,
      results,
      locks,
      more_locks: moreLocks,
      unusable_clusters: unusable,
      cluster_alerts: alerts,
      unwatched,
      nodes,
      page,
      pages,
    }) =>
      [
        [
          ...(organization === undefined && within === undefined ? [] : [titleOf(organization, within)]),
          `${String(total)} ${total === 1 ? 'environment' : 'environments'}`,
          ...(counts === undefined ? [] : [countsText(counts as ConditionCounts)]),
        ].join(': '),
        ...(within === undefined ? [] : [`Only ${compact(within)} and the clusters that host it were looked at.`]),
        ...(services === undefined ? [] : [`Services: ${countsText(services as ConditionCounts)}`]),
        ...texts(projects),
        ...texts(locks).map((lock) => `Locked: ${lock}`),
        ...(moreLocks === undefined ? [] : [`Locked: ${compact(moreLocks)} more clusters`]),
        ...texts(unusable).map((text) => `Nothing can be deployed to cluster ${text}`),
        ...texts(alerts).map((text) => `Alert about ${text}`),
        ...unwatchedLine(unwatched),
        ...texts(nodes),
        ...(recordsIn(results).length > 0
          ? [tableText(recordsIn(results), ['environment', 'mode', 'condition', 'since', 'by', 'what'])]
          : []),
        // That all is healthy would read as if somebody had looked.
        ...(Number(total) > 0 ? ['Not looked at: logs, usage.'] : []),
        ...(Number(pages) > 1 ? [`Page ${String(page)} of ${String(pages)}, worst first.`] : []),
      ].join('\n'),
    keep: 'first',
  },
  next,
});
