import { blindSpot, type LogVerification, type RecordedCall } from '../../../../server/audit/index.ts';
import { clean } from '../../../../server/redaction/index.ts';
import { emptyHtml, html, type Html } from '../html.ts';
import type { PagePaths } from '../page-frame.ts';
import { noRecordsText, recordTable } from '../recorded-calls.ts';
import { filterFields, isFiltering, type Filter } from './filter.ts';

/** What looking for records came to. */
export type Found =
  | { readonly kind: 'found'; readonly calls: readonly RecordedCall[]; readonly hasOlder: boolean }
  | { readonly kind: 'to_command' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'bad_time'; readonly fields: readonly string[] };

/** What verifying the log came to. */
export type Verified =
  | { readonly kind: 'verified'; readonly verification: LogVerification }
  | { readonly kind: 'not_verified' }
  | { readonly kind: 'to_command' }
  | { readonly kind: 'unverifiable'; readonly why: string };

interface AuditView {
  readonly paths: PagePaths;
  readonly filter: Filter;
  readonly found: Found;
  readonly verified: Verified;
  /** Outside of which places nothing is shown; undefined where everything is. */
  readonly places: string | undefined;
  readonly isOneOfSeveral: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const labels: Readonly<Record<keyof Filter, string>> = {
  who: 'Person or assistant',
  tool: 'Tool',
  place: 'Place',
  from: 'From (UTC)',
  to: 'Before (UTC)',
};

const isTime = (name: keyof Filter): boolean => name === 'from' || name === 'to';

const filterForm = (paths: PagePaths, filter: Filter): Html =>
  html`<form class="find filter" id="filter" method="get" action="${paths.page}">${filterFields.map(
    (name) =>
      html`<label>${labels[name]} <input name="${name}" value="${filter[name]}" autocomplete="off" autocapitalize="none" spellcheck="false"${isTime(name) ? html` placeholder="2026-11-20 10:00"` : emptyHtml}></label> `,
  )}<button>Find</button>${isFiltering(filter) ? html` <a href="${paths.page}">All</a>` : emptyHtml}</form>`;

const queryOf = (filter: Filter, more: Readonly<Record<string, string>>): string =>
  new URLSearchParams(Object.entries({ ...filter, ...more }).filter(([, value]) => value !== '')).toString();

/** How many faults of a log are listed. */
const shownFaults = 20;

const faultList = (faults: LogVerification['faults']): Html =>
  faults.length === 0
    ? emptyHtml
    : html`<ul>${faults.slice(0, shownFaults).map(({ where, what }) => html`<li>${where === undefined ? '' : clean(`${where}: `)}${clean(what)}</li>`)}${faults.length > shownFaults ? html`<li>… and ${faults.length - shownFaults} more</li>` : emptyHtml}</ul>`;

function verdictOf({ entries, chains, faults, notes = [], hasOtherKeys }: LogVerification): Html {
  if (entries === 0 && faults.length === 0) return html`<p>None found: the log has no entries to verify.</p>`;
  const size = `${entries} ${entries === 1 ? 'entry' : 'entries'} of ${chains} ${chains === 1 ? 'process' : 'processes'}`;
  if (hasOtherKeys)
    return html`<p class="said">Not verified: no entry fits the key of this server. It is probably not the key that sealed this log.</p>`;
  return faults.length === 0
    ? html`<p>Verified: ${size} are as they were written.</p>${faultList(notes)}<p class="muted">${blindSpot}</p>`
    : html`<p class="said">Not as it was written: ${faults.length} found in ${size}.</p>${faultList([...faults, ...notes])}`;
}

const toCommand = "the records go to a command (INFRA_AUDIT_COMMAND), and can't be read here.";

function verifiedMarkup(verified: Verified, paths: PagePaths, filter: Filter): Html {
  switch (verified.kind) {
    case 'verified':
      return verdictOf(verified.verification);
    case 'to_command':
      return html`<p>Couldn't verify: ${toCommand}</p>`;
    case 'unverifiable':
      return html`<p class="said">Couldn't verify: ${clean(verified.why)}</p>`;
    default:
      return html`<p>Not verified. <a href="${paths.page}?${queryOf(filter, { verify: 'yes' })}">Check that nothing was changed or removed</a></p>`;
  }
}

const olderLink = (calls: readonly RecordedCall[], paths: PagePaths, filter: Filter): Html =>
  html`<p id="older"><a href="${paths.page}?${queryOf(filter, { to: calls[0]!.at })}">Older ones</a></p>`;

function foundMarkup({ found, paths, filter, places, now }: AuditView): Html {
  switch (found.kind) {
    case 'to_command':
      return html`<p id="records">Couldn't look: ${toCommand}</p>`;
    case 'unreadable':
      return html`<p id="records" class="said">Couldn't look: the log can't be read. ${clean(found.why)}</p>`;
    case 'bad_time':
      return html`<p id="records" class="said">Not looked: ${found.fields.map((name) => labels[name as keyof Filter]).join(' and ')} must be a time such as 2026-11-20 or 2026-11-20 10:00.</p>`;
    default:
      if (found.calls.length > 0)
        return html`${recordTable(found.calls, now, 'found-title')}${found.hasOlder ? olderLink(found.calls, paths, filter) : emptyHtml}`;
      return html`<p id="records">${isFiltering(filter) ? 'None found: no record fits.' : noRecordsText(places)}</p>`;
  }
}

/** The audit log: a form to filter it, whether it was verified, and the newest records that fit. */
export function auditParts(view: AuditView): Html {
  const { paths, filter, verified, places, isOneOfSeveral } = view;
  return html`${filterForm(paths, filter)}<section id="verified" aria-label="Verification">${verifiedMarkup(verified, paths, filter)}</section>
${places === undefined ? emptyHtml : html`<p class="muted" id="kept">Kept from you: records of other places, and those of which the place isn't known.</p>`}${isOneOfSeveral ? html`<p class="muted" id="several">These are the records of this server. Each of the others on its database has its own.</p>` : emptyHtml}
<section id="found" aria-labelledby="found-title" data-parts><h2 id="found-title">Records</h2>
${foundMarkup(view)}</section>`;
}
