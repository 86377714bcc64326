import * as z from 'zod';
import type { DeploymentAction } from '../../src/contract/states.ts';
import { compact, pruneRecord, record, type JsonRecord, type Next, type Renderer, type Sight } from '../../src/mcp/tool.ts';
import { subjectAt, type Subject } from '../service/any-kind.ts';
import { endAnswer, endView } from './end.ts';
import { askedFor, awaitNewEnd, wait } from './waiting.ts';

/** What was asked of a service or environment, and what the platform said to it. */
interface Begun {
  readonly action: DeploymentAction;
  readonly answer: JsonRecord;
  /** Whether the caller wants to know how it ends. */
  readonly wait?: boolean;
}

const facts = ['state', 'status', 'deployment_id', 'created_at', 'triggered_by'];

/** The answer of a tool that began a deployment: that it was accepted or, where the caller waits, how it ended. */
export async function afterwards(sight: Sight, subject: Subject, { action, answer, wait: waits = false }: Begun): Promise<JsonRecord> {
  const asked = askedFor(action, answer);
  const member = { [subject.kind === 'environment' ? 'environment' : 'service']: subject.id };
  if (waits) return { ...(await endAnswer(sight, subject, await awaitNewEnd(sight, subject, asked))), ...member, action };
  return pruneRecord({
    outcome: 'accepted', subject: subject.path ?? subject.name ?? `${subject.kind} ${subject.id}`, ...member, action,
    state: answer['state'], deployment_id: asked.deployment, created_at: answer['created_at'], triggered_by: answer['triggered_by'],
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

function next(view: JsonRecord): readonly Next[] {
  const { service, environment, deployment_id, action } = view;
  const subject = environment === undefined ? { service } : { environment };
  const call = { ...subject, ...(deployment_id !== undefined && { deployment_id }), ...(action !== 'DEPLOY' && { action }) };
  if (isAccepted(view)) return [{ tool: 'wait_for_deployment', arguments: call, why: 'whether it succeeds' }];
  return view['outcome'] === 'running' ? [{ tool: 'wait_for_deployment', arguments: call, why: 'it has not ended yet' }] : endView.next(view);
}

/** How a tool that begins a deployment answers. */
export const begun = { answer: z.object({ outcome: z.string(), subject: z.string(), state: z.string(), deployment_id: z.string() }), render, next };

const plainly = record({ first: ['state', 'id'] });

/** What a tool of one operation takes and answers that begins a deployment of what its first argument points at. */
export const beginning = (action: DeploymentAction, member: string) => ({
  input: wait,
  answerOf: async (args: JsonRecord, sight: Sight, [answer = {}]: readonly JsonRecord[]): Promise<JsonRecord> => {
    if (args['wait'] !== true) return answer;
    const kind = member.replace(/_id$/, '') as Subject['kind'];
    return afterwards(sight, subjectAt(sight, member) ?? { kind, id: String(args[member]) }, { action, answer, wait: true });
  },
  render: {
    ...plainly,
    view: (answer: JsonRecord) => ('outcome' in answer ? render.view(answer) : plainly.view(answer)),
    text: (view: JsonRecord) => ('outcome' in view ? render.text(view) : `Accepted, not done yet.\n${plainly.text(view)}`),
  },
  next: (view: JsonRecord, args: JsonRecord): readonly Next[] => {
    if ('outcome' in view) return next(view);
    const deployment = view['deployment_request_id'];
    const subject = member === 'environment_id' ? { environment: args[member] } : { service: args[member] };
    const call = { ...subject, ...(deployment !== undefined && { deployment_id: deployment }), ...(action !== 'DEPLOY' && { action }) };
    return [{ tool: 'wait_for_deployment', arguments: call, why: 'whether it succeeds' }];
  },
});
