import { isRecord, type JsonRecord } from '../json/index.ts';

/** The member in which platforms have the kind of a service, in capitals. */
const platformName = 'service_type';

/** The name that arguments and answers have for it, whose values are the words of arguments: `application`. */
const shownName = 'kind';

/** The name of a column as answers have it; the platform's name for a kind is taken, too. */
export const columnName = (name: string): string => (name === platformName ? shownName : name);

/** Whether a record with these members is a service. A variable, which has a key, names the kind of its owner. */
const isService = (members: readonly string[]): boolean =>
  members.includes(platformName) && members.includes('id') && !members.includes('key') && !members.includes(shownName);

/** The names that the members of a record have in answers. */
export const memberNames = (members: readonly string[]): readonly string[] =>
  isService(members) ? members.map(columnName) : members;

const withKind = ({ [platformName]: type, ...rest }: JsonRecord): JsonRecord => ({
  ...rest,
  [shownName]: String(type).toLowerCase(),
});

const inside = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(inside) : isRecord(value) ? withKinds(value) : value;

/** An answer in which services have a kind, in the word that arguments have, at any depth. */
export function withKinds(answer: JsonRecord): JsonRecord {
  const record = Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, inside(value)]));
  return typeof record[platformName] === 'string' && isService(Object.keys(record)) ? withKind(record) : record;
}
