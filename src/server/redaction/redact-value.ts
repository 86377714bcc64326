import { readingsOf, visibleReading } from '../../client/index.ts';
import { withoutInvisible, withStyleMarks, type Steps } from '../../contract/index.ts';
import { isRecord, memberOf, memoised, withoutNull, type JsonRecord, type JsonSchema } from '../json/index.ts';
import {
  hasUserinfo,
  isCarrier,
  isCredentialHeader,
  isNestedSecret,
  isSecretName,
  isSecretNumber,
  looksLikeSecret,
  nestedKindOf,
  type NestedKind,
} from './recognition/index.ts';

const notNull = memoised(withoutNull);

/** How the strings of a value are masked. */
export interface MaskingRules {
  /** Replaces a string that is a secret as a whole. */
  readonly hide: (secret: string) => string;
  /** Sanitizes any other string. */
  readonly text: (text: string) => string;
  /** Sanitizes the name of a host, if hosts are shown in a different form. */
  readonly host?: (text: string) => string;
  /** Whether a value next to its name is hidden if only its shape suggests a secret. */
  readonly byShape: boolean;
  /** Whether a word is hidden after a flag that names a secret, as in `["--password", "x"]`. */
  readonly afterFlag: (word: string, flag: string) => boolean;
  /**
   * Whether a value is hidden because its name names a secret.
   * @param beside the record that contains it, if any.
   */
  readonly byName: (value: string, beside?: JsonRecord) => boolean;
  /** Whether an address is left as it is if nothing beside it tells whether what follows its host is secret. */
  readonly onlyIfCertain?: boolean;
}

/**
 * Chooses the rules for a string.
 * @param other the other value's member at the same place: the same string, another one, or undefined.
 */
export type MaskingRulesAt = (text: string, other: unknown) => MaskingRules;

/** Members with the name for a `value` in the same record: of a variable, label, header, parameter or chart value. */
const nameMember = /^(?:key|name|header|header_?name|variable|param(?:eter)?|property|attribute)$/i;
const valueMember = /^values?$/i;

const namesIn = (record: JsonRecord): readonly string[] =>
  Object.entries(record).flatMap(([member, name]) =>
    typeof name === 'string' && nameMember.test(member) ? [name] : [],
  );

/** The forms of a name to check: without characters that may split it, and as it is shown. */
function nameReadings(name: string, rules: MaskingRules): readonly string[] {
  const shown = rules.text(name);
  return [...new Set([...readingsOf(name), ...readingsOf(shown), shown])];
}

/** The other value's member of this name; undefined if it has none. */
const otherIn = (other: unknown, name: string): unknown =>
  isRecord(other) && Object.hasOwn(other, name) ? other[name] : undefined;

/** The schema of a record's undeclared members. */
const othersOf = (schema: JsonSchema | undefined): JsonSchema | undefined =>
  typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;

/** A record of these members. Names that are equal after masking get a number, so that no member is lost. */
function withNames(members: readonly Entry[]): JsonRecord {
  const asTheyAre = Object.fromEntries(members);
  if (Object.keys(asTheyAre).length === members.length) return asTheyAre;
  const used = new Set<string>();
  const counters = new Map<string, number>();
  const uniqueName = (name: string): string => {
    let candidate = name;
    let number = counters.get(name) ?? 1;
    while (used.has(candidate)) candidate = `${name} (${(number += 1)})`;
    counters.set(name, number);
    used.add(candidate);
    return candidate;
  };
  return Object.fromEntries(members.map(([name, member]) => [uniqueName(name), member]));
}

/** The context of a value, beyond its schema. */
interface Place {
  readonly isInList?: boolean;
  /** The kind of secrets that the name of an enclosing list or map suggests. */
  readonly below?: NestedKind | undefined;
  /** Masks the items of lists later, if given. */
  readonly later?: Later | undefined;
}

type Entry = readonly [name: string, member: unknown];

/** Gives what is masked later: empty until then. */
interface Later {
  readonly list: (items: readonly unknown[], masked: (item: unknown, index: number) => unknown) => readonly unknown[];
  readonly record: (members: readonly Entry[], masked: (member: Entry) => Entry) => JsonRecord;
}

/** Number of members from which those of a record are masked in steps. */
const manyMembers = 64;

/**
 * Masks a value. Hides strings that the schema marks secret, undeclared members with a secret name, the values in lists
 * and maps under such a name, and values next to a secret name; numbers if they may be passwords. Sanitizes every other
 * string, and the names of undeclared members, as text.
 * @param other another value, compared member by member: the caller's input, or the platform's data.
 */
export function redactValue(
  value: unknown,
  node: JsonSchema | undefined,
  rulesAt: MaskingRulesAt,
  other?: unknown,
  { isInList = false, below, later }: Place = {},
): unknown {
  const schema = node && notNull(node);
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (below !== undefined && isNestedSecret(below, undefined, visibleReading(text))) {
      const rules = rulesAt(text, asText(other));
      if (rules.byName(text)) return rules.hide(text);
    }
    return typeof value === 'string' ? redactText(value, schema, rulesAt(value, other)) : value;
  }
  if (Array.isArray(value)) {
    const masked = (item: unknown, index: number): unknown =>
      redactItem(
        { list: value, item, index, isInList, below, later },
        schema,
        rulesAt,
        Array.isArray(other) ? other[index] : undefined,
      );
    return later ? later.list(value, masked) : value.map(masked);
  }
  if (!isRecord(value)) return value;
  const masked = ([name, member]: Entry): Entry =>
    redactMember(value, name, member, schema, rulesAt, other, { isInList, below, later });
  const members = Object.entries(value);
  return later && members.length >= manyMembers ? later.record(members, masked) : withNames(members.map(masked));
}

/** `redactValue` in steps, between which other work may run: a step masks an item of a list, or a member of many. */
export function* redactValueInSteps(
  value: unknown,
  node: JsonSchema | undefined,
  rulesAt: MaskingRulesAt,
  other?: unknown,
): Steps<unknown> {
  const parts: Steps<void>[] = [];
  const later: Later = {
    list: (items, masked) => {
      const list: unknown[] = [];
      parts.push(
        (function* () {
          for (const [index, item] of items.entries()) {
            list.push(masked(item, index));
            yield;
          }
        })(),
      );
      return list;
    },
    record: (members, masked) => {
      const record: JsonRecord = {};
      parts.push(
        (function* () {
          const all: Entry[] = [];
          for (const member of members) {
            all.push(masked(member));
            yield;
          }
          // Any name may be one that is special to an object, which an assignment would set instead.
          Object.defineProperties(record, Object.getOwnPropertyDescriptors(withNames(all)));
        })(),
      );
      return record;
    },
  };
  const redacted = redactValue(value, node, rulesAt, other, { later });
  for (let part = parts.pop(); part; part = parts.pop()) yield* part;
  return redacted;
}

/** A number as a text for comparison; any other value unchanged. */
const asText = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);

// Up to the last @ before the path: everything before it is userinfo.
const userinfo = /^(?<scheme>[a-z][\w+.-]*:\/\/)(?<secret>[^/?#\\]+)@/i;

/** Masks a string of this schema. In a URI that isn't secret itself, the userinfo is. */
function redactText(
  text: string,
  schema: JsonSchema | undefined,
  { hide, text: showText, host = showText }: MaskingRules,
): string {
  if (schema?.secret) return hide(text);
  if (schema?.bareHost) return host(text);
  if (schema?.terminalOutput) return showText(withStyleMarks(text));
  const { scheme, secret } = (schema?.format === 'uri' && userinfo.exec(text)?.groups) || {};
  // Userinfo that the pattern can't separate: the whole URI is hidden.
  if (secret === undefined && schema?.format === 'uri' && hasUserinfo(text)) return hide(text);
  return scheme === undefined || secret === undefined
    ? showText(text)
    : `${scheme}${hide(secret)}${showText(text.slice(scheme.length + secret.length))}`;
}

// A host has no userinfo here: what is before it is secret, too.
const uptoHost =
  /^(?<scheme>[a-z][\w+.-]*:\/\/)(?:(?<user>[^/?#\\]+)@)?(?<host>[^/?#\\@]+)(?<start>[/?#]?)(?<rest>.*)$/is;

/** Masks everything in an address except its scheme and host. */
function redactAfterHost(address: string, { hide, text: showText }: MaskingRules): string {
  const { scheme, user, host, start, rest } = uptoHost.exec(address)?.groups ?? {};
  if (scheme === undefined) return hide(address);
  return `${scheme}${user === undefined ? '' : `${hide(user)}@`}${showText(`${host}${start}`)}${hide(rest ?? '')}`;
}

/**
 * Whether what follows the host of an address is secret, by the member beside it; undefined if nothing tells.
 */
function isSecretAfterHost(
  { secretAfterHost: unless }: JsonSchema,
  record: JsonRecord,
  schema: JsonSchema | undefined,
): boolean | undefined {
  if (unless === undefined) return false;
  const beside = record[unless.member] ?? memberOf(schema, unless.member)?.default;
  return beside === undefined ? undefined : beside !== unless.value;
}

/** Masks an item of a list. A value may follow its flag, or its name in a list of `[name, value]` pairs. */
function redactItem(
  { list, item, index, isInList, below, later }: { list: readonly unknown[]; item: unknown; index: number } & Place,
  schema: JsonSchema | undefined,
  rulesAt: MaskingRulesAt,
  other: unknown,
): unknown {
  const previous: unknown = list[index - 1];
  const name = typeof previous === 'string' && !previous.includes('=') ? withoutInvisible(previous) : undefined;
  if (typeof item === 'string' && name !== undefined && isSecretName(name, withoutInvisible(item))) {
    const rules = rulesAt(item, other);
    const isFlag = name.startsWith('-');
    if (isFlag ? rules.afterFlag(item, name) : isInList && list.length === 2 && rules.byName(item))
      return rules.hide(item);
  }
  return redactValue(item, schema?.items, rulesAt, other, { isInList: true, below, later });
}

/**
 * The kind of secrets that the names of a value in a map suggest. In a row of a list only the members that carry its
 * secret count.
 */
function saidOfMember(name: string, names: readonly string[], { isInList, below }: Place): NestedKind | undefined {
  const own = names.flatMap((one) => nestedKindOf(one) ?? [])[0];
  return own ?? (isInList && !isCarrier(name) ? undefined : below);
}

/** The schema of a member as it counts in this record: one that is a secret in some records may be none here. */
const asIn = (record: JsonRecord, schema: JsonSchema | undefined): JsonSchema | undefined =>
  schema?.secretWhere === undefined || record[schema.secretWhere] === true ? schema : { ...schema, secret: false };

/** Masks a member of a record, and its name if the schema doesn't declare it. */
function redactMember(
  record: JsonRecord,
  name: string,
  member: unknown,
  schema: JsonSchema | undefined,
  rulesAt: MaskingRulesAt,
  other: unknown,
  place: Place,
): readonly [string, unknown] {
  const declared = asIn(record, memberOf(schema, name));
  const memberOther = otherIn(other, name);
  // Most members: neither their name nor one beside them tells anything.
  if (declared && declared.secretAfterHost === undefined && !valueMember.test(name))
    return [name, redactValue(member, declared, rulesAt, memberOther, { later: place.later })];
  const nameRules = rulesAt(name, memberOther === undefined ? undefined : name);
  const shownName = declared ? name : nameRules.text(name);
  const ownNames = declared ? [] : nameReadings(name, nameRules);
  const pairNames = valueMember.test(name) ? namesIn(record).flatMap((one) => nameReadings(one, nameRules)) : [];
  const below = declared && pairNames.length === 0 ? undefined : saidOfMember(name, [...ownNames, ...pairNames], place);
  const inner = (): unknown =>
    redactValue(member, declared ?? othersOf(schema), rulesAt, memberOther, { below, later: place.later });
  if (typeof member !== 'string' && typeof member !== 'number') return [shownName, inner()];
  const text = String(member);
  const rules = rulesAt(text, asText(memberOther));
  if (declared && typeof member === 'string' && (isSecretAfterHost(declared, record, schema) ?? !rules.onlyIfCertain))
    return [shownName, redactAfterHost(member, rules)];
  const visible = visibleReading(text);
  const tells = (one: string): boolean =>
    typeof member === 'number' ? isSecretNumber(one, member) : isSecretName(one, visible) || isCredentialHeader(one);
  const isSecret =
    ownNames.some(tells) ||
    pairNames.some(
      (one) => tells(one) || (rules.byShape && typeof member === 'string' && looksLikeSecret(one, visible)),
    ) ||
    (!declared &&
      place.below !== undefined &&
      (!place.isInList || isCarrier(name)) &&
      isNestedSecret(place.below, isCarrier(name) ? undefined : name, visible));
  return [
    shownName,
    isSecret && rules.byName(text, record)
      ? rules.hide(text)
      : redactValue(member, declared ?? othersOf(schema), rulesAt, memberOther),
  ];
}
