import { operations } from '../../src/contract/index.ts';
import {
  reading,
  readUses,
  recordsIn,
  textOf,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { namesOf } from './listed-names.ts';

/** The members of services that refer to groups, the words for them, and the list that has their names. */
const memberships = [
  { member: 'labels_groups', called: 'Labels groups', list: operations.list_labels_groups },
  { member: 'annotations_groups', called: 'Annotations groups', list: operations.list_annotations_groups },
] as const;

/** The reads of a service of a kind that has groups, by the identifier in the input of its update. */
const services = [
  { identifier: 'application_id', read: operations.get_application },
  { identifier: 'container_id', read: operations.get_container },
  { identifier: 'database_id', read: operations.get_database },
  { identifier: 'job_id', read: operations.get_job },
] as const;

const groupReads = readUses(
  'the plan shows groups of labels and annotations by their ids',
  operations.get_organization,
  ...memberships.map(({ list }) => list),
);

const idsIn = (service: JsonRecord | undefined, member: string): readonly string[] =>
  recordsIn(service?.[member]).flatMap((group) => textOf(group, 'id') ?? []);

/** A service before a change, which can only be planned where it is read; undefined for a new one. */
async function presentService(
  input: JsonRecord,
  reader: Pick<ToolContext, 'attempt'>,
): Promise<JsonRecord | undefined> {
  const one = services.find(({ identifier }) => typeof input[identifier] === 'string');
  return one && reader.attempt(one.read, { [one.identifier]: input[one.identifier] } as never);
}

/** Which groups of labels and annotations a service gets and loses, by name; nothing is read for one without any. */
export const groupsGiven: Preview = reading(groupReads, async (input, { reader }): Promise<readonly PlanLine[]> => {
  if (memberships.every(({ member }) => input[member] === undefined)) return [];
  const present = await presentService(input, reader);
  const lines = await Promise.all(
    memberships.map(async ({ member, called, list }): Promise<readonly string[]> => {
      const [before, after] = [idsIn(present, member), idsIn(input, member)];
      const added = after.filter((id) => !before.includes(id));
      const removed = before.filter((id) => !after.includes(id));
      return [
        ...(added.length > 0 ? [`${called} added: ${await namesOf(added, list, reader)}.`] : []),
        ...(removed.length > 0 ? [`${called} removed: ${await namesOf(removed, list, reader)}.`] : []),
      ];
    }),
  );
  return lines.flat();
});
