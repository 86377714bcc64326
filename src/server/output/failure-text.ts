import type { ApiError, ApiErrorKind } from '../../client/index.ts';
import { resolutionProblemText, noSuchId, whereToLook } from '../resolve/index.ts';
import {
  approvalLifetime,
  failureLifetime,
  maximumQuestionLength,
  maximumWaiting,
  silenceLifetime,
  waitingCallUri,
} from '../guard/index.ts';
import type { AskingFailure } from '../context/index.ts';
import type { FailedChange, Failure, InsteadOfClient, Refusal, RefusedBy, RefusedPlan } from '../failure/index.ts';
import { visibleText, type Tool, type ToolText } from '../tool/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { delimited, delimitedInline, type Redactor } from '../redaction/index.ts';
import { otherKindTool } from './other-kind-tool.ts';

/** Maximum number of argument faults in one answer. */
const mostIssues = 20;

const listedIssues = (issues: readonly string[]): readonly string[] =>
  [
    ...issues.slice(0, mostIssues),
    ...(issues.length > mostIssues ? [`and ${issues.length - mostIssues} more`] : []),
  ].map((issue) => `- ${issue}`);

const sentence = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join(' ');

const unknownOutcome = 'Whether the change was made is not known: read the present state before you try again.';

/** Context for the text of a failure. */
interface TextContext {
  readonly tool: Tool;
  readonly redactor: Pick<Redactor, 'text' | 'echo'>;
  /** Names of tools that clients don't see: the text must not mention them. */
  readonly hidden: readonly string[];
  /** The command with which the operator approves calls in a shell. Default: `infra-mcp approve`. */
  readonly approveCommand?: string | undefined;
  /**
   * The caller's arguments, if the platform's texts may contain no other ids: an error can name resources that the
   * policy hides.
   */
  readonly tellsOnly?: JsonRecord;
}

const anyId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** A text with a mark in place of each id that may not be shown. */
function withoutOtherIds(text: string, tellsOnly: TextContext['tellsOnly']): string {
  if (!tellsOnly) return text;
  const given = JSON.stringify(tellsOnly).toLowerCase();
  return text.replaceAll(anyId, (id) => (given.includes(id.toLowerCase()) ? id : '[id not told]'));
}

interface ReasonAndNext {
  readonly what: string;
  readonly next: string;
}

const subject = ({ name, isResource }: Tool): string => (isResource ? `The resource ${name}` : name);

/** For failures before any request to the platform. */
const notCalledText = (tool: Tool): string => `${subject(tool)} was not ${tool.isResource ? 'read' : 'called'}`;

/** For failures after reads only. */
const notCarriedOutText = (tool: Tool): string =>
  `${subject(tool)} was not ${tool.isResource ? 'read' : 'carried out'}`;

/** Next steps that replace those of the client's error, by kind of error. */
const advice: Partial<Record<ApiErrorKind, ToolText>> = {
  unauthorized:
    'Calling again will not help: whoever runs this server has to give it a valid token (INFRA_API_TOKEN or INFRA_API_TOKEN_FILE).',
  forbidden: [...whereToLook, 'If the id is right, a token with more permissions is needed.'],
  not_found: noSuchId,
};

function apiText(error: ApiError, { tool, redactor, hidden, tellsOnly }: TextContext): string {
  const told = (text: string): string => withoutOtherIds(redactor.text(text), tellsOnly);
  const status = error.status === undefined ? '' : ` (${error.status})`;
  const detail = error.detail === undefined ? undefined : `The platform says: ${delimitedInline(told(error.detail))}`;
  const next = visibleText(advice[error.kind] ?? error.next, hidden);
  return sentence(
    `${subject(tool)} ${tool.isResource ? 'could not be read' : 'failed'}: ${told(error.reason)}${status}.`,
    detail,
    error.outcomeUnknown ? unknownOutcome : undefined,
    next,
  );
}

const askAgain = 'Ask the user what they want before calling it again.';

const decideFirst =
  `Tell the user: the operator can approve or refuse what waits with infra-mcp approve, and each call that nobody decides expires after ${approvalLifetime / 60_000} minutes. ` +
  'Call it again after that.';

const minutes = (milliseconds: number): string => `${milliseconds / 60_000} minutes`;

/** The failure of a client that declares it can ask its user. Continues a sentence. */
const clientFailures: Record<AskingFailure, string> = {
  no_such_method:
    'this client declares that it can ask its user (elicitation), and then says that it knows no such request (-32601)',
  client_error:
    'this client declares that it can ask its user (elicitation), and returned an error instead of an answer',
  unusable_answer:
    'this client declares that it can ask its user (elicitation), and what it returned is no answer to the question',
  unanswered: 'no answer to the question came back through this client in time',
};

const noOtherWay = 'Do not look for another way to the same effect.';
const notAgain = 'Do not call it again unless the user asks for it.';
const onceSetUp = 'once whoever runs this server has set that up (infra-mcp approve --set-secret).';
const elsewhere = `Tell the user what you wanted to do. It can be done from a client that supports elicitation, or approved in a terminal ${onceSetUp}`;

const notThroughClient = (why: AskingFailure, asksAgain: string): ReasonAndNext => ({
  what: `somebody has to agree to this first, ${clientFailures[why]}, and no operator is set up to approve it`,
  next: `${elsewhere} ${asksAgain} ${noOtherWay}`,
});

const afterReconnecting = `This client is asked again once it has reconnected; over HTTP without sessions, after ${minutes(failureLifetime)}.`;

const refusals: Record<Refusal, ReasonAndNext> = {
  cannot_ask: {
    what: 'somebody has to agree to this first, this client cannot show its user a question (it does not support elicitation), and no operator is set up to approve it',
    next: `${elsewhere} ${noOtherWay}`,
  },
  no_such_method: notThroughClient('no_such_method', afterReconnecting),
  client_error: notThroughClient('client_error', afterReconnecting),
  unusable_answer: notThroughClient('unusable_answer', afterReconnecting),
  unanswered: notThroughClient(
    'unanswered',
    `If the user was only away and still wants it, call it again after ${minutes(silenceLifetime)}: they are asked again.`,
  ),
  too_long: {
    what: `somebody has to agree to this first, its plan is longer than the ${maximumQuestionLength} characters that a client's question can show whole, and no operator is set up to approve it`,
    next: `Tell the user what you wanted to do. It can be done in several smaller calls, or approved in a terminal ${onceSetUp}`,
  },
  operator_only: {
    what: 'the policy of this server leaves calls like this to its operator alone (operator_only), so the user was not asked here, and no operator is set up to approve it',
    next: `Tell the user what you wanted to do. It can be approved in a terminal or on the page for approvals ${onceSetUp} ${noOtherWay}`,
  },
  declined: { what: 'the user said no', next: notAgain },
  two_person: {
    what: 'the policy of this server wants somebody else to agree to calls like this (two_person), so the user was not asked here, and no operators are set up to approve it',
    next: `Tell the user what you wanted to do. Whoever runs this server names operators in a file (INFRA_APPROVALS_OPERATORS). ${noOtherWay}`,
  },
  operator_refused: { what: 'the operator refused it', next: notAgain },
  nobody_may_agree: {
    what: 'somebody has to agree to this first, and no operator may decide on it, or fewer may than have to agree',
    next: `Tell the user what you wanted to do. Whoever runs this server can widen what operators may decide (INFRA_APPROVALS_OPERATORS), or whom the policy asks (two_person). ${noOtherWay}`,
  },
  too_many_of_caller: {
    what: `somebody has to agree to this first, and ${maximumWaiting.each} calls of yours wait for the operator already: no more may wait at once`,
    next: decideFirst,
  },
  too_many_in_all: {
    what: `somebody has to agree to this first, and ${maximumWaiting.inAll} calls of all callers wait for the operator already: no more may wait at once`,
    next: decideFirst,
  },
  dismissed: { what: 'the user sent the question away without an answer', next: askAgain },
  not_agreed: { what: 'the form came back without agreement: what was to be typed or ticked was not', next: askAgain },
  invalid: {
    what: 'what should show that somebody agreed is too old or does not come from this server',
    next: 'Call it again without it to ask for a new agreement.',
  },
  used: {
    what: 'that agreement was used before, and each counts once',
    next: 'Call it again to ask for a new agreement.',
  },
  other_call: { what: 'the agreement was given to another call', next: 'Call it again to have this one agreed to.' },
  changed: {
    what: 'what it acts on has changed since it was agreed to',
    next: 'Look at the plan again, and call it again to ask for a new agreement.',
  },
  late: { what: 'the call was cancelled before the answer came', next: 'Call it again if it is still wanted.' },
};

/** The same advice, with commands as the operator types them. */
const typedBy = (approveCommand: string | undefined, { what, next }: ReasonAndNext): ReasonAndNext => ({
  what,
  next: approveCommand === undefined ? next : next.replaceAll('infra-mcp approve', () => approveCommand),
});

const refusedByOperator = ({ operator, reason }: RefusedBy, redactor: TextContext['redactor']): ReasonAndNext => ({
  what: `the operator${operator === undefined ? '' : ` ${operator}`} refused it${reason === undefined ? '' : `, with the reason ${delimitedInline(redactor.text(reason))}`}`,
  next: notAgain,
});

const notAgreedText = (tool: Tool, { what, next }: ReasonAndNext, plan: RefusedPlan): string =>
  `${notCarriedOutText(tool)} and nothing has changed: ${what}. ${next}\nIt would do this (${plan.tier}):\n${delimited(plan.text)}`;

const byOperator = (code: string, command: string, isInChat: boolean): string =>
  `Tell the user: ${isInChat ? "it was sent to the team's chat, where operators approve or refuse it; " : ''}whoever runs this server can see all of it and approve it in a terminal with: ${command} (within ${approvalLifetime / 60_000} minutes). ` +
  `Then call it again with the same arguments. ${waitingCallUri(code)} says whether somebody has decided, and can be subscribed to.`;

const byCaller = (token: string): string =>
  `The operator lets callers confirm such a call: make sure that this is what the user wants, then call it again with the same arguments and plan_token ${token}`;

const insteadText: Record<InsteadOfClient, string> = {
  too_long: `; its plan is longer than the ${maximumQuestionLength} characters that a client's question can show whole, so the user was not asked here`,
  operator_only:
    '; the policy of this server leaves calls like this to its operator alone (operator_only), so the user was not asked here',
  two_person:
    '; the policy of this server wants somebody else to agree to calls like this (two_person), so the user was not asked here',
  no_such_method: `; ${clientFailures.no_such_method}`,
  client_error: `; ${clientFailures.client_error}`,
  unusable_answer: `; ${clientFailures.unusable_answer}`,
  unanswered: `; ${clientFailures.unanswered}`,
};

const pending = ({
  code,
  command,
  isInChat,
  planToken,
  instead,
  agreed,
}: Pick<
  Extract<Failure, { kind: 'pending' }>,
  'code' | 'command' | 'isInChat' | 'planToken' | 'instead' | 'agreed'
>): ReasonAndNext => ({
  what:
    code === undefined
      ? 'its plan has to be confirmed first'
      : `it waits for approval under code ${code}${agreed ? ` (${agreed.count} of ${agreed.needed} operators agreed)` : ''}${instead ? insteadText[instead] : ''}`,
  next: sentence(
    code !== undefined && command !== undefined && byOperator(code, command, isInChat === true),
    planToken && byCaller(planToken),
  ),
});

type FailureTexts = {
  readonly [Kind in Failure['kind']]: (failure: Extract<Failure, { kind: Kind }>, context: TextContext) => string;
};

const failureTexts: FailureTexts = {
  bad_arguments: ({ issues }, { tool, redactor }) =>
    [
      `${notCalledText(tool)}, its arguments are wrong:`,
      ...listedIssues(issues.map((issue) => redactor.echo(issue))),
      'Correct them and call again.',
    ].join('\n'),
  bad_address: ({ problem }, { tool, redactor, hidden }) =>
    [
      `${notCalledText(tool)}. ${resolutionProblemText(problem, { redactor, hidden })}`,
      visibleText(otherKindTool(tool, problem) ?? [], hidden),
    ]
      .filter(Boolean)
      .join('\n'),
  denied: ({ denial }, { tool }) => `${notCalledText(tool)}: ${denial.rule} (${denial.setBy}). ${denial.instead}`,
  not_confirmed: ({ why, plan, refusedBy }, { tool, approveCommand, redactor }) =>
    notAgreedText(
      tool,
      refusedBy ? refusedByOperator(refusedBy, redactor) : typedBy(approveCommand, refusals[why]),
      plan,
    ),
  pending: ({ plan, ...approval }, { tool }) => notAgreedText(tool, pending(approval), plan),
  not_recorded: ({ requestId }, { tool }) =>
    `${notCarriedOutText(tool)} and nothing has changed: this server could not write the record it has to make first. Whoever runs it finds the reason in its log under request ${requestId}.`,
  store_unavailable: ({ requestId }, { tool }) =>
    `${notCarriedOutText(tool)} and nothing has changed: this server can't use the database that it shares with other servers, and makes no call that somebody has to agree to without it. What needs no agreement goes on. Try again in a minute; what was agreed to before may have to be agreed to again. Whoever runs it finds the reason in its log under request ${requestId}.`,
  cancelled: (_, { tool }) =>
    `${notCarriedOutText(tool)} and nothing has changed: the call was cancelled. Call again if it is still wanted.`,
  not_connected: ({ requestId }, { tool }) =>
    `${notCalledText(tool)}: this server has no platform to call. Whoever runs it finds the reason in its log under request ${requestId}.`,
  api: ({ error }, context) => apiText(error, context),
  not_possible: ({ what, next, seen }, { tool, redactor, hidden }) =>
    [
      sentence(`${notCarriedOutText(tool)}: ${redactor.echo(what)}.`, redactor.echo(visibleText(next, hidden))),
      seen && delimited(redactor.text(seen)),
    ]
      .filter(Boolean)
      .join('\n'),
  partly: ({ done, failures, of }, context) => {
    const [first, ...others] = failures as readonly [FailedChange, ...FailedChange[]];
    const made = `${done.length} of ${of} changes were made${done.length === 0 ? '' : ` and stay: ${done.join('; ')}`}.`;
    const isRestTried = done.length + failures.length === of;
    if (others.length > 0 || isRestTried) {
      return [
        `${made} ${failures.length} failed${isRestTried ? '' : ', and what follows was not tried'}:`,
        ...failures.map(({ what, error }) => `- ${what}: ${failureText(error, context)}`),
      ].join('\n');
    }
    return [
      done.length === 0
        ? `The first of ${of} changes failed (${first.what}), and none after it was tried.`
        : `${made} The next one failed (${first.what}), and what follows it was not tried.`,
      failureText(first.error, context),
    ].join('\n');
  },
  afterwards: ({ done, error }, context) =>
    [
      `The change was made (${done.join('; ')}); only what was to be told of it could not be found out. Don't make it again.`,
      failureText(error, context),
    ].join('\n'),
  not_as_asked: ({ what, next, seen }, { redactor, hidden }) =>
    [
      sentence(
        `The change was made, but not as asked: ${redactor.echo(what)}. Don't make it again.`,
        redactor.echo(visibleText(next, hidden)),
      ),
      seen && delimited(redactor.text(seen)),
    ]
      .filter(Boolean)
      .join('\n'),
  internal: ({ requestId, begun }, { tool }) =>
    sentence(
      `${subject(tool)} failed inside this server. This is a fault of the server, not of the call; whoever runs it finds more in its log under request ${requestId}.`,
      begun ? unknownOutcome : tool.operation.effect === 'read' ? undefined : 'Nothing has changed.',
    ),
};

/**
 * The text for the model: the failure, its reason, and the next step. Expects a redacted plan; raw error texts are left
 * out.
 */
export const failureText = (failure: Failure, context: TextContext): string =>
  (failureTexts[failure.kind] as (failure: Failure, context: TextContext) => string)(failure, context);
