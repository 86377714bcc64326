import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { type Plan } from '../planned-call.ts';
import { planText } from '../plan-text.ts';
import { needsTypedName } from '../risk/risk.ts';

/** The question for the user before a high-risk call. */
export interface Question {
  readonly message: string;
  /** The text to type to confirm; undefined if saying yes is enough. */
  readonly typed?: string;
}

/** Maximum length of a question for a client, in characters: people read no more in a form, and some clients cut it. */
export const maximumQuestionLength = 4_000;

/** Whether a client can show a question in full. A longer one goes to the operator, who sees all of it. */
export const fitsClient = ({ message }: Question): boolean => message.length <= maximumQuestionLength;

/** The question for a plan, with the plan in full. For several targets, their number is typed in place of a name. */
export function questionFor(plan: Plan): Question {
  const { target, several, tier: risk, tool } = plan;
  const typed = needsTypedName(risk, target) ? (several === undefined ? target.path : String(several)) : undefined;
  return { message: `The assistant wants to run ${tool} (${risk}).\n${planText(plan, { whole: true })}`, typed };
}

/**
 * Whether the user typed the required text. Keyboards may compose accented letters differently from names, with no
 * visible difference.
 */
export const matchesTyped = (typed: string, input: string | null | undefined): boolean =>
  typed !== '' && input?.trim().normalize() === typed.normalize();

/** The form's field with which the user confirms, by kind of question. */
export const answerMember = { typed: 'name', yes: 'approve' } as const;

type Form = ElicitRequestFormParams['requestedSchema'];

/** The form for a question: a single field that every client can show. */
export const formFor = ({ typed }: Question): Form =>
  typed === undefined
    ? {
        type: 'object',
        properties: {
          [answerMember.yes]: { type: 'boolean', title: 'Approve', description: 'Carry this out', default: false },
        },
        required: [answerMember.yes],
      }
    : {
        type: 'object',
        properties: {
          [answerMember.typed]: {
            type: 'string',
            title: `To approve, type exactly: ${typed}`,
            description: 'Anything else does nothing',
          },
        },
        required: [answerMember.typed],
      };

/**
 * The meaning of an accepted form's content. `unusable`: the field has a value that the form doesn't allow, so the
 * client didn't show the form that it got. A field that the user left empty is no confirmation.
 */
export function readAgreement(
  { typed }: Question,
  content: Readonly<Record<string, unknown>>,
): 'agreed' | 'not_agreed' | 'unusable' {
  const value = content[typed === undefined ? answerMember.yes : answerMember.typed] ?? undefined;
  if (value === undefined) return 'not_agreed';
  if (typeof value !== (typed === undefined ? 'boolean' : 'string')) return 'unusable';
  return (typed === undefined ? value === true : matchesTyped(typed, value as string)) ? 'agreed' : 'not_agreed';
}
