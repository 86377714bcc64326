import type { AnyOperation } from '../../src/contract/index.ts';
import {
  isRecord,
  organizationOf,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';

const nameOf = (row: JsonRecord | undefined, id: string): string => show(textOf(row, 'name') ?? id);

/**
 * The names of resources of the organization, by their ids, as text.
 * @param list the operation that lists them: an id that it doesn't have, or that can't be looked up, stands for itself
 * @param describe what is said of one in place of its name
 */
export async function namesOf(
  ids: readonly string[],
  list: AnyOperation,
  reader: Pick<ToolContext, 'attempt'>,
  describe: (row: JsonRecord | undefined, name: string) => string = (_, name) => name,
): Promise<string> {
  const organization = await organizationOf(reader);
  const found: unknown = organization && (await reader.attempt(list, { organization_id: organization }));
  const rows = isRecord(found) ? rowsIn(found) : [];
  return ids
    .map((id) => {
      const row = rows.find((one) => one['id'] === id);
      return describe(row, nameOf(row, id));
    })
    .join(', ');
}
