import { createHash } from 'node:crypto';
import { firstPart } from '../../../contract/index.ts';
import { mostCriticalMode, planText, waitingCallAddress, waitingTarget, type Pending } from '../../../server/guard/index.ts';
import { clean } from '../../../server/redaction/index.ts';
import { html, emptyHtml, type Html } from './html.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { approvalsPath, formTokenInput } from './page-frame.ts';
import { timeMarkup } from './times.ts';

/** Who looks at a waiting call, and when. */
export interface Viewing {
  readonly operator: OperatorSession;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether plans are shown in full, however long. */
  readonly showsWholePlans: boolean;
}

type Mode = ReturnType<typeof mostCriticalMode>;

/** How a call looks by the mode of what it touches. Words say it, so that nobody depends on the colour. */
const modeLooks: Readonly<Record<Mode, { readonly name: string; readonly words: Html; readonly approve: string }>> = {
  PRODUCTION: { name: 'call production', words: html`<p class="mode"><strong>PRODUCTION</strong> This call changes production.</p>`, approve: 'Approve on PRODUCTION, for one call' },
  unknown: { name: 'call production possibly', words: html`<p class="mode"><strong>MAY BE PRODUCTION</strong> The mode of its environment could not be determined.</p>`, approve: 'Approve, for one call' },
  STAGING: { name: 'call', words: html`<p class="mode">STAGING</p>`, approve: 'Approve, for one call' },
  DEVELOPMENT: { name: 'call', words: html`<p class="mode">DEVELOPMENT</p>`, approve: 'Approve, for one call' },
  none: { name: 'call', words: emptyHtml, approve: 'Approve, for one call' },
};

const typedNameInput = (typed: string | undefined): Html =>
  typed === undefined ? emptyHtml : html`<label>To approve it, type <strong>${clean(typed)}</strong> <input name="typed" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`;

/** Maximum length of a plan in a list, in characters. A longer plan can only be approved on its own page. */
const maxPlanLength = 4_000;

// Two forms: the return key in the field for the name sends the one that it belongs to.
const decisionForm = (verdict: 'approve' | 'refuse', { code }: Pending, operator: OperatorSession, content: Html): Html =>
  html`<form class="${verdict}" method="post" action="${approvalsPath}">${formTokenInput(operator)}<input type="hidden" name="code" value="${code}">${content}</form>`;

/** Facts of one line each. What continues one is indented (`.fact`), so that it can't pass for the next one. */
const factsMarkup = (text: string): Html => html`${text.split(/(?<=\n)/).map((line) => html`<span class="fact">${line}</span>`)}`;

/** The box of a waiting call: whether it touches production, the plan, and the forms that decide. */
function waitingCall(pending: Pending, { operator, now, showsWholePlans }: Viewing): Html {
  const { code, principal, plan, typed, askedAt, expiresAt } = pending;
  const text = clean(planText(plan, { whole: true }));
  const isTruncated = !showsWholePlans && text.length > maxPlanLength;
  const look = modeLooks[mostCriticalMode(plan.target)];
  const target = clean(waitingTarget(pending));
  const title = `title-${code}`;
  const approve = html`${typedNameInput(typed)}<button name="do" value="approve" aria-describedby="${title}">${look.approve}</button>`;
  return html`<article id="call-${code}" class="${look.name}" aria-labelledby="${title}" data-about="${plan.tool} on ${target}, asked by ${clean(principal)}">
${look.words}<h3 id="${title}"><code>${plan.tool}</code> <span class="code">${code}</span></h3>
<p class="target">${target}</p>
<dl class="facts"><dt>Risk</dt><dd>${plan.tier}</dd><dt>Asked</dt><dd>${timeMarkup(askedAt, now)}</dd><dt>Expires</dt><dd>${timeMarkup(expiresAt, now)}</dd></dl>
<pre>${factsMarkup(isTruncated ? firstPart(text, maxPlanLength) : text)}</pre>
${isTruncated ? html`<p>It goes on for ${text.length - maxPlanLength} more characters: <a href="${waitingCallAddress(approvalsPath, code)}">see all of it to approve it</a>.</p>` : emptyHtml}
<div class="decision">${decisionForm('refuse', pending, operator, html`<button name="do" value="refuse" aria-describedby="${title}">Refuse</button>`)}${isTruncated ? emptyHtml : decisionForm('approve', pending, operator, approve)}</div>
</article>`;
}

/** The id of a caller's group, the same on every page. */
const groupId = (principal: string): string => `caller-${createHash('sha256').update(principal).digest('hex').slice(0, 16)}`;

/** Waiting calls, grouped by caller. Both callers and their calls keep the given order. */
export function waitingCalls(waiting: readonly Pending[], viewing: Viewing): Html {
  const groups = [...Map.groupBy(waiting, ({ principal }) => principal)].map(([principal, calls]) => {
    const id = groupId(principal);
    return html`<section id="${id}" aria-labelledby="${id}-title" data-parts><h2 id="${id}-title">${clean(principal)} <span class="muted">${calls.length} ${calls.length === 1 ? 'call' : 'calls'}</span></h2>
${calls.map((pending) => waitingCall(pending, viewing))}</section>`;
  });
  return html`${groups}`;
}
