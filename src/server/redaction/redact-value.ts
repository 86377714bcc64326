import { withoutInvisible } from '../../contract/plain-text.ts';
import { memberOf, withoutNull, type JsonSchema } from '../json/json-schema.ts';
import { memoised } from '../json/memoised.ts';
import { isRecord, type JsonRecord } from '../json/values.ts';
import { hasUserinfo, isSecretName, looksLikeSecret } from './recognition/index.ts';

const notNull = memoised(withoutNull);

/** How the strings at a place are made fit to be shown. */
export interface MaskingRules {
  /** A string that is a secret as a whole. */
  readonly hide: (secret: string) => string;
  /** Any other string. */
  readonly text: (text: string) => string;
  /** Whether a value beside its name is hidden where only its shape tells. */
  readonly byShape: boolean;
  /** Whether this word is hidden where it stands after a flag that names a secret, as in `["--password", "x"]`. */
  readonly afterFlag: (word: string) => boolean;
}

/** Tells the way for a string, given what somebody gave at the same place: the same string, another value, or nothing. */
export type MaskingRulesAt = (text: string, given: unknown) => MaskingRules;

/** Members under which values have the name of something: variables, labels, headers, chart values. */
const nameMembers = ['key', 'name'] as const;
const valueMember = 'value';

const nameIn = (record: JsonRecord): string | undefined => nameMembers.map((member) => record[member]).find((name) => typeof name === 'string');

/** The forms of a name that may tell: as it reads, whatever nobody sees in it, and as it is shown. */
const nameReadings = (name: string, way: MaskingRules): readonly string[] => [...new Set([withoutInvisible(name), way.text(name)])];

/** A record's member, where somebody gave it a value of that name. */
const givenIn = (given: unknown, name: string): unknown => (isRecord(given) && Object.hasOwn(given, name) ? given[name] : undefined);

/** The schema of the members that a record may have beside those that it names. */
const othersOf = (schema: JsonSchema | undefined): JsonSchema | undefined => (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);

/** A record of these members. Each keeps a name of its own where masking makes names alike. */
function withNames(members: readonly (readonly [string, unknown])[]): JsonRecord {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  const own = (name: string): string => {
    let free = name;
    let number = numbers.get(name) ?? 1;
    while (taken.has(free)) free = `${name} (${(number += 1)})`;
    numbers.set(name, number);
    taken.add(free);
    return free;
  };
  return Object.fromEntries(members.map(([name, member]) => [own(name), member]));
}

/**
 * A value as it may be shown: what the schema marks secret is hidden, and so are undeclared members with a telling name and
 * values beside a telling name. Every other string is text, names of members that the schema doesn't know too.
 * @param given what somebody gave in the same place, member by member.
 */
export function redactValue(value: unknown, node: JsonSchema | undefined, wayAt: MaskingRulesAt, given?: unknown, isInList = false): unknown {
  const schema = node && notNull(node);
  if (typeof value === 'string') {
    return redactText(value, schema, wayAt(value, given));
  }
  if (Array.isArray(value)) return value.map((item, index) => redactItem({ list: value, item, index, isInList }, schema, wayAt, Array.isArray(given) ? given[index] : undefined));
  if (!isRecord(value)) return value;
  return withNames(Object.entries(value).map(([name, member]) => redactMember(value, name, member, schema, wayAt, given)));
}

// Up to the last @ before the path: what stands before it is no host.
const userinfo = /^(?<scheme>[a-z][\w+.-]*:\/\/)(?<secret>[^/?#\\]+)@/i;

/** A string of this schema. Who may use an address is a secret, wherever the address itself isn't one. */
function redactText(text: string, schema: JsonSchema | undefined, { hide, text: open }: MaskingRules): string {
  if (schema?.secret) return hide(text);
  const { scheme, secret } = (schema?.format === 'uri' && userinfo.exec(text)?.groups) || {};
  // Where the two can't be told apart, nothing of it is shown.
  if (secret === undefined && schema?.format === 'uri' && hasUserinfo(text)) return hide(text);
  return scheme === undefined || secret === undefined ? open(text) : `${scheme}${hide(secret)}${open(text.slice(scheme.length + secret.length))}`;
}

/** An item of a list. In lists of words a flag stands before its value, and in a list of pairs each name before its own. */
function redactItem({ list, item, index, isInList }: { list: readonly unknown[]; item: unknown; index: number; isInList: boolean }, schema: JsonSchema | undefined, wayAt: MaskingRulesAt, given: unknown): unknown {
  const before: unknown = list[index - 1];
  const name = typeof before === 'string' && !before.includes('=') ? withoutInvisible(before) : undefined;
  if (typeof item === 'string' && name !== undefined && isSecretName(name, withoutInvisible(item))) {
    const way = wayAt(item, given);
    const isFlag = name.startsWith('-');
    if (isFlag ? way.afterFlag(item) : isInList && list.length === 2) return way.hide(item);
  }
  return redactValue(item, schema?.items, wayAt, given, true);
}

function redactMember(record: JsonRecord, name: string, member: unknown, schema: JsonSchema | undefined, wayAt: MaskingRulesAt, given: unknown): readonly [string, unknown] {
  const declared = memberOf(schema, name);
  const own = givenIn(given, name);
  const nameWay = wayAt(name, own === undefined ? undefined : name);
  const shownName = declared ? name : nameWay.text(name);
  if (typeof member !== 'string') return [shownName, redactValue(member, declared ?? othersOf(schema), wayAt, own)];
  const way = wayAt(member, own);
  const value = withoutInvisible(member);
  const pairName = name === valueMember ? nameIn(record) : undefined;
  const pairNames = pairName === undefined ? [] : nameReadings(pairName, nameWay);
  const isTold =
    (!declared && nameReadings(name, nameWay).some((one) => isSecretName(one, value))) ||
    pairNames.some((one) => isSecretName(one, value) || (way.byShape && looksLikeSecret(one, value)));
  return [shownName, isTold ? way.hide(member) : redactValue(member, declared ?? othersOf(schema), wayAt, own)];
}
