import { isRecord, type JsonRecord } from '../contract/index.ts';
import type { ApiFailure } from './errors.ts';

/** The organization to use, or why it isn't clear which. */
export type OrganizationResult =
  | { readonly organization: JsonRecord; readonly failure?: undefined }
  | { readonly failure: ApiFailure };

const textOf = (row: JsonRecord, name: 'id' | 'name'): string => (typeof row[name] === 'string' ? row[name] : '');

/** The rows with an id or name; if no name matches exactly, ignoring case. */
function matching(rows: readonly JsonRecord[], wanted: string): readonly JsonRecord[] {
  const folded = wanted.toLowerCase();
  const exact = rows.filter((row) => textOf(row, 'id').toLowerCase() === folded || textOf(row, 'name') === wanted);
  return exact.length > 0 ? exact : rows.filter((row) => textOf(row, 'name').toLowerCase() === folded);
}

/** The organizations with their names and ids. */
const listText = (rows: readonly JsonRecord[]): string =>
  rows
    .map((row) => {
      const [name, id] = [textOf(row, 'name'), textOf(row, 'id')];
      return name === '' ? id : `${name} (${id})`;
    })
    .join(', ');

const unclear = (reason: string, rows: readonly JsonRecord[]): OrganizationResult => ({
  failure: {
    kind: 'unclear_organization',
    reason,
    ...(rows.length > 0 && { detail: `It has ${listText(rows)}` }),
    next: 'Give organization in the call where it takes one, or have whoever runs this server choose an organization by its name or id: INFRA_ORGANIZATION, --organization, or organization in the profile.',
  },
});

/**
 * The organization of a token: the chosen one, or the only one; never simply the first of several.
 * @param body a response that is the record of one, a list of them, or both.
 * @param choice id or name of the one to use.
 */
export function organizationIn(body: JsonRecord, choice: string | undefined): OrganizationResult {
  const listed = Array.isArray(body['results']) ? body['results'].filter(isRecord) : undefined;
  const rows = listed && listed.length > 0 ? listed : [body];
  if (choice !== undefined) {
    const bearing = rows.filter((row) => textOf(row, 'id') !== '' || textOf(row, 'name') !== '');
    if (bearing.length === 0)
      return unclear(`the platform names no organization, so ${JSON.stringify(choice)} can't be found`, bearing);
    const found = matching(rows, choice);
    if (found.length === 1) return { organization: { ...body, ...found[0] } };
    return unclear(
      found.length === 0
        ? `the API token has no organization ${JSON.stringify(choice)}`
        : `the API token has ${found.length} organizations ${JSON.stringify(choice)}`,
      rows,
    );
  }
  if (rows.length > 1 && textOf(body, 'id') === '')
    return unclear(`the API token has ${rows.length} organizations, and none of them is chosen`, rows);
  return { organization: { ...rows[0], ...body } };
}
