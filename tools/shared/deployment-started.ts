import * as z from 'zod';
import { operations, type DeploymentAction } from '../../src/contract/index.ts';
import { compact, isRecord, pruneRecord, readUses, record, type JsonRecord, type NextCall, type ReadUse, type Renderer, type ToolContext } from '../../src/server/tool/index.ts';
import { subjectAt, subjectsOf, hasStatus, readsOf, type Subject } from './any-service.ts';
import { endAnswer, endView, readsToExplain } from './deployment-end.ts';
import { askedFor, awaitNewEnd, waitForEnd } from './wait-for-end.ts';

/** A deployment that was requested, and the platform's response. */
interface StartedDeployment {
  readonly action: DeploymentAction;
  readonly answer: JsonRecord;
  /** Whether the caller waits for the end. */
  readonly wait?: boolean;
}

const facts = ['state', 'status', 'deployment_id', 'created_at', 'triggered_by', 'followed'];

const statusUnavailable = 'how it goes on can not be read on this platform';

/** The first of these subjects, which are sorted widest first, whose status the platform shows, so that it can be waited for; undefined if there is none. */
async function findFollowable(context: ToolContext, subjects: readonly Subject[]): Promise<Subject | undefined> {
  for (const subject of subjects) if (await hasStatus(context, subject)) return subject;
  return undefined;
}

const asArgument = ({ kind, id }: Subject): JsonRecord => ({ [kind === 'environment' ? 'environment' : 'service']: id });

/** Tells the caller what to wait for instead, if the subject itself can't be waited for. */
const followedInstead = (subject: Subject, followed: Subject | undefined): JsonRecord =>
  followed?.id === subject.id ? {} : { followed: followed ? asArgument(followed) : statusUnavailable };

/** The answer of a tool that started a deployment: that it was accepted or, if the caller waits, how it ended. */
export async function afterwards(context: ToolContext, subject: Subject, { action, answer, wait: waits = false }: StartedDeployment): Promise<JsonRecord> {
  const requested = askedFor(action, answer);
  const followed = await findFollowable(context, [subject, ...subjectsOf(context)]);
  if (waits && followed) return { ...(await endAnswer(context, followed, await awaitNewEnd(context, followed, requested))), ...asArgument(followed), action };
  return pruneRecord({
    outcome: 'accepted', subject: subject.path ?? subject.name ?? `${subject.kind} ${subject.id}`, ...asArgument(subject), action,
    state: answer['state'], deployment_id: requested.deployment, created_at: answer['created_at'], triggered_by: answer['triggered_by'], ...followedInstead(subject, followed),
  });
}

/** What following a started deployment reads, where the caller waits for its end. */
export const readsAfterwards: readonly ReadUse[] = [
  ...readUses('the end of what was started can not be waited for everywhere', ...readsOf('status'), operations.get_environment_status),
  ...readsToExplain,
];

const isAccepted = (view: JsonRecord): boolean => view['outcome'] === 'accepted';

const render: Renderer = {
  view: (answer) => answer,
  text: (view) => {
    if (!isAccepted(view)) return endView.render.text(view);
    const lines = facts.flatMap((name) => (view[name] === undefined ? [] : [`${name}: ${compact(view[name])}`]));
    return [`${String(view['subject'])}: accepted, not ${String(view['action']).toLowerCase() === 'stop' ? 'stopped' : 'done'} yet.`, ...lines].join('\n');
  },
  keep: 'first',
};

/** Proposes the call that waits for the deployment; nothing if it can't be waited for. */
function proposeWait({ followed }: JsonRecord, subject: JsonRecord, more: JsonRecord, why: string): readonly NextCall[] {
  if (typeof followed === 'string') return [];
  return [{ tool: 'wait_for_deployment', arguments: { ...(isRecord(followed) ? followed : subject), ...more }, why }];
}

const deploymentArguments = (deployment: unknown, action: unknown): JsonRecord => ({ ...(deployment !== undefined && { deployment_id: deployment }), ...(action !== 'DEPLOY' && { action }) });

function next(view: JsonRecord): readonly NextCall[] {
  const { service, environment, deployment_id, action } = view;
  const subject = environment === undefined ? { service } : { environment };
  if (isAccepted(view)) return proposeWait(view, subject, deploymentArguments(deployment_id, action), 'whether it succeeds');
  return view['outcome'] === 'running' ? proposeWait(view, subject, deploymentArguments(deployment_id, action), 'it has not ended yet') : endView.next(view);
}

/** Answer schema, renderer and next calls of tools that start a deployment. */
export const startedAnswer = { answer: z.object({ outcome: z.string(), subject: z.string(), state: z.string(), deployment_id: z.string() }), render, next };

const statusRecord = record({ first: ['state', 'id'] });

/** Input, answer, renderer and next calls of a single-operation tool that starts a deployment of the resource in its argument `member`. */
export const startMoment = (action: DeploymentAction, member: string) => ({
  input: waitForEnd,
  reads: readsAfterwards,
  answer: async (args: JsonRecord, context: ToolContext, [answer = {}]: readonly JsonRecord[]): Promise<JsonRecord> => {
    const kind = member.replace(/_id$/, '') as Subject['kind'];
    const subject = subjectAt(context, member) ?? { kind, id: String(args[member]) };
    if (args['wait'] === true) return afterwards(context, subject, { action, answer, wait: true });
    return { ...answer, ...followedInstead(subject, await findFollowable(context, [subject, ...subjectsOf(context)])) };
  },
  render: {
    ...statusRecord,
    view: (answer: JsonRecord) => ('outcome' in answer ? render.view(answer) : statusRecord.view(answer)),
    text: (view: JsonRecord) => ('outcome' in view ? render.text(view) : `Accepted, not done yet.\n${statusRecord.text(view)}`),
  },
  next: (view: JsonRecord, args: JsonRecord): readonly NextCall[] => {
    if ('outcome' in view) return next(view);
    const subject = member === 'environment_id' ? { environment: args[member] } : { service: args[member] };
    return proposeWait(view, subject, deploymentArguments(view['deployment_request_id'], action), 'whether it succeeds');
  },
});
