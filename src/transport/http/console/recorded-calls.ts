import { recordedAsker, recordedPlace, recordedTargetText, type RecordedCall } from '../../../server/audit/index.ts';
import { clean } from '../../../server/redaction/index.ts';
import { emptyHtml, html, type Html } from './html.ts';
import { timeMarkup } from './page-frame.ts';
import type { Visit } from './tab.ts';

/** Which records an operator sees: those of their places, and of what they did or asked for themselves. */
export const visibleTo =
  ({ operator, rights }: Visit) =>
  (call: RecordedCall): boolean =>
    operator.operator === undefined || rights?.sees(recordedPlace(call), call.who) === true;

/** That there is no record, to an operator who sees only some places, or all of them. */
export const noRecordsText = (places: string | undefined): string =>
  places === undefined ? 'None found: nothing is recorded yet.' : 'None found of what you may see.';

const columns = ['time', 'who', 'tool', 'target', 'tier', 'confirmed', 'outcome', 'why'] as const;

/** Text that may be broken after the separators of names, such as slashes and underscores, rather than within words. */
const breakable = (text: string): Html =>
  html`${text.split(/(?<=[:@/_.-])/).map((part, index) => html`${index === 0 ? emptyHtml : html`<wbr>`}${part}`)}`;

/** Who called, and below that the assistant, by the name that it gives itself, and the conversation. */
function whoMarkup(call: RecordedCall): Html {
  const asker = clean(recordedAsker(call));
  return html`${breakable(clean(call.who))}${asker === '' ? emptyHtml : html` <span class="exact client">(${breakable(asker)})</span>`}`;
}

/** How it was agreed to, and by which operators. */
const confirmedText = ({ confirmed = '', agreed_by: operators = [] }: RecordedCall): string =>
  operators.length === 0 ? confirmed : `${confirmed} by ${operators.join(', ')}`;

const cellMarkup = (cell: Html | string = ''): Html => (typeof cell === 'string' ? breakable(clean(cell)) : cell);

// On narrow screens the rows aren't displayed as a table. The roles keep it a table for screen readers.
const recordRow = (call: RecordedCall, now: number): Html => {
  const { at, tool, tier, outcome, why } = call;
  const cells: Readonly<Record<(typeof columns)[number], Html | string | undefined>> = {
    time: Number.isNaN(Date.parse(at)) ? html`${clean(at)}` : timeMarkup(Date.parse(at), now),
    who: whoMarkup(call),
    tool,
    target: recordedTargetText(call),
    tier,
    confirmed: confirmedText(call),
    outcome: outcome ?? 'not recorded',
    why,
  };
  return html`<tr role="row">${columns.map((column) => html`<td role="cell" data-column="${column}">${cellMarkup(cells[column])}</td>`)}</tr>`;
};

/**
 * Recorded calls as a table, newest first.
 * @param calls oldest first.
 * @param title the id of its heading.
 */
export function recordTable(calls: readonly RecordedCall[], now: number, title: string): Html {
  const heading = columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`);
  return html`<table id="records" role="table" aria-labelledby="${title}"><thead role="rowgroup"><tr role="row">${heading}</tr></thead><tbody role="rowgroup">${calls.toReversed().map((call) => recordRow(call, now))}</tbody></table>`;
}
