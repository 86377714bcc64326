import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import {
  anyOf,
  anyService,
  composeTool,
  isPlatformFailure,
  isRecord,
  omit,
  pick,
  pruneRecord,
  readUses,
  withFigures,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { conditionsIn, strandedDataIn, usageFigures, usageOrNot, warningsIn } from '../../src/analysis/index.ts';
import { domainsOf } from '../shared/custom-domains.ts';
import { addressesOf, readsOfAddresses, shownAddresses } from '../shared/public-addresses.ts';
import { readsOfAlerts } from '../shared/firing-alerts.ts';
import { lateLines, lateNames, runFacts } from '../shared/late-runs.ts';
import { nextForDown } from '../shared/next-for-down.ts';
import { differenceLines, readsOfDifference, whatDiffers } from '../shared/what-differs.ts';
import { readsOfServing, versionFacts } from '../shared/serving.ts';
import {
  readAspect,
  readsByKind,
  readsInstead,
  readsOf,
  statusOf,
  serviceSubject,
  type Subject,
} from '../shared/any-service.ts';

const redundantMembers = ['icon_uri', 'id', 'name', 'service_type'];
const statusFacts = [
  'state',
  'service_deployment_status',
  'last_deployment_date',
  'deployment_request_id',
  'status_details',
];

const line = ([name, value]: [string, unknown]): string =>
  `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;

/** The running part of a service, if the platform observes it: number of instances, and warnings. */
const runningFacts = (status: JsonRecord): JsonRecord => {
  const { instances, wanted_instances } = isRecord(status['running']) ? status['running'] : {};
  const warnings = warningsIn(status);
  const conditions = conditionsIn(status);
  return pruneRecord({
    instances,
    wanted_instances,
    warnings: warnings.length > 0 ? warnings : undefined,
    conditions: conditions?.length ? conditions : undefined,
  });
};

/** What no operation tells of the data of a database, so that its absence isn't taken for a no. */
const untold = (kind: string): JsonRecord =>
  kind === 'database' ? { encryption_at_rest: 'not known: no operation tells it; ask who runs the platform' } : {};

const isNumber = (value: unknown): value is number => typeof value === 'number';

/**
 * The status in lines: both counts in one line, and each warning in a separate one. Conditions are the warnings as
 * data.
 */
const statusLines = ({ instances, wanted_instances: wanted, warnings, ...rest }: JsonRecord): readonly string[] => [
  ...Object.entries(omit(rest, ['conditions'])).map(line),
  ...(isNumber(instances) ? [`instances: ${instances}${isNumber(wanted) ? ` of ${wanted}` : ''}`] : []),
  ...(Array.isArray(warnings) ? warnings.map((warning) => `warning: ${String(warning)}`) : []),
];

/**
 * The status; undefined if there is none. If the platform fails to return it, the answer says so and still shows the
 * rest.
 */
const statusIfTold = (context: ToolContext, subject: Subject): Promise<JsonRecord | undefined> =>
  statusOf(context, subject).catch((error: unknown) => {
    if (!isPlatformFailure(error) || error.kind !== 'server_error') throw error;
    context.leftOut(
      `The status of this ${subject.kind} could not be read: the platform fails there${error.status === undefined ? '' : ` (HTTP ${error.status})`}, and its environment does not tell it either.`,
    );
    return undefined;
  });

export const getService = composeTool({
  name: 'get_service',
  toolset: 'services',
  title: 'Show a service: details, settings, configuration, URL',
  description:
    'Show one service (app, API, container, database, job): state, URL (public address, open in browser), how ' +
    'many instances (replicas), how much memory, CPU, usage, live version, image, last deployment, ports, ' +
    'domains, health checks.',
  input: { service: anyService() },
  operations: readsOf('configuration', 'status'),
  equivalentOperations: readsOf('configuration'),
  reads: [
    ...anyOf(...readsByKind('configuration', 'the configuration'), ...readsByKind('status', 'the state')),
    ...readsInstead('status', 'the state'),
    ...readsOfAddresses,
    ...readsOfServing,
    ...readUses(
      'when a cron job runs next, and whether a run is overdue, is not known',
      operations.list_job_deployments,
    ),
    ...readsOfAlerts,
    ...readsOfDifference,
  ],
  output: z.object({
    name: z.string(),
    id: z.string(),
    kind: z.string(),
    path: z.string(),
    status: z.object({
      instances: z.int().optional(),
      wanted_instances: z.int().optional(),
      warnings: z.array(z.string()).optional(),
      conditions: z.array(z.object({ reason: z.string(), message: z.string() })).optional(),
    }),
    usage: z.string().optional(),
    domains: z.array(z.object({ domain: z.string(), entered: z.string() })),
    configuration: z.object({}),
  }),
  answer: async (_, context) => {
    const subject = serviceSubject(context);
    const [configuration, status, addresses, domains] = await Promise.all([
      readAspect(context, subject, 'configuration'),
      statusIfTold(context, subject),
      addressesOf(context, subject),
      domainsOf(context, subject),
    ]);
    const runs = status ? await runFacts(context, { ...subject, configuration, status }) : {};
    const [differs, versions] = await Promise.all([
      whatDiffers(context, subject, { configuration, status }),
      versionFacts(context, { ...subject, configuration, status }),
    ]);
    const answer = pruneRecord({
      name: configuration?.['name'] ?? subject.name,
      id: subject.id,
      kind: subject.kind,
      path: subject.path,
      ...shownAddresses(addresses),
      status: status && { ...pick(status, statusFacts), ...runningFacts(status) },
      ...versions,
      ...differs,
      ...runs,
      usage: status && usageOrNot(status, context.now()),
      ...untold(subject.kind),
      domains: domains?.length ? domains : undefined,
      configuration: configuration && omit(configuration, redundantMembers),
    });
    const measured = {
      ...pick(answer, ['id', 'kind']),
      path: answer['path'] ?? answer['name'],
      state: status?.['state'],
    };
    return withFigures(answer, { services: [pruneRecord({ ...measured, usage: usageFigures(status) })] });
  },
  render: {
    view: (answer) => answer,
    text: ({ status, configuration, changed_since_deployment: changed, ...rest }) => {
      const identity = omit(rest, lateNames);
      const [before, after] = [identity, isRecord(configuration) ? configuration : {}].map((part) =>
        Object.entries(part).map(line),
      );
      const state = isRecord(status) ? statusLines(status) : [];
      return [...before!, ...state, ...differenceLines(changed), ...lateLines(rest), ...after!].join('\n');
    },
    keep: 'first',
  },
  next: ({ kind, id, status }) => {
    const { state, conditions } = isRecord(status) ? status : {};
    if (state !== 'UNAVAILABLE') return [];
    return [
      nextForDown(
        { kind, id, state },
        strandedDataIn({ state, running: { conditions } } as Parameters<typeof strandedDataIn>[0])?.backup !==
          undefined,
      ),
    ];
  },
});
