import { hiddenSecret, isRecord, shortened, type JsonRecord } from '../../../contract/index.ts';
import { shownAddress } from '../../engine/index.ts';

/** The changed members of a resource, before and after: JSON text by dotted path. */
export interface ChangedMembers {
  readonly change: string;
  readonly original_change: string | null;
}

const secretName = /secret|passw|token|credential|private|api_?key|access_?key|auth/i;
const harmlessName = /_ids?$|^trigger_authentication$|^author/i;

const isSecretName = (name: string): boolean => secretName.test(name) && !harmlessName.test(name);

// Free text, such as the values of a chart. Secrets can't be distinguished in it.
const textMembers: readonly string[] = ['content', 'config_yaml', 'mount_content', 'dockerfile_raw'];
const longestText = 500;
const longestChange = 8_000;

const hideInText = (text: string): string =>
  text
    .replaceAll(/:\/\/[^\s/@]+@/g, `://${hiddenSecret}@`)
    .replaceAll(/((?:secret|passw\w*|token|credential\w*|key)["']?\s*[=:]\s*)[^\s,;]+/gi, `$1${hiddenSecret}`);

const shownText = (name: string, text: string): string => {
  if (textMembers.includes(name)) return `${text.length} characters`;
  return shortened(hideInText(text), longestText);
};

/** Whether a list is a pair of a name and a value, as in the values of a chart. */
const isPair = (list: readonly unknown[]): list is readonly [string, string] =>
  list.length === 2 &&
  list.every((one) => typeof one === 'string') &&
  /^[\w.[\]-]+$/.test(String(list[0])) &&
  !String(list[0]).startsWith('-');

/** Whether the next argument of a program is a secret, judged by this one. */
const follows = (previous: unknown): boolean =>
  typeof previous === 'string' && /^--?[\w-]+$/.test(previous) && isSecretName(previous);

/** A value without the secrets in it. @param name the member that holds it */
function withoutSecrets(name: string, value: unknown): unknown {
  if (name.startsWith('sealed_') || (isSecretName(name) && value !== null && typeof value !== 'boolean'))
    return hiddenSecret;
  if (typeof value === 'string') return shownText(name, value);
  if (Array.isArray(value))
    return isPair(value) && isSecretName(value[0])
      ? [value[0], hiddenSecret]
      : value.map((one, index) => (follows(value[index - 1]) ? hiddenSecret : withoutSecrets('', one)));
  if (!isRecord(value)) return value;
  const isSecretRow =
    value['secret'] === true ||
    ['key', 'name'].some((member) => typeof value[member] === 'string' && isSecretName(value[member]));
  return Object.fromEntries(
    Object.entries(value).map(([member, one]) => [
      member,
      isSecretRow && member === 'value' ? hiddenSecret : withoutSecrets(member, one),
    ]),
  );
}

const times: readonly string[] = ['created_at', 'updated_at'];

/** The members of a record by dotted path. Lists are one member. */
const leaves = (record: JsonRecord, path = ''): readonly (readonly [string, unknown])[] =>
  Object.entries(record).flatMap(([name, value]) => {
    if (value === null || value === undefined || times.includes(name)) return [];
    return isRecord(value) ? leaves(value, `${path}${name}.`) : [[`${path}${name}`, value] as const];
  });

/**
 * A value for comparison: members are sorted, and rows of lists have no ids, because a replacement may assign new ones.
 */
const comparable = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map((one) =>
      comparable(isRecord(one) ? Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'id')) : one),
    );
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, one]) => [name, comparable(one)]),
  );
};

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The defaults of omitted members, by their last names. False and empty lists are always defaults. */
export type MemberDefaults = Readonly<Record<string, unknown>>;

const isDefault = (path: string, value: unknown, defaults: MemberDefaults): boolean =>
  value === undefined ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  value === defaults[lastName(path)];

/** A member that an event shows. The address of a chat is shown up to its host. */
const shownMember = (members: ReadonlyMap<string, unknown>, path: string): unknown =>
  withoutSecrets(
    lastName(path),
    path === 'target_url'
      ? shownAddress({ kind: String(members.get('kind')), target_url: String(members.get(path)) })
      : members.get(path),
  );

const shown = (members: ReadonlyMap<string, unknown>, paths: readonly string[], isSecretValue: boolean): string => {
  const record = Object.fromEntries(
    paths.flatMap((path) => {
      if (!members.has(path)) return [];
      return [[path, isSecretValue && path === 'value' ? hiddenSecret : shownMember(members, path)] as const];
    }),
  );
  const text = JSON.stringify(record);
  return text.length > longestChange
    ? JSON.stringify(Object.fromEntries(Object.keys(record).map((path) => [path, 'too long to keep'])))
    : text;
};

/**
 * The difference between two states of a resource, without secrets. A changed secret is reported as changed only.
 * @param before undefined for something new
 * @param after undefined for something deleted
 * @param identifying members that are shown even if they did not change
 * @param defaults a default that is filled in or left out is no change
 */
export function changedMembers(
  before: JsonRecord | undefined,
  after: JsonRecord | undefined,
  identifying: readonly string[] = [],
  defaults: MemberDefaults = {},
): ChangedMembers {
  const [old, now] = [new Map(leaves(before ?? {})), new Map(leaves(after ?? {}))];
  const isFilledIn = (path: string): boolean =>
    before !== undefined &&
    after !== undefined &&
    [old, now].every((members) => isDefault(path, members.get(path), defaults));
  const differs = (path: string): boolean =>
    !isFilledIn(path) && JSON.stringify(comparable(old.get(path))) !== JSON.stringify(comparable(now.get(path)));
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => differs(path) || identifying.includes(path),
  );
  const isSecretValue = [old.get('key'), now.get('key')].some((key) => typeof key === 'string' && isSecretName(key));
  return {
    change: shown(now, paths, isSecretValue),
    original_change: before === undefined ? null : shown(old, paths, isSecretValue),
  };
}
