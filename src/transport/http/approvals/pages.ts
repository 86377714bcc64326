import { recordedTargetText, type RecordedCall } from '../../../server/audit/index.ts';
import { clean } from '../../../server/redaction/index.ts';
import { planText, type Pending } from '../../../server/guard/index.ts';
import { html, emptyHtml, type Html } from './html.ts';
import type { OperatorSession } from './operator-sessions.ts';

/** Paths of the page and its stylesheet. */
export const approvalsPath = '/approvals';
export const stylePath = '/approvals/style.css';

export const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
article { border: 1px solid #bbb; border-radius: 6px; padding: 1rem; margin: 1rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4; padding: .75rem; border-radius: 4px; }
input, button { font: inherit; padding: .4rem .6rem; }
label { display: block; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; border-bottom: 1px solid #ddd; padding: .25rem .5rem; vertical-align: top; }
.said { background: #fff6d6; padding: .5rem .75rem; border-radius: 4px; }
`;

const page = (title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} - infra-mcp</title><link rel="stylesheet" href="${stylePath}"></head>
<body><h1>${title}</h1>${body}</body>
</html>
`;

const messageBanner = (words: string | undefined): Html => (words === undefined ? emptyHtml : html`<p class="said" role="status">${words}</p>`);

/** Asks for the operator's secret. @param code the call to show after the login, if one was requested. */
export const loginPage = (words: string | undefined, code = ''): Html =>
  page('Approvals', html`${messageBanner(words)}<form method="post" action="${approvalsPath}"><input type="hidden" name="code" value="${code}">
<label>Operator secret <input type="password" name="secret" autocomplete="current-password" required autofocus></label>
<button name="do" value="enter">Enter</button></form>`);

/** Shown while no operator secret is set: nobody can log in. */
export const closedPage = (): Html => page('Approvals', html`<p>No operator secret is set. Set one on the server: <code>infra-mcp approve --set-secret</code></p>`);

const time = (at: number): string => new Date(at).toISOString();

const token = ({ formToken }: OperatorSession): Html => html`<input type="hidden" name="form_token" value="${formToken}">`;

const typedNameInput = (typed: string | undefined): Html =>
  typed === undefined ? emptyHtml : html`<label>To approve it, type <strong>${clean(typed)}</strong> <input name="typed" autocomplete="off" spellcheck="false"></label>`;

/** Maximum length of a plan in a list, in characters. A longer plan can only be approved on its own page. */
const maxPlanLength = 4_000;

const waitingCall = ({ code, principal, plan, typed, askedAt, expiresAt }: Pending, operator: OperatorSession, showsWholePlan: boolean): Html => {
  const text = clean(planText(plan, { whole: true }));
  const isTruncated = !showsWholePlan && text.length > maxPlanLength;
  return html`<article>
<h2>${code}</h2>
<p>${clean(principal)} wants to run <code>${plan.tool}</code> (${plan.tier}), asked ${time(askedAt)}, counts until ${time(expiresAt)}</p>
<pre>${isTruncated ? text.slice(0, maxPlanLength) : text}</pre>
${isTruncated ? html`<p>It goes on for ${text.length - maxPlanLength} more characters: <a href="${approvalsPath}?code=${code}">see all of it to approve it</a>.</p>` : emptyHtml}
<form method="post" action="${approvalsPath}">${token(operator)}<input type="hidden" name="code" value="${code}">${isTruncated ? emptyHtml : html`${typedNameInput(typed)}
<button name="do" value="approve">Approve, for one call</button> `}<button name="do" value="refuse">Refuse</button></form>
</article>`;
};

/** Number of calls on one page. */
export const callsOnPage = 20;

const searchForm = html`<form method="get" action="${approvalsPath}"><label>Code <input name="code" autocomplete="off" spellcheck="false"></label> <button>Find</button></form>`;

const pageUrl = (pageNumber: number, newestFirst: boolean): string => `${approvalsPath}?order=${newestFirst ? 'newest' : 'oldest'}&page=${pageNumber}`;

/** The position in the list, with links to the other pages and the other order. */
function pagination({ total, pageNumber, newestFirst }: PendingCallsPage): Html {
  const pages = Math.ceil(total / callsOnPage);
  const order = html`<a href="${pageUrl(1, !newestFirst)}">${newestFirst ? 'Oldest' : 'Newest'} first</a>`;
  const to = (other: number, words: string): Html => (other < 1 || other > pages ? emptyHtml : html` <a href="${pageUrl(other, newestFirst)}">${words}</a>`);
  return html`<p>${total} ${total === 1 ? 'call waits' : 'calls wait'}, ${newestFirst ? 'newest' : 'oldest'} first; page ${pageNumber} of ${pages}. ${order}${to(pageNumber - 1, 'Previous')}${to(pageNumber + 1, 'Next')}</p>`;
}

const pendingList = (listing: PendingCallsPage, operator: OperatorSession): Html =>
  listing.total === 0 ? html`<p>Nothing waits for approval.</p>` : html`${searchForm}${pagination(listing)}${listing.waiting.map((pending) => waitingCall(pending, operator, false))}${pagination(listing)}`;

const singleCall = ({ code, pending }: SinglePendingCall, operator: OperatorSession): Html =>
  html`<p><a href="${approvalsPath}">All that waits</a></p>${pending ? waitingCall(pending, operator, true) : html`<p>Nothing waits under ${code}: it expired, was decided already, or never was.</p>${searchForm}`}`;

const recordRow = (call: RecordedCall): Html => {
  const { at, who, tool, tier, confirmed, outcome, why } = call;
  const cells = [at, who, tool, recordedTargetText(call), tier ?? '', confirmed ?? '', outcome ?? 'not recorded', why ?? ''];
  return html`<tr>${cells.map((cell) => html`<td>${clean(cell)}</td>`)}</tr>`;
};

const recordTable = (calls: readonly RecordedCall[] | undefined): Html => {
  if (!calls) return html`<p>Records go to a command, and can't be read here.</p>`;
  if (calls.length === 0) return html`<p>Nothing is recorded yet.</p>`;
  const heading = ['time', 'who', 'tool', 'target', 'tier', 'confirmed', 'outcome', 'why'].map((name) => html`<th>${name}</th>`);
  return html`<table><thead><tr>${heading}</tr></thead><tbody>${calls.toReversed().map(recordRow)}</tbody></table>`;
};

/** One page of the calls that wait for approval. */
export interface PendingCallsPage {
  readonly waiting: readonly Pending[];
  /** Number of waiting calls on all pages. */
  readonly total: number;
  /** Counted from 1. */
  readonly pageNumber: number;
  readonly newestFirst: boolean;
}

/** The call with one code; undefined if none waits under it. */
export interface SinglePendingCall {
  readonly code: string;
  readonly pending: Pending | undefined;
}

/** The content of the approvals page. */
export interface QueueView {
  readonly operator: OperatorSession;
  readonly message?: string;
  readonly shown: PendingCallsPage | SinglePendingCall;
  /** The newest calls, oldest first; undefined if they can't be read. */
  readonly calls?: readonly RecordedCall[];
}

/** The approvals page: calls that wait for a decision, then the latest calls. */
export const queuePage = ({ operator, message: words, shown, calls }: QueueView): Html =>
  page('Approvals', html`${messageBanner(words)}<form method="post" action="${approvalsPath}">${token(operator)}<button name="do" value="leave">Leave</button></form>
${'code' in shown ? singleCall(shown, operator) : pendingList(shown, operator)}
<h2>Latest calls</h2>
${recordTable(calls)}`);
