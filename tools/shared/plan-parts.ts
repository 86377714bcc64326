import type { AnyOperation } from '../../src/contract/index.ts';
import {
  naming,
  notAgreedTo,
  notKnown,
  orElse,
  reading,
  readUses,
  rowsIn,
  textOf,
  whoAdministers,
  type JsonRecord,
  type Preview,
  type ToolText,
} from '../../src/server/tool/index.ts';

/** The line of a plan that renames a project or an environment. Policies and webhooks name both by their names. */
export const namedByRules =
  'Rules of policies, filters of webhooks and paths that use the old name do not follow a new one.';

/** The lines of several previews, one after the other. */
export const joined = (...parts: readonly Preview[]): Preview =>
  reading(
    (planned) => parts.flatMap(({ reads }) => reads?.(planned) ?? []),
    async (args, context) => (await Promise.all(parts.map((part) => part(args, context)))).flat(),
  );

/**
 * The line for a stored secret that a change sends to another address; none if the address stays.
 * @param address the member that holds the address
 * @param present undefined if it can't be read
 * @param hasStored whether a secret is stored, and the call gives no other
 */
export const movedSecretLines = (
  address: string,
  args: JsonRecord,
  present: JsonRecord | undefined,
  hasStored: boolean,
): readonly string[] =>
  hasStored && present !== undefined && args[address] !== undefined && args[address] !== present[address]
    ? [
        'Where the platform keeps stored secrets, they are sent to the new address from now on: give others if it may not have them.',
      ]
    : [];

/**
 * Whether what a call creates has the name of one that is there already.
 * @param list the operation that lists those of the organization
 * @param what one of them, in words
 */
export const sameName = (list: AnyOperation, what: string): Preview =>
  reading(
    readUses(`whether there is ${what} with this name already is not known`, list),
    async ({ name, organization_id: organization }, { reader }) => {
      const answer = await reader.attempt(list, { organization_id: String(organization) });
      if (!answer) return [notAgreedTo(notKnown(`whether there is ${what} with this name already`))];
      const ids = rowsIn(answer as JsonRecord).flatMap((row) =>
        row['name'] === name ? (textOf(row, 'id') ?? []) : [],
      );
      return ids.length === 0 ? [] : [notAgreedTo(`There is ${what} with this name already: ${ids.join(', ')}.`)];
    },
  );

/** The line of a plan for a change that only a tool takes back which is off unless it is chosen. */
export const takenBackBy = (tool: string): ToolText =>
  orElse(naming`${tool} takes it back.`, `No tool that is on here takes it back: ${whoAdministers}.`);
