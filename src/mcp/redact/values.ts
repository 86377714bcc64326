import { memberOf, withoutNull, type JsonSchema } from '../json-schema.ts';
import { memoised } from '../schema.ts';
import { isRecord, type JsonRecord } from '../values.ts';
import { canBeSecret, nameTells, valueTells } from '../redaction/recognition/index.ts';

const notNull = memoised(withoutNull);

/** How strings in a value are made fit to be shown. */
export interface Hiding {
  /** A string that is a secret as a whole. */
  readonly hide: (secret: string) => string;
  /** Any other string. */
  readonly text: (text: string) => string;
}

/** Members under which answers give the name of something that has a value: variables, labels, headers, chart values. */
const nameMembers = ['key', 'name'] as const;
const valueMember = 'value';

const nameIn = (record: JsonRecord): string | undefined => nameMembers.map((member) => record[member]).find((name) => typeof name === 'string');

/** Whether the `value` of a record is a secret, as its sibling that names it or its own shape tells. */
function pairTells(record: JsonRecord): boolean {
  const [name, value] = [nameIn(record), record[valueMember]];
  return name !== undefined && typeof value === 'string' && canBeSecret(value) && (nameTells(name, value) || valueTells(name, value));
}

// In lists of words a name stands before its value: ["--password", "x"], ["auth.token", "x"].
const wordTells = (list: readonly unknown[], index: number): boolean => {
  const [before, word] = [list[index - 1], list[index]];
  return typeof before === 'string' && typeof word === 'string' && nameTells(before, word) && canBeSecret(word) && !before.includes('=');
};

/**
 * A value with its secrets hidden: what the schema marks secret, undeclared members with a telling name, values beside a
 * telling name. Every other string is treated as text.
 */
export function hideIn(value: unknown, node: JsonSchema | undefined, hiding: Hiding): unknown {
  const schema = node && notNull(node);
  if (typeof value === 'string') return schema?.secret ? hiding.hide(value) : hiding.text(value);
  if (Array.isArray(value)) return value.map((item, index) => (wordTells(value, index) ? hiding.hide(item as string) : hideIn(item, schema?.items, hiding)));
  if (!isRecord(value)) return value;
  const isPair = pairTells(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const declared = memberOf(schema, name);
      const tells = typeof member === 'string' && ((isPair && name === valueMember) || (!declared && nameTells(name, member) && canBeSecret(member)));
      return [name, tells ? hiding.hide(member) : hideIn(member, declared, hiding)];
    }),
  );
}
