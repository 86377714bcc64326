import { reading, type JsonRecord, type Preview } from '../../src/server/tool/index.ts';

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

/** A line for changes that only tools take back which are off unless they are chosen. */
export const takenBackElsewhere = 'A tool of the toolset administration takes it back.';
