import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { planText, type Plan } from '../plan.ts';
import { needsTypedName } from '../risk/risk.ts';

/** What the user is asked before something grave is done. */
export interface Question {
  readonly message: string;
  /** What has to be typed to agree; undefined where saying yes is enough. */
  readonly typed?: string;
}

/** Longest question that a client is given, in characters: people read no more in a form, and some clients cut it. */
export const maximumQuestionLength = 4_000;

/** Whether a client can show the whole of a question. What it can't is asked where everything is shown. */
export const fitsClient = ({ message }: Question): boolean => message.length <= maximumQuestionLength;

/** The question for a plan, whole. */
export function questionFor(plan: Plan): Question {
  const { target, tier, tool } = plan;
  const typed = needsTypedName(tier, target) ? target.path : undefined;
  return { message: `The assistant wants to run ${tool} (${tier}).\n${planText(plan, { whole: true })}`, typed };
}

/** Whether what somebody typed is what had to be typed. */
export const matchesTyped = (typed: string, given: string | null | undefined): boolean => typed !== '' && given?.trim() === typed;

/** Member of the answer in which the user agrees. */
export const answerMember = { typed: 'name', yes: 'approve' } as const;

type Form = ElicitRequestFormParams['requestedSchema'];

/** The form that asks a question: one field, plain enough for every client. */
export const formFor = ({ typed }: Question): Form =>
  typed === undefined
    ? {
        type: 'object',
        properties: { [answerMember.yes]: { type: 'boolean', title: 'Approve', description: 'Carry this out', default: false } },
        required: [answerMember.yes],
      }
    : {
        type: 'object',
        properties: { [answerMember.typed]: { type: 'string', title: `Type ${typed} to approve`, description: 'Anything else does nothing' } },
        required: [answerMember.typed],
      };

/** Whether the content of an accepted form agrees to the question. */
export function isAgreement({ typed }: Question, content: Readonly<Record<string, unknown>>): boolean {
  if (typed === undefined) return content[answerMember.yes] === true;
  const text = content[answerMember.typed];
  return typeof text === 'string' && matchesTyped(typed, text);
}
