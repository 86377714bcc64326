import { recordedTargetText, type RecordedCall } from '../../../server/audit/index.ts';
import { clean } from '../../../server/redaction/index.ts';
import type { Pending } from '../../../server/guard/index.ts';
import { html, emptyHtml, type Html } from './html.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { approvalsPath, formTokenInput, framed, messageBanner } from './page-frame.ts';
import { timeMarkup } from './times.ts';
import { waitingCalls } from './waiting-call.ts';

/** Number of calls on one page. */
export const callsOnPage = 20;

const pageCount = ({ total }: PendingCallsPage): number => Math.ceil(total / callsOnPage);

const searchForm = html`<form class="find" id="find" method="get" action="${approvalsPath}"><label>Code <input name="code" autocomplete="off" autocapitalize="characters" spellcheck="false"></label> <button>Find</button></form>`;

const pageUrl = (pageNumber: number, newestFirst: boolean): string => `${approvalsPath}?order=${newestFirst ? 'newest' : 'oldest'}&page=${pageNumber}`;

/** The position in the list, with links to the other pages and the other order. */
function pagination(listing: PendingCallsPage, id: string): Html {
  const { total, pageNumber, newestFirst } = listing;
  const pages = pageCount(listing);
  const order = html`<a href="${pageUrl(1, !newestFirst)}">${newestFirst ? 'Oldest' : 'Newest'} first</a>`;
  const to = (other: number, words: string): Html => (other < 1 || other > pages ? emptyHtml : html` <a href="${pageUrl(other, newestFirst)}">${words}</a>`);
  return html`<p id="${id}">${total} ${total === 1 ? 'call waits' : 'calls wait'}, ${newestFirst ? 'newest' : 'oldest'} first; page ${pageNumber} of ${pages}. ${order}${to(pageNumber - 1, 'Previous')}${to(pageNumber + 1, 'Next')}</p>`;
}

const pendingList = (listing: PendingCallsPage, operator: OperatorSession, now: number): Html =>
  listing.total === 0
    ? html`<p id="none">Nothing waits for approval.</p>`
    : html`${searchForm}${pagination(listing, 'position')}${waitingCalls(listing.waiting, { operator, now, showsWholePlans: false })}${pagination(listing, 'position-again')}`;

const singleCall = ({ code, pending }: SinglePendingCall, operator: OperatorSession, now: number): Html =>
  html`<p id="all"><a href="${approvalsPath}">All that waits</a></p>${pending ? waitingCalls([pending], { operator, now, showsWholePlans: true }) : html`<p id="none">Nothing waits under ${clean(code)}: it expired, was decided already, or never was.</p>${searchForm}`}`;

const columns = ['time', 'who', 'tool', 'target', 'tier', 'confirmed', 'outcome', 'why'] as const;

// On narrow screens the rows are no table to look at. The roles keep them one for screen readers.
const recordRow = (call: RecordedCall, now: number): Html => {
  const { at, who, tool, tier, confirmed, outcome, why } = call;
  const texts = { who, tool, target: recordedTargetText(call), tier, confirmed, outcome: outcome ?? 'not recorded', why };
  const time = Number.isNaN(Date.parse(at)) ? html`${clean(at)}` : timeMarkup(Date.parse(at), now);
  return html`<tr role="row">${columns.map((column) => html`<td role="cell" data-column="${column}">${column === 'time' ? time : clean(texts[column] ?? '')}</td>`)}</tr>`;
};

const recordTable = (calls: readonly RecordedCall[] | undefined, now: number): Html => {
  if (!calls) return html`<p id="records">Records go to a command, and can't be read here.</p>`;
  if (calls.length === 0) return html`<p id="records">Nothing is recorded yet.</p>`;
  const heading = columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`);
  return html`<table id="records" role="table" aria-labelledby="latest-title"><thead role="rowgroup"><tr role="row">${heading}</tr></thead><tbody role="rowgroup">${calls.toReversed().map((call) => recordRow(call, now))}</tbody></table>`;
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
  /** The time that relative times count from, in milliseconds since 1970. */
  readonly now: number;
  /** Allows the page's script to run. */
  readonly nonce: string;
}

/**
 * The approvals page: calls that wait for a decision, then the latest calls. Its script replaces the parts that changed:
 * the children of elements with `data-parts`, each known by its id.
 */
export function queuePage({ operator, message, shown, calls, now, nonce }: QueueView): Html {
  const isList = 'total' in shown;
  const leave = html`<form method="post" action="${approvalsPath}">${formTokenInput(operator)}<button name="do" value="leave">Leave</button></form>`;
  const body = html`${messageBanner(message)}<p class="news" id="news" role="status"></p>
<p class="muted" id="static">This page does not update itself without scripts: reload it to see what is new.</p>
<div id="parts" data-parts data-pages="${isList ? pageCount(shown) : 1}" data-total="${isList ? shown.total : 1}">
<div id="waiting" data-parts>${isList ? pendingList(shown, operator, now) : singleCall(shown, operator, now)}</div>
<section id="latest" aria-labelledby="latest-title" data-parts><h2 id="latest-title">Latest calls</h2>
${recordTable(calls, now)}</section></div>`;
  return framed(body, { aside: leave, nonce, ...(isList && { total: shown.total }) });
}
