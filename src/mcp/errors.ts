import { ApiError, type ApiErrorKind } from '../client/errors.ts';
import { parameterKind } from '../contract/operation.ts';
import type { Issue } from './arguments.ts';
import { clean, fence, fenceInline } from './fence.ts';
import { planText, type Plan } from './guard/plan.ts';
import type { Refusal } from './guard/confirmation.ts';
import type { Denial } from './guard/policy.ts';
import type { Redactor } from './redact.ts';
import { sourceOf } from './references.ts';
import type { Tool } from './tool.ts';

/** Every way a call ends badly, as a value. What isn't one of these is a fault of this server. */
export type Failure =
  | { readonly kind: 'bad_arguments'; readonly issues: readonly Issue[] }
  | { readonly kind: 'denied'; readonly denial: Denial }
  | { readonly kind: 'not_confirmed'; readonly why: Refusal; readonly plan: Plan }
  | { readonly kind: 'pending'; readonly code: string; readonly plan: Plan }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not_connected'; readonly requestId: string }
  | { readonly kind: 'api'; readonly error: ApiError }
  | { readonly kind: 'internal'; readonly requestId: string };

/** A failure on its way up; thrown anywhere, put into words in one place. */
export class CallFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** What was thrown, as a failure. */
export function failureOf(error: unknown, requestId: string): Failure {
  if (error instanceof CallFailure) return error.failure;
  return error instanceof ApiError ? { kind: 'api', error } : { kind: 'internal', requestId };
}

const sentence = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' ');

const whereIdsAre = ({ operation }: Tool): string => {
  const tools = operation.params.map((param) => sourceOf(parameterKind(param))).filter((name) => name !== undefined);
  return tools.length > 0 ? `Look the id up with ${[...new Set(tools)].join(', ')}.` : 'Check the id.';
};

const unknownOutcome = 'Whether the change was made is not known: read the present state before you try again.';

/** What the words of a failure are made from. */
interface Circumstances {
  readonly tool: Tool;
  readonly redactor: Redactor;
}

interface Told {
  readonly what: string;
  readonly next: string;
}

/** Where this server knows a better next step than the client does. */
const advice: Partial<Record<ApiErrorKind, (tool: Tool) => string>> = {
  unauthorized: () => 'Calling again will not help: whoever runs this server has to give it a valid token (INFRA_API_TOKEN or INFRA_API_TOKEN_FILE).',
  forbidden: (tool) => `${whereIdsAre(tool)} If the id is right, a token with more permissions is needed.`,
  not_found: whereIdsAre,
};

function apiText(error: ApiError, { tool, redactor }: Circumstances): string {
  const status = error.status === undefined ? '' : ` (${error.status})`;
  const said = error.detail === undefined ? undefined : `The platform says: ${fenceInline(clean(redactor.text(error.detail)))}`;
  const next = advice[error.kind]?.(tool) ?? error.next;
  return sentence(`${tool.name} failed: ${clean(redactor.text(error.reason))}${status}.`, said, error.outcomeUnknown ? unknownOutcome : undefined, next);
}

const refusals: Record<Refusal, Told> = {
  cannot_ask: {
    what: 'a person has to agree to this first, and this client cannot show them a question (it does not support elicitation)',
    next: 'Tell the user what you wanted to do. It can be done from a client that supports elicitation. Do not look for another way to the same effect.',
  },
  declined: { what: 'the user said no', next: 'Do not call it again unless the user asks for it.' },
  dismissed: { what: 'the user sent the question away without an answer', next: 'Ask the user what they want before calling it again.' },
  not_agreed: { what: 'the form came back without agreement: what was to be typed or ticked was not', next: 'Ask the user what they want before calling it again.' },
  invalid: { what: 'the answer came with a seal that is too old or not from this server', next: 'Call it again without it to have the user asked anew.' },
  used: { what: 'that answer was used before, and each counts once', next: 'Call it again to have the user asked anew.' },
  other_call: {
    what: 'the answer was given to another call, or what the call acts on has changed since the user was asked',
    next: 'Call it again to have the user asked about this one.',
  },
  late: { what: 'the call was cancelled before the answer came', next: 'Call it again if it is still wanted.' },
};

const notDone = (tool: Tool, { what, next }: Told, plan: Plan): string =>
  `${tool.name} was not carried out and nothing has changed: ${what}. ${next}\nIt would have done this (${plan.tier}):\n${fence(planText(plan))}`;

const pending = (code: string): Told => ({
  what: `it waits for approval under code ${code}`,
  next: 'Tell the user the code, and call it again with the same arguments once they have approved it.',
});

type Words = { readonly [Kind in Failure['kind']]: (failure: Extract<Failure, { kind: Kind }>, circumstances: Circumstances) => string };

const words: Words = {
  bad_arguments: ({ issues }, { tool, redactor }) =>
    [`${tool.name} was not called, its arguments are wrong:`, ...issues.map((issue) => `- ${clean(redactor.text(issue))}`), 'Correct them and call again.'].join('\n'),
  denied: ({ denial }, { tool }) => `${tool.name} was not called: ${denial.rule} (${denial.setBy}). ${denial.instead}`,
  not_confirmed: ({ why, plan }, { tool }) => notDone(tool, refusals[why], plan),
  pending: ({ code, plan }, { tool }) => notDone(tool, pending(code), plan),
  cancelled: (_, { tool }) => `${tool.name} was not carried out and nothing has changed: the call was cancelled. Call again if it is still wanted.`,
  not_connected: ({ requestId }, { tool }) =>
    `${tool.name} was not called: this server has no platform to call. Whoever runs it finds the reason in its log under request ${requestId}.`,
  api: ({ error }, circumstances) => apiText(error, circumstances),
  internal: ({ requestId }, { tool }) =>
    sentence(
      `${tool.name} failed inside this server. This is a fault of the server, not of the call; whoever runs it finds more in its log under request ${requestId}.`,
      tool.operation.effect === 'read' ? undefined : unknownOutcome,
    ),
};

/** What happened, why, and what to do next, for the model. Expects a protected plan; no raw error text gets through. */
export const failureText = (failure: Failure, circumstances: Circumstances): string =>
  (words[failure.kind] as (failure: Failure, circumstances: Circumstances) => string)(failure, circumstances);
