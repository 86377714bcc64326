import * as z from 'zod';
import { isDocumentedState, operations, reference, type ServiceKind } from '../../src/contract/index.ts';
import {
  deploymentsOf,
  laterFirst,
  overviewOf,
  standingOf,
  stoppedBy,
  type StoppedService,
} from '../../src/analysis/index.ts';
import {
  anyService,
  compact,
  composeTool,
  isRecord,
  recordsIn,
  naming,
  pruneRecord,
  withFigures,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { exactlyOne, readAspect, readsOf, serviceSubject, statusOf, type Subject } from '../shared/any-service.ts';
import { describeStop, diagnosisAnswer, diagnosisFigures, diagnosisView } from '../shared/diagnosis-text.ts';
import { readEnvironmentHistory, gather, readsOfDiagnosis } from '../shared/diagnosis-evidence.ts';
import { observedServices, type ObservedService } from '../shared/observed-services.ts';
import { alertsAbout, readsOfAlerts } from '../shared/firing-alerts.ts';
import { lateLines, lateMembers, lateRuns } from '../shared/late-runs.ts';
import { startStopped } from '../shared/start-stopped.ts';
import { otherServicesIn } from '../shared/other-kinds.ts';

type WithState = { readonly status?: { readonly state?: string | null } | null };

const hasFailed = ({ status }: WithState): boolean =>
  status?.state === 'UNAVAILABLE' || (status?.state?.endsWith('ERROR') ?? false);

const latestFirst = (one: ObservedService, other: ObservedService): number =>
  laterFirst(one.status?.last_deployment_date, other.status?.last_deployment_date);

/** A service that doesn't run because it was stopped. */
interface Stopped extends StoppedService {
  readonly service: ObservedService;
}

/** The stopped services of an environment, most recently deployed first. */
async function stoppedIn(
  context: ToolContext,
  environmentId: string,
  services: readonly ObservedService[],
): Promise<Omit<Suspects, 'failed'>> {
  const candidates = services.filter(({ status }) => status?.state === 'STOPPED');
  const history = candidates.length > 0 ? await readEnvironmentHistory(context, environmentId) : undefined;
  const found = candidates.flatMap((service) => {
    const stopped = stoppedBy(deploymentsOf(service.id, history ?? []));
    return stopped ? [{ ...stopped, service }] : [];
  });
  return {
    stopped: found.toSorted((one, other) => laterFirst(one.before?.startedAt, other.before?.startedAt)),
    unexplained: candidates.filter((one) => !found.some(({ service }) => service === one)),
  };
}

/** The services of an environment that a diagnosis considers. */
interface Suspects {
  /** Services whose last deployment failed, latest first: in a failed state, or else stopped since. */
  readonly failed: readonly ObservedService[];
  readonly stopped: readonly Stopped[];
  /** Stopped services about which the history says nothing more. */
  readonly unexplained: readonly ObservedService[];
}

async function suspectsIn(context: ToolContext, environment: Subject): Promise<Suspects> {
  const services =
    (await observedServices(context, environment.id)) ??
    context.refuseWithout(
      [operations.list_services, operations.get_environment_status],
      'this platform does not show the services of an environment',
      'Name the service.',
    );
  const failed = services.filter(hasFailed).toSorted(latestFirst);
  if (failed.length > 0) return { failed, stopped: [], unexplained: [] };
  const { stopped, unexplained } = await stoppedIn(context, environment.id, services);
  return {
    failed: stopped.filter(({ before }) => before?.end === 'bad').map(({ service }) => service),
    stopped,
    unexplained,
  };
}

const subjectOf = ({ kind, id, name }: ObservedService, environment: Subject): Subject & { kind: ServiceKind } => ({
  kind,
  id,
  name,
  environmentId: environment.id,
  projectId: environment.projectId,
});

const isService = (subject: Subject): subject is Subject & { kind: ServiceKind } => subject.kind !== 'environment';

/** Diagnoses a deployment of a service, by default the latest, as an answer. */
export async function diagnosed(
  context: ToolContext,
  subject: Subject & { kind: ServiceKind },
  deployment?: string,
): Promise<JsonRecord> {
  const evidence = await gather(context, subject, deployment);
  const { diagnose } = await import('../../src/analysis/diagnosis/diagnose.ts');
  const diagnosis = diagnose(evidence);
  return withFigures(
    diagnosisAnswer(subject.path ?? evidence.service.name, evidence, diagnosis),
    diagnosisFigures(subject, diagnosis),
  );
}

/** Whether the platform reports nothing about a service's deployments. */
const isUntold = async (context: ToolContext, subject: Subject & { kind: ServiceKind }): Promise<boolean> =>
  (await readAspect(context, subject, 'deployments')) === undefined &&
  ((await statusOf(context, subject))?.state ?? undefined) === undefined;

/** The proposed calls of a diagnosis. */
export const proposed = (view: JsonRecord): readonly NextCall[] =>
  recordsIn(view['next']).map((call) => call as unknown as NextCall);

const mostStops = 5;

const stopOf = ({ service: { kind, name, id }, stop, before }: Stopped): JsonRecord =>
  pruneRecord({
    kind,
    name,
    id,
    by: stop.triggeredBy,
    at: stop.startedAt,
    before: before && { action: before.action, state: before.state, at: before.startedAt, by: before.triggeredBy },
  });

/**
 * Diagnoses the most recently failed service of an environment, and lists the others; undefined if none failed.
 * Services that were stopped after they failed count, if no others did.
 */
export async function diagnosedIn(
  context: ToolContext,
  environment: Subject,
  deployment?: string,
): Promise<JsonRecord | undefined> {
  const {
    failed: [first, ...others],
  } = await suspectsIn(context, environment);
  if (!first) return undefined;
  const answer = await diagnosed(context, subjectOf(first, environment), deployment);
  return others.length === 0
    ? answer
    : { ...answer, failed_too: others.map(({ kind, name, id, status }) => ({ kind, name, id, state: status?.state })) };
}

const named = (services: readonly { readonly name: string; readonly kind: string }[]): string =>
  services.map(({ name, kind }) => `${name} (${kind})`).join(', ');

/**
 * Determines whether services of an environment failed that can't be diagnosed: the answer says that none failed only
 * if that is known, and if something was deployed.
 */
async function outcomeOf(
  context: ToolContext,
  environment: Subject,
): Promise<{ readonly outcome: string; readonly sentence: string }> {
  const [services = [], others] = await Promise.all([
    observedServices(context, environment.id),
    otherServicesIn(context, environment.id),
  ]);
  const all = overviewOf([...services, ...others]).services;
  if (all.length === 0) return { outcome: 'no_services', sentence: 'There is no service in this environment.' };
  const never = all.filter(({ condition }) => condition === 'never deployed');
  if (never.length === all.length)
    return { outcome: 'never_deployed', sentence: `Nothing in this environment was ever deployed: ${named(never)}.` };
  const isUnclear = (service: WithState): boolean => !hasFailed(service) && !isDocumentedState(service.status?.state);
  const [failed, unclear] = [others.filter(hasFailed), services.filter(isUnclear)];
  const notTold = [...unclear, ...others.filter(isUnclear)];
  const isClear = failed.length + notTold.length === 0;
  const sentences = [
    ...(failed.length > 0 ? [`In a failed state, and of a kind that no tool diagnoses: ${named(failed)}.`] : []),
    ...(notTold.length > 0
      ? [`Not known, because no state that the document has could be read of: ${named(notTold)}.`]
      : []),
    ...(services.length > unclear.length || isClear
      ? [`No ${isClear ? '' : 'other '}service of this environment is in a failed state.`]
      : []),
    ...(never.length > 0 ? [`Never deployed: ${named(never)}.`] : []),
  ];
  return {
    outcome: failed.length > 0 ? 'failed' : unclear.length > 0 ? 'unknown' : 'nothing failed',
    sentence: sentences.join(' '),
  };
}

/**
 * The answer for an environment in which nothing can be diagnosed: failed or unknown services, and stopped ones with
 * their state before.
 */
async function nothingFailed(context: ToolContext, environment: Subject): Promise<JsonRecord> {
  const { stopped, unexplained } = await suspectsIn(context, environment);
  if (unexplained.length > 0)
    context.leftOut(
      `${unexplained.map(({ kind, name }) => `${kind} ${name}`).join(', ')}: stopped; by whom, and how the last deployment before it ended, is not in the history that was read.`,
    );
  const { outcome, sentence } = await outcomeOf(context, environment);
  const rest = stopped.length > 0 ? ' What is stopped did not fail before.' : '';
  return pruneRecord({
    subject: environment.path ?? environment.name ?? environment.id,
    outcome,
    cause: { code: ['failed', 'unknown'].includes(outcome) ? 'unknown' : 'none', sentence: `${sentence}${rest}` },
    stopped_services: stopped.slice(0, mostStops).map(stopOf),
    ...(stopped.length > mostStops && { stopped_in_all: stopped.length }),
    ...(await troubles(context, (await observedServices(context, environment.id)) ?? [], false)),
    next: startStopped(
      [...stopped.map(({ service }) => service), ...unexplained].map(({ kind, id, status }) => ({
        kind,
        id,
        state: 'STOPPED',
        condition: standingOf(status, kind)[0],
      })),
    ),
  });
}

const stopText = (stopped: JsonRecord): string => {
  const { before } = stopped;
  const earlier = isRecord(before)
    ? `; the ${compact(before['action']).toLowerCase()} before${describeStop(before)} ended as ${compact(before['state'])}`
    : '';
  return `${compact(stopped['kind'])} ${compact(stopped['name'])} (id ${compact(stopped['id'])}) was stopped${describeStop(stopped)}${earlier}.`;
};

const stopTexts = ({ stopped_services: stopped, stopped_in_all: all }: JsonRecord): readonly string[] => [
  ...recordsIn(stopped).map(stopText),
  ...(all === undefined ? [] : [`${compact(all)} services are stopped in all.`]),
];

/**
 * What a diagnosis has to add where no deployment failed: runs that were due and are missing, and alerts that fire. That
 * no deployment failed doesn't mean that all is well.
 */
async function troubles(
  context: ToolContext,
  services: readonly ObservedService[],
  isOne: boolean,
): Promise<JsonRecord> {
  const [late, alerts] = await Promise.all([
    lateRuns(context, services),
    alertsAbout(
      context,
      services.map(({ id }) => id),
    ),
  ]);
  const lates = services.flatMap(({ id, name, kind }) => {
    const one = late.get(id);
    return one === undefined ? [] : [{ ...one, text: isOne ? one.text : `${name} (${kind}): ${one.text}` }];
  });
  return { ...lateMembers(lates), ...(alerts.length > 0 && { alerts }) };
}

/** What can't be said of a run that was due, and what can be done. */
const lateCauseLines = ({ late, late_not_told: untold }: JsonRecord): readonly string[] =>
  late === undefined && untold === undefined
    ? []
    : [
        'Why a run did not begin is not known: histories tell what ran, not why something did not. A deployment of the job renews its schedule, and on some platforms runs it once.',
      ];

/** A service as it is observed in its environment or, where that isn't known, by itself. */
async function observed(
  context: ToolContext,
  { kind, id, name, environmentId }: Subject & { kind: ServiceKind },
): Promise<ObservedService> {
  const found =
    environmentId === undefined
      ? undefined
      : (await observedServices(context, environmentId))?.find((one) => one.id === id);
  return found ?? { kind, id, name: name ?? id };
}

export const diagnoseDeployment = composeTool({
  name: 'diagnose_deployment',
  toolset: 'services',
  title: 'Why something fails: find a cause, debug crashes',
  description:
    'Why a deploy, build, container or app failed, broke, crashed, hangs, keeps failing, crashing (loop), ERROR ' +
    'or went down: its root cause (reason): image not pulled, out of memory, health check; changes since its last ' +
    'success, calls for a fix.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    deployment_id: z.string().optional().describe('Default: last failed.'),
  },
  ...exactlyOne('service', 'environment'),
  operations: [
    ...readsOf('deployments', 'logs', 'status'),
    operations.list_environment_deployments,
    operations.list_services,
    operations.get_environment_status,
    operations.get_environment_logs,
  ],
  reads: [...readsOfDiagnosis, ...readsOfAlerts],
  output: z.object({
    subject: z.string(),
    outcome: z.string(),
    cause: z.object({}),
    lines: z.array(z.string()),
    changes: z.array(z.string()),
    next: z.array(z.object({})),
  }),
  answer: async ({ deployment_id }, context) => {
    const subject = serviceSubject(context);
    if (isService(subject)) {
      const answer = await diagnosed(context, subject, deployment_id);
      if (answer['outcome'] === 'never_deployed' && (await isUntold(context, subject))) {
        context.refuse(
          'neither the state of this service nor its history can be read here, so whether it was deployed is not known',
          'Ask whoever runs the platform.',
        );
      }
      const isOver = answer['outcome'] === 'succeeded' || answer['since'] !== undefined;
      if (isOver && deployment_id === undefined)
        return { ...answer, ...(await troubles(context, [await observed(context, subject)], true)) };
      if (deployment_id === undefined || answer['outcome'] !== 'never_deployed') return answer;
      return context.refuse(
        'its history shows no deployment of that id',
        naming`${'list_deployments'} shows which there are; without deployment it is the latest that failed.`,
      );
    }
    return (await diagnosedIn(context, subject, deployment_id)) ?? nothingFailed(context, subject);
  },
  render: {
    ...diagnosisView,
    text: (view) =>
      [
        // First: that the last deployment ended well would read as if all was well.
        ...lateLines(view),
        ...lateCauseLines(view),
        diagnosisView.text(view),
        ...stopTexts(view),
        ...(Array.isArray(view['failed_too']) ? [`Failed too: ${JSON.stringify(view['failed_too'])}`] : []),
      ].join('\n'),
  },
  next: proposed,
});
