import * as z from 'zod';
import { operations, serviceKinds, type DeploymentAction } from '../../src/contract/index.ts';
import {
  compact,
  isRecord,
  pruneRecord,
  readUses,
  record,
  statusReads,
  type JsonRecord,
  type NextCall,
  type ReadUse,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import type { RequestedAction } from '../../src/analysis/index.ts';
import { subjectAt, subjectsOf, hasStatus, type Subject } from './any-service.ts';
import { runsOfCronJobs } from './deployed-jobs.ts';
import { endAnswer, endView, readsToExplain } from './deployment-end.ts';
import { commitReplaced, severalVersions, startedFacts } from './started-facts.ts';
import { ifPossible } from './if-possible.ts';
import { deployAgainCalls, readsOfNotSeen, variablesNotSeen } from './variables-not-seen.ts';
import { askedFor, awaitNewEnd, waitForEnd, type WaitResult } from './wait-for-end.ts';
import { awaitGone } from './wait-until-gone.ts';

/** A deployment that was requested, and the platform's response. */
interface StartedDeployment {
  readonly action: DeploymentAction;
  readonly answer: JsonRecord;
  /** Whether the caller waits for the end. */
  readonly wait?: boolean;
  /** The deployed services of the subject, if not all of them. */
  readonly services?: readonly Subject[];
}

const facts = [
  'state',
  'status',
  'deployment_id',
  'created_at',
  'triggered_by',
  'deploys',
  'instances',
  'job',
  'public_addresses',
  'variables_not_seen_by',
  'deployed',
  'followed',
];

const presentVersion = 'its present version: the platform deploys another one only where it is named';

/**
 * Notes if the platform deployed the present version of one service again, because it refuses to deploy without a
 * version.
 */
const deployedAgain = ({ done }: ToolContext): JsonRecord =>
  done.length === 1 && done.some((name) => name.startsWith('redeploy_') && name !== 'redeploy_terraform')
    ? { deployed: presentVersion }
    : {};

const statusUnavailable = 'how it goes on can not be read on this platform';

/**
 * The first of these subjects, which are sorted widest first, whose status the platform shows, so that a wait is
 * possible; undefined if there is none.
 */
async function findFollowable(context: ToolContext, subjects: readonly Subject[]): Promise<Subject | undefined> {
  for (const subject of subjects) if (await hasStatus(context, subject)) return subject;
  return undefined;
}

const asArgument = ({ kind, id }: Subject): JsonRecord => ({
  [kind === 'environment' ? 'environment' : 'service']: id,
});

/** Names the subject to wait for instead, if the subject itself can't be waited for. */
const followedInstead = (subject: Subject, followed: Subject | undefined): JsonRecord =>
  followed?.id === subject.id ? {} : { followed: followed ? asArgument(followed) : statusUnavailable };

/** Outcomes, most severe first. */
const gravestFirst: readonly WaitResult['outcome'][] = [
  'failed',
  'canceled',
  'running',
  'not_seen',
  'superseded',
  'never_deployed',
  'succeeded',
];

/**
 * The end of the deployments of some services of an environment: the most severe outcome, and each one in a word. The
 * states of the environment's other services say nothing about them.
 */
async function endOfSeveral(
  context: ToolContext,
  environment: Subject,
  services: readonly Subject[],
  { requested, begun }: { readonly requested: RequestedAction; readonly begun: JsonRecord },
): Promise<JsonRecord> {
  const ends = await Promise.all(
    services.map(async (service) => {
      const result = await awaitNewEnd(context, service, requested, { begun });
      // Some platforms give each service's part a separate id.
      return {
        service,
        result:
          result.outcome === 'not_seen' && requested.deployment !== undefined
            ? await awaitNewEnd(context, service, { ...requested, deployment: undefined })
            : result,
      };
    }),
  );
  const gravest = ends.toSorted(
    (one, other) => gravestFirst.indexOf(one.result.outcome) - gravestFirst.indexOf(other.result.outcome),
  )[0]!;
  const isWell = gravest.result.outcome === 'succeeded';
  const subject = isWell ? environment : gravest.service;
  // The steps of one service are not those of all.
  const status = isWell ? { ...gravest.result.status, steps: undefined } : gravest.result.status;
  const waited_seconds = Math.max(...ends.map(({ result }) => result.waited_seconds));
  const [ended, versions, jobs] = await Promise.all([
    endAnswer(context, subject, { ...gravest.result, status, waited_seconds }),
    severalVersions(context, environment, isWell),
    ifPossible(context, 'Whether jobs ran now', () =>
      runsOfCronJobs(
        context,
        environment.id,
        ends.flatMap(({ service: { kind, id }, result }) =>
          kind === 'job' && result.outcome === 'succeeded' ? [{ id, steps: result.status.steps }] : [],
        ),
      ),
    ),
  ]);
  return {
    ...ended,
    ...asArgument(subject),
    jobs,
    ended: ends.map(({ service, result }) => `${service.name ?? `${service.kind} ${service.id}`}: ${result.outcome}`),
    ...versions,
  };
}

/** The facts about an accepted deployment, and the services that don't see its variables. */
const factsOfStart = async (context: ToolContext, subject: Subject, answer: JsonRecord): Promise<JsonRecord> => {
  const [known, notSeen] = await Promise.all([
    startedFacts(context, subject),
    variablesNotSeen(context, subject, answer),
  ]);
  return { ...known, ...notSeen };
};

/** The answer of a tool that started a deployment: its acceptance or, if the caller waits, its outcome. */
export async function afterwards(
  context: ToolContext,
  subject: Subject,
  { action, answer, wait: waits = false, services }: StartedDeployment,
): Promise<JsonRecord> {
  const requested = askedFor(action, answer);
  if (waits && services && (await Promise.all(services.map((one) => hasStatus(context, one)))).every(Boolean)) {
    return pruneRecord({ ...(await endOfSeveral(context, subject, services, { requested, begun: answer })), action });
  }
  // A deleted resource may already be gone.
  const followed = action === 'DELETE' ? subject : await findFollowable(context, [subject, ...subjectsOf(context)]);
  const end = (of: Subject): Promise<WaitResult> =>
    action === 'DELETE'
      ? awaitGone(context, of)
      : awaitNewEnd(context, of, requested, { ...(of.id === subject.id && { begun: answer }) });
  if (waits && followed) {
    const result = await end(followed);
    const isDeployment = action === 'DEPLOY';
    const [ended, replaced, versions, notSeen] = await Promise.all([
      endAnswer(context, followed, result),
      isDeployment
        ? ifPossible(context, 'Which version it replaces', () => commitReplaced(context, subject))
        : undefined,
      isDeployment ? severalVersions(context, subject, result.outcome === 'succeeded') : {},
      isDeployment && result.outcome === 'succeeded' ? variablesNotSeen(context, subject, answer) : {},
    ]);
    return pruneRecord({
      ...ended,
      ...asArgument(followed),
      ...deployedAgain(context),
      ...replaced,
      ...versions,
      ...notSeen,
      action,
    });
  }
  return pruneRecord({
    outcome: 'accepted',
    subject: subject.path ?? subject.name ?? `${subject.kind} ${subject.id}`,
    ...asArgument(subject),
    action,
    state: answer['state'],
    deployment_id: requested.deployment,
    created_at: answer['created_at'],
    triggered_by: answer['triggered_by'],
    ...(action === 'DEPLOY' ? await factsOfStart(context, subject, answer) : {}),
    ...deployedAgain(context),
    ...followedInstead(subject, followed),
  });
}

/** The reads after a started deployment, if the caller waits for its end. */
export const readsAfterwards: readonly ReadUse[] = [
  ...serviceKinds.flatMap((kind) =>
    statusReads(kind, `the end of what was started can not be waited for of a service of kind ${kind}`),
  ),
  ...readUses('the end of what was started can not be waited for of an environment', operations.get_environment_status),
  ...readsToExplain,
  ...readsOfNotSeen,
];

const isAccepted = (view: JsonRecord): boolean => view['outcome'] === 'accepted';

const notYet: Readonly<Record<string, string>> = { STOP: 'stopped', DELETE: 'deleted' };

const listed = (value: unknown): string => (Array.isArray(value) ? value.map(compact).join('; ') : compact(value));

const factLines = (view: JsonRecord, names: readonly string[]): readonly string[] =>
  names.flatMap((name) => (view[name] === undefined ? [] : [`${name}: ${listed(view[name])}`]));

const render: Renderer = {
  view: (answer) => answer,
  text: (view) => {
    if (!isAccepted(view))
      return [
        endView.render.text(view),
        ...factLines(view, ['replaces', 'deploys', 'ended', 'variables_not_seen_by', 'deployed']),
      ].join('\n');
    const lines = factLines(view, facts);
    return [
      `${String(view['subject'])}: accepted, not ${notYet[String(view['action'])] ?? 'done'} yet.`,
      ...lines,
    ].join('\n');
  },
  keep: 'first',
};

/** Proposes the call that waits for the deployment; nothing if it can't be waited for. */
function proposeWait(
  { followed }: JsonRecord,
  subject: JsonRecord,
  more: JsonRecord,
  why: string,
): readonly NextCall[] {
  if (typeof followed === 'string') return [];
  return [{ tool: 'wait_for_deployment', arguments: { ...(isRecord(followed) ? followed : subject), ...more }, why }];
}

const deploymentArguments = (deployment: unknown, action: unknown): JsonRecord => ({
  ...(deployment !== undefined && { deployment_id: deployment }),
  ...(action !== 'DEPLOY' && { action }),
});

function next(view: JsonRecord): readonly NextCall[] {
  const { service, environment, deployment_id, action } = view;
  const subject = environment === undefined ? { service } : { environment };
  if (isAccepted(view))
    return proposeWait(view, subject, deploymentArguments(deployment_id, action), 'whether it succeeds').concat(
      deployAgainCalls(view),
    );
  return view['outcome'] === 'running'
    ? proposeWait(view, subject, deploymentArguments(deployment_id, action), 'it has not ended yet')
    : [...endView.next(view), ...deployAgainCalls(view)];
}

/** Answer schema, renderer and next calls of tools that start a deployment. */
export const startedAnswer = {
  answer: z.object({ outcome: z.string(), subject: z.string(), state: z.string(), deployment_id: z.string() }),
  render,
  next,
};

/** Kinds whose response contains their own id by contract. For the others it is the deployment's. */
const answeredByOwnId: readonly Subject['kind'][] = ['environment', 'terraform'];

/** An answer in which a service's id is renamed after its kind, where the contract has the deployment's id. */
const withoutServiceAsId = ({ id, ...answer }: JsonRecord, { kind, id: subject }: Subject): JsonRecord => {
  if (id === undefined || id === null) return answer;
  return id === subject && !answeredByOwnId.includes(kind) ? { [`${kind}_id`]: id, ...answer } : { id, ...answer };
};

const statusRecord = record({ first: ['state', 'id'] });

/**
 * Input, answer, renderer and next calls of a single-operation tool that starts a deployment of the resource in its
 * argument `member`.
 */
export const startMoment = (action: DeploymentAction, member: string) => ({
  input: waitForEnd,
  reads: readsAfterwards,
  answer: async (args: JsonRecord, context: ToolContext, [answer = {}]: readonly JsonRecord[]): Promise<JsonRecord> => {
    const kind = member.replace(/_id$/, '') as Subject['kind'];
    const subject = subjectAt(context, member) ?? { kind, id: String(args[member]) };
    if (args['wait'] === true) return afterwards(context, subject, { action, answer, wait: true });
    return {
      ...withoutServiceAsId(answer, subject),
      ...(action === 'DEPLOY' ? await factsOfStart(context, subject, answer) : {}),
      ...deployedAgain(context),
      ...followedInstead(subject, await findFollowable(context, [subject, ...subjectsOf(context)])),
    };
  },
  render: {
    ...statusRecord,
    view: (answer: JsonRecord) => ('outcome' in answer ? render.view(answer) : statusRecord.view(answer)),
    text: (view: JsonRecord) =>
      'outcome' in view ? render.text(view) : `Accepted, not done yet.\n${statusRecord.text(view)}`,
  },
  next: (view: JsonRecord, args: JsonRecord): readonly NextCall[] => {
    if ('outcome' in view) return next(view);
    const subject = member === 'environment_id' ? { environment: args[member] } : { service: args[member] };
    return proposeWait(
      view,
      subject,
      deploymentArguments(view['deployment_request_id'], action),
      'whether it succeeds',
    ).concat(deployAgainCalls(view));
  },
});
