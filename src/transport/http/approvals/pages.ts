import { createHash } from 'node:crypto';
import type { RecordedCall } from '../../../server/audit/index.ts';
import { clean } from '../../../server/redaction/index.ts';
import {
  conversationText,
  type Deciders,
  longestListedPlan,
  longestReason,
  type Pending,
  mostCriticalMode,
  planText,
  waitingCallAddress,
  waitingTarget,
  type WaitingCall,
  type WaitingSecret,
} from '../../../server/guard/index.ts';
import { emptyHtml, html, type Html } from '../console/html.ts';
import type { OperatorSession } from '../console/operator-sessions.ts';
import { formTokenInput, timeMarkup, type PagePaths } from '../console/page-frame.ts';
import { noRecordsText, recordTable } from '../console/recorded-calls.ts';
import { secretsSection } from './handed-secrets.ts';
import { firstPart } from '../../../contract/index.ts';

/** The operator who views a waiting call, and the time. */
interface Viewing {
  readonly operator: OperatorSession;
  readonly paths: PagePaths;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether plans are shown in full, regardless of length. */
  readonly showsWholePlans: boolean;
}

type Mode = ReturnType<typeof mostCriticalMode>;

/**
 * The appearance of a call by the mode of its environment. It is also given as text, so that nobody depends on the
 * colour.
 */
const modeLooks: Readonly<Record<Mode, { readonly name: string; readonly words: Html; readonly approve: string }>> = {
  PRODUCTION: {
    name: 'call production',
    words: html`<p class="mode"><strong>PRODUCTION</strong> This call changes production.</p>`,
    approve: 'Approve on PRODUCTION, for one call',
  },
  unknown: {
    name: 'call production possibly',
    words: html`<p class="mode"><strong>MAY BE PRODUCTION</strong> The mode of its environment could not be determined.</p>`,
    approve: 'Approve, for one call',
  },
  STAGING: { name: 'call', words: html`<p class="mode">STAGING</p>`, approve: 'Approve, for one call' },
  DEVELOPMENT: { name: 'call', words: html`<p class="mode">DEVELOPMENT</p>`, approve: 'Approve, for one call' },
  none: { name: 'call', words: emptyHtml, approve: 'Approve, for one call' },
};

const typedNameInput = (typed: string | undefined): Html =>
  typed === undefined
    ? emptyHtml
    : html`<label>To approve it, type <strong>${clean(typed)}</strong> <input name="typed" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`;

// Two forms: the return key in the field for the name submits the form that the field belongs to.
const decisionForm = (
  verdict: 'approve' | 'refuse',
  { code }: Pending,
  { operator, paths }: Pick<Viewing, 'operator' | 'paths'>,
  content: Html,
): Html =>
  html`<form class="${verdict}" method="post" action="${paths.page}">${formTokenInput(operator)}<input type="hidden" name="code" value="${code}">${content}</form>`;

/** Facts of one line each. Wrapped lines are indented (`.fact`), so that they can't be mistaken for the next fact. */
const factsMarkup = (text: string): Html =>
  html`${text.split(/(?<=\n)/).map((line) => html`<span class="fact">${line}</span>`)}`;

/** Which operators may decide, and who agreed so far if several have to. */
const decidersMarkup = ({ operators, needed }: Deciders, agreed: readonly string[] = []): Html =>
  html`<dt>Decided by</dt><dd>${needed > 1 ? `${needed} of ` : ''}${operators.join(', ')}</dd>${needed > 1 ? html`<dt>Agreed</dt><dd>${agreed.length === 0 ? 'nobody yet' : agreed.join(', ')}</dd>` : emptyHtml}`;

/** The box of a waiting call: whether it touches production, the plan, and the decision forms. */
function waitingCall(pending: WaitingCall, viewing: Viewing): Html {
  const { operator, paths, now, showsWholePlans } = viewing;
  const { code, principal, clientName, plan, typed, deciders, askedAt, expiresAt } = pending;
  const text = clean(planText(plan, { whole: true }));
  const isTruncated = !showsWholePlans && text.length > longestListedPlan;
  const look = modeLooks[mostCriticalMode(plan.target)];
  const target = clean(waitingTarget(pending));
  const title = `title-${code}`;
  const approve = html`${typedNameInput(typed)}<button name="do" value="approve" aria-describedby="${title}">${look.approve}</button>`;
  const refuse = html`<label>Why, for whoever asked (optional) <input name="reason" maxlength="${longestReason}" autocomplete="off"></label><button name="do" value="refuse" aria-describedby="${title}">Refuse</button>`;
  const decision = html`<div class="decision">${decisionForm('refuse', pending, viewing, refuse)}${isTruncated ? emptyHtml : decisionForm('approve', pending, viewing, approve)}</div>`;
  const isDecider = operator.operator === undefined || deciders?.operators.includes(operator.operator) === true;
  return html`<article id="call-${code}" class="${look.name}" aria-labelledby="${title}" data-about="${plan.tool} on ${target}, asked by ${clean(principal)}">
${look.words}<h3 id="${title}"><code>${plan.tool}</code> <span class="code">${code}</span></h3>
<p class="target">${target}</p>
<dl class="facts"><dt>Risk</dt><dd>${plan.tier}</dd>${clientName === undefined ? emptyHtml : html`<dt>Assistant</dt><dd>${clean(clientName)}, as it calls itself</dd>`}<dt>Conversation</dt><dd>${conversationText(pending)}</dd><dt>Asked</dt><dd>${timeMarkup(askedAt, now)}</dd><dt>Expires</dt><dd>${timeMarkup(expiresAt, now)}</dd>${deciders ? decidersMarkup(deciders, pending.agreed) : emptyHtml}</dl>
<pre>${factsMarkup(isTruncated ? firstPart(text, longestListedPlan) : text)}</pre>
${isTruncated ? html`<p>It goes on for ${text.length - longestListedPlan} more characters: <a href="${waitingCallAddress(paths.page, code)}">see all of it to approve it</a>.</p>` : emptyHtml}
${isDecider ? decision : emptyHtml}
</article>`;
}

/** The id of a caller's group, the same on every page. */
const groupId = (principal: string): string =>
  `caller-${createHash('sha256').update(principal).digest('hex').slice(0, 16)}`;

/** Waiting calls, grouped by caller. Both callers and their calls keep the given order. */
export function waitingCalls(waiting: readonly WaitingCall[], viewing: Viewing): Html {
  const groups = [...Map.groupBy(waiting, ({ principal }) => principal)].map(([principal, calls]) => {
    const id = groupId(principal);
    return html`<section id="${id}" aria-labelledby="${id}-title" data-parts><h2 id="${id}-title">${clean(principal)} <span class="muted">${calls.length} ${calls.length === 1 ? 'call' : 'calls'}</span></h2>
${calls.map((pending) => waitingCall(pending, viewing))}</section>`;
  });
  return html`${groups}`;
}

/** Number of calls on one page. */
export const callsOnPage = 20;

/** The number of pages of a list. */
export const pageCount = ({ total }: PendingCallsPage): number => Math.ceil(total / callsOnPage);

const searchForm = (paths: PagePaths): Html =>
  html`<form class="find" id="find" method="get" action="${paths.page}"><label>Code <input name="code" autocomplete="off" autocapitalize="characters" spellcheck="false"></label> <button>Find</button></form>`;

const pageUrl = (paths: PagePaths, pageNumber: number, newestFirst: boolean): string =>
  `${paths.page}?order=${newestFirst ? 'newest' : 'oldest'}&page=${pageNumber}`;

/** The position in the list, with links to the other pages and the other order. */
function pagination(listing: PendingCallsPage, paths: PagePaths, id: string): Html {
  const { total, pageNumber, newestFirst } = listing;
  const pages = pageCount(listing);
  const order = html`<a href="${pageUrl(paths, 1, !newestFirst)}">${newestFirst ? 'Oldest' : 'Newest'} first</a>`;
  const to = (other: number, words: string): Html =>
    other < 1 || other > pages ? emptyHtml : html` <a href="${pageUrl(paths, other, newestFirst)}">${words}</a>`;
  return html`<p id="${id}">${total} ${total === 1 ? 'call waits' : 'calls wait'}, ${newestFirst ? 'newest' : 'oldest'} first; page ${pageNumber} of ${pages}. ${order}${to(pageNumber - 1, 'Previous')}${to(pageNumber + 1, 'Next')}</p>`;
}

const pendingList = (listing: PendingCallsPage, viewing: Viewing, places: string | undefined): Html =>
  listing.total === 0
    ? html`<p id="none">${places === undefined ? 'Nothing waits for approval.' : 'Nothing that you may see waits for approval.'}</p>`
    : html`${searchForm(viewing.paths)}${pagination(listing, viewing.paths, 'position')}${waitingCalls(listing.waiting, viewing)}${pagination(listing, viewing.paths, 'position-again')}`;

const singleCall = ({ code, pending }: SinglePendingCall, viewing: Viewing): Html =>
  html`<p id="all"><a href="${viewing.paths.page}">All that waits</a></p>${pending ? waitingCalls([pending], viewing) : html`<p id="none">Nothing waits under ${clean(code)}: it expired, was decided already, or never was.</p>${searchForm(viewing.paths)}`}`;

const latestTable = ({ calls, places, now }: Pick<QueueView, 'calls' | 'places' | 'now'>): Html => {
  if (!calls) return html`<p id="records">Couldn't look: records go to a command, and can't be read here.</p>`;
  if (calls.length === 0) return html`<p id="records">${noRecordsText(places)}</p>`;
  return recordTable(calls, now, 'latest-title');
};

/** One page of the calls that wait for approval. */
export interface PendingCallsPage {
  readonly waiting: readonly WaitingCall[];
  /** Number of waiting calls on all pages. */
  readonly total: number;
  /** Counted from 1. */
  readonly pageNumber: number;
  readonly newestFirst: boolean;
}

/** The call with one code; undefined if none waits under it. */
export interface SinglePendingCall {
  readonly code: string;
  readonly pending: WaitingCall | undefined;
}

/** The content of the approvals page. */
interface QueueView extends Pick<Viewing, 'operator' | 'paths' | 'now'> {
  readonly shown: PendingCallsPage | SinglePendingCall;
  /** The secrets that wait for the operator. */
  readonly secrets: readonly WaitingSecret[];
  /** The newest calls, oldest first; undefined if they can't be read. */
  readonly calls?: readonly RecordedCall[] | undefined;
  /** Outside of which places nothing is shown; undefined where everything is. */
  readonly places: string | undefined;
}

/**
 * The calls that wait for a decision, then the latest calls. The live script replaces the parts that changed: the
 * children of elements with `data-parts`, each identified by its id.
 */
export function queueParts({ operator, paths, shown, secrets, calls, places, now }: QueueView): Html {
  const isList = 'total' in shown;
  const viewing = { operator, paths, now, showsWholePlans: !isList };
  return html`${secretsSection(secrets, viewing)}<div id="waiting" data-parts>${isList ? pendingList(shown, viewing, places) : singleCall(shown, viewing)}</div>
<section id="latest" aria-labelledby="latest-title" data-parts><h2 id="latest-title">Latest calls</h2>
${latestTable({ calls, places, now })}</section>`;
}
