import * as z from 'zod';
import type { DeploymentAction } from '../../src/contract/states.ts';
import { compact, isRecord, pruneRecord, record, type JsonRecord, type NextCall, type Renderer, type ToolContext } from '../../src/server/tool/index.ts';
import { subjectAt, subjectsOf, tellsStatus, type Subject } from '../service/any-kind.ts';
import { endAnswer, endView } from './end.ts';
import { askedFor, awaitNewEnd, wait } from './waiting.ts';

/** What was asked of a service or environment, and what the platform said to it. */
interface Begun {
  readonly action: DeploymentAction;
  readonly answer: JsonRecord;
  /** Whether the caller wants to know how it ends. */
  readonly wait?: boolean;
}

const facts = ['state', 'status', 'deployment_id', 'created_at', 'triggered_by', 'followed'];

const notHere = 'how it goes on can not be read on this platform';

/** What can be waited for of all that a call began, the widest first; undefined where the platform tells of none of it how it is. */
async function followable(context: ToolContext, subjects: readonly Subject[]): Promise<Subject | undefined> {
  for (const subject of subjects) if (await tellsStatus(context, subject)) return subject;
  return undefined;
}

const asArgument = ({ kind, id }: Subject): JsonRecord => ({ [kind === 'environment' ? 'environment' : 'service']: id });

/** What is told where what was begun can't be waited for as a whole. */
const detour = (subject: Subject, followed: Subject | undefined): JsonRecord =>
  followed?.id === subject.id ? {} : { followed: followed ? asArgument(followed) : notHere };

/** The answer of a tool that began a deployment: that it was accepted or, where the caller waits, how it ended. */
export async function afterwards(context: ToolContext, subject: Subject, { action, answer, wait: waits = false }: Begun): Promise<JsonRecord> {
  const asked = askedFor(action, answer);
  const followed = await followable(context, [subject, ...subjectsOf(context)]);
  if (waits && followed) return { ...(await endAnswer(context, followed, await awaitNewEnd(context, followed, asked))), ...asArgument(followed), action };
  return pruneRecord({
    outcome: 'accepted', subject: subject.path ?? subject.name ?? `${subject.kind} ${subject.id}`, ...asArgument(subject), action,
    state: answer['state'], deployment_id: asked.deployment, created_at: answer['created_at'], triggered_by: answer['triggered_by'], ...detour(subject, followed),
  });
}

const isAccepted = (view: JsonRecord): boolean => view['outcome'] === 'accepted';

const render: Renderer = {
  view: (answer) => answer,
  text: (view) => {
    if (!isAccepted(view)) return endView.render.text(view);
    const told = facts.flatMap((name) => (view[name] === undefined ? [] : [`${name}: ${compact(view[name])}`]));
    return [`${String(view['subject'])}: accepted, not ${String(view['action']).toLowerCase() === 'stop' ? 'stopped' : 'done'} yet.`, ...told].join('\n');
  },
  keep: 'first',
};

/** The call that waits for what was begun; none where it can't be waited for. */
function waiting({ followed }: JsonRecord, subject: JsonRecord, more: JsonRecord, why: string): readonly NextCall[] {
  if (typeof followed === 'string') return [];
  return [{ tool: 'wait_for_deployment', arguments: { ...(isRecord(followed) ? followed : subject), ...more }, why }];
}

const named = (deployment: unknown, action: unknown): JsonRecord => ({ ...(deployment !== undefined && { deployment_id: deployment }), ...(action !== 'DEPLOY' && { action }) });

function next(view: JsonRecord): readonly NextCall[] {
  const { service, environment, deployment_id, action } = view;
  const subject = environment === undefined ? { service } : { environment };
  if (isAccepted(view)) return waiting(view, subject, named(deployment_id, action), 'whether it succeeds');
  return view['outcome'] === 'running' ? waiting(view, subject, named(deployment_id, action), 'it has not ended yet') : endView.next(view);
}

/** How a tool that begins a deployment answers. */
export const begun = { answer: z.object({ outcome: z.string(), subject: z.string(), state: z.string(), deployment_id: z.string() }), render, next };

const plainly = record({ first: ['state', 'id'] });

/** What a tool of one operation takes and answers that begins a deployment of what its first argument points at. */
export const beginning = (action: DeploymentAction, member: string) => ({
  input: wait,
  answer: async (args: JsonRecord, context: ToolContext, [answer = {}]: readonly JsonRecord[]): Promise<JsonRecord> => {
    const kind = member.replace(/_id$/, '') as Subject['kind'];
    const subject = subjectAt(context, member) ?? { kind, id: String(args[member]) };
    if (args['wait'] === true) return afterwards(context, subject, { action, answer, wait: true });
    return { ...answer, ...detour(subject, await followable(context, [subject, ...subjectsOf(context)])) };
  },
  render: {
    ...plainly,
    view: (answer: JsonRecord) => ('outcome' in answer ? render.view(answer) : plainly.view(answer)),
    text: (view: JsonRecord) => ('outcome' in view ? render.text(view) : `Accepted, not done yet.\n${plainly.text(view)}`),
  },
  next: (view: JsonRecord, args: JsonRecord): readonly NextCall[] => {
    if ('outcome' in view) return next(view);
    const subject = member === 'environment_id' ? { environment: args[member] } : { service: args[member] };
    return waiting(view, subject, named(view['deployment_request_id'], action), 'whether it succeeds');
  },
});
