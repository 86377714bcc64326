import { operations, otherEventWord } from '../../src/contract/index.ts';
import { rowsIn, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

type Lists = Pick<ToolContext, 'attempt'>;

/** The event words of the organization's webhooks; empty if there are none, or they can't be read. */
export async function knownEvents(organization: string, { attempt }: Lists): Promise<readonly string[]> {
  const webhooks = rowsIn(await attempt(operations.list_webhooks, { organization_id: organization }));
  return [
    ...new Set(
      webhooks.flatMap(({ events }) =>
        Array.isArray(events) ? events.filter((event) => typeof event === 'string') : [],
      ),
    ),
  ];
}

/** An event in the spelling that the platform's own webhooks have, if they have only the other one. */
function asKnown(event: string, known: readonly string[]): string {
  const other = otherEventWord(event);
  return other !== undefined && known.includes(other) && !known.includes(event) ? other : event;
}

/** Arguments with their events, if they have some, in the spelling of the platform. */
export async function inKnownWords(args: JsonRecord, context: Lists): Promise<JsonRecord> {
  const { events } = args;
  if (!Array.isArray(events)) return args;
  const given = events as readonly string[];
  const hasSpellings = given.some((event) => otherEventWord(event) !== undefined);
  // A failed read is no obstacle: the words are sent as given.
  const known = hasSpellings ? await knownEvents(String(args['organization_id']), context).catch(() => []) : [];
  return { ...args, events: [...new Set(given.map((event) => asKnown(event, known)))] };
}
