import { firstPart } from '../../../../contract/index.ts';
import { clean } from '../../../redaction/index.ts';
import { longestListedPlan, planText } from '../../plan-text.ts';
import type { DecisionOutcome } from '../approval-queue.ts';
import { conversationText, exactTime, type Pending } from '../pending-calls.ts';
import { noticeData, noticeName } from '../waiting-webhook.ts';
import { reasonIn } from '../reason.ts';
import type { ChatDecision } from './channel.ts';

/** A longer path isn't typed in a form of a chat, in characters. */
const longestTyped = 1_000;

/** What a message of a chat says of a waiting call. Texts come from everywhere, and are to be shown as they are. */
export interface MessageContent {
  readonly code: string;
  /** The digest of the plan that the message shows. */
  readonly plan: string;
  readonly tool: string;
  /** What changes, on one line. */
  readonly target: string;
  /** Whether it changes production, or may; undefined if it doesn't. */
  readonly warning?: string | undefined;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** The plan, or its beginning. */
  readonly text: string;
  /** How many characters of the plan are left out. */
  readonly leftOut: number;
  /** The address of the call on the approvals page, if there is one. */
  readonly page?: string | undefined;
  /** What can be decided in the message. */
  readonly verdicts: readonly ChatDecision['verdict'][];
  /** What was decided so far, and why: `Refused by ada, in the chat.` Or that nobody can decide any more. */
  readonly outcome?: { readonly text: string; readonly reason?: string | undefined } | undefined;
}

const warnings: Readonly<Record<string, string>> = {
  PRODUCTION: 'PRODUCTION: this call changes production.',
  unknown: 'MAY BE PRODUCTION: the mode of its environment could not be determined.',
};

const places = { chat: 'in the chat', page: 'on the approvals page', terminal: 'in a terminal' } as const;

const outcomeTexts: Readonly<Record<DecisionOutcome['result'], (by: string, where: string) => string>> = {
  approved: (by, where) => `Approved by ${by}, ${where}.`,
  refused: (by, where) => `Refused by ${by}, ${where}.`,
  counted: (by, where) => `${by} agreed, ${where}. More operators have to agree.`,
};

/**
 * What became of a call, as far as the channel knows. `over`: nobody can decide any more. Whether somebody did elsewhere, as in
 * a terminal, isn't known here.
 */
type MessageOutcome = DecisionOutcome | 'over';

const outcomeOf = (outcome: MessageOutcome): MessageContent['outcome'] =>
  outcome === 'over'
    ? { text: 'No longer open: the time to decide is over.' }
    : {
        text: outcomeTexts[outcome.result](outcome.by, places[outcome.how]),
        reason: outcome.reason === undefined ? undefined : clean(outcome.reason),
      };

const verdictsFor = (isApprovable: boolean, outcome: MessageOutcome | undefined): MessageContent['verdicts'] => {
  if (outcome === 'over' || (outcome !== undefined && outcome.result !== 'counted')) return [];
  return isApprovable ? ['approve', 'refuse'] : ['refuse'];
};

/**
 * What a message says of a waiting call: what the approvals page says, with secrets masked in names.
 * @param page address of the approvals page, if it is served.
 */
export function messageContent(pending: Pending, page: string | undefined, outcome?: MessageOutcome): MessageContent {
  const { plan, clientName, typed, deciders, askedAt, expiresAt } = pending;
  const { code, caller, tool, target, risk, mode, url } = noticeData(pending, page);
  const whole = clean(planText(plan, { whole: true }));
  const text = whole.length > longestListedPlan ? firstPart(whole, longestListedPlan) : whole;
  const leftOut = whole.length - text.length;
  const isApprovable = leftOut === 0 && (typed === undefined || clean(typed).length <= longestTyped);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Asked by', caller],
    ['Assistant', clientName === undefined ? undefined : `${noticeName(clientName)}, as it calls itself`],
    ['Conversation', conversationText(pending)],
    ['Risk', risk],
    ['Mode', mode === 'none' ? undefined : mode],
    ['Asked', exactTime(askedAt)],
    ['Expires', exactTime(expiresAt)],
    [
      'Decided by',
      deciders && `${deciders.needed > 1 ? `${deciders.needed} of ` : ''}${deciders.operators.join(', ')}`,
    ],
  ];
  return {
    code,
    plan: plan.digest,
    tool,
    target,
    warning: warnings[mode],
    facts: facts.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
    text,
    leftOut,
    page: url,
    verdicts: verdictsFor(isApprovable, outcome),
    outcome: outcome && outcomeOf(outcome),
  };
}

/** Says where a call is decided that the message can't show in full; undefined if it shows all of it. */
export function elsewhereText({ code, leftOut, verdicts, outcome }: MessageContent): string | undefined {
  if (leftOut > 0)
    return `The plan goes on for ${leftOut} more characters. See all of it on the approvals page to approve it, or in a terminal: infra-mcp approve ${code}`;
  if (outcome === undefined && !verdicts.includes('approve'))
    return `What has to be typed is too long for a form. Approve it on the approvals page, or in a terminal: infra-mcp approve ${code}`;
  return undefined;
}

/** The buttons by what they decide. Both chats call their styles the same. */
export const buttonLooks = {
  approve: { name: 'Approve, for one call', style: 'primary' },
  refuse: { name: 'Refuse', style: 'danger' },
} as const;

/** The field of a form by what is decided, and what it is called. */
export const formFields = {
  approve: { name: 'typed', label: 'What to type', submit: 'Approve', isOptional: false },
  refuse: { name: 'reason', label: 'Why, for whoever asked', submit: 'Refuse', isOptional: true },
} as const;

/** What a person is asked in a form. */
export interface FormQuestion {
  /** At most 24 characters. */
  readonly title: string;
  /** What the call does, on one line. */
  readonly about: string;
  readonly field: (typeof formFields)[ChatDecision['verdict']];
  /** What to repeat, for those who approve what needs it. */
  readonly typed?: string | undefined;
}

/** The question of a form. */
export function formQuestion(pending: Pending, verdict: ChatDecision['verdict']): FormQuestion {
  const { code, tool, target } = noticeData(pending);
  const field = formFields[verdict];
  return {
    title: `${field.submit} ${code}`,
    about: `${tool} on ${target}`,
    field,
    ...(verdict === 'approve' && pending.typed !== undefined && { typed: clean(pending.typed) }),
  };
}

/** What a person wrote into a form, as parts of a decision. */
export function writtenInForm(
  verdict: ChatDecision['verdict'],
  value: unknown,
): Pick<ChatDecision, 'typed' | 'reason'> {
  if (verdict === 'approve') return { typed: typeof value === 'string' ? value.trim() : '' };
  const reason = reasonIn(value);
  return reason === undefined ? {} : { reason };
}
