import { isDeepStrictEqual } from 'node:util';

/** Any value of a configuration file. */
export type ConfigValue = Readonly<Record<string, unknown>>;

/** The location of a server's entry in a file: the member with all servers, and its name there. */
export type EntryPath = readonly [member: string, name: string];

/** Reads and changes entries in one format. A change leaves alone every byte that isn't part of the entry. */
export interface ConfigFormat {
  /** @throws Error that says where the text is wrong. A blank text is an empty configuration. */
  readonly parse: (text: string) => ConfigValue;
  /** The text with an entry set. */
  readonly set: (text: string, path: EntryPath, entry: ConfigValue) => string;
  /** The text without an entry. @param withMember whether the member goes too if nothing else is in it. */
  readonly remove: (text: string, path: EntryPath, withMember: boolean) => string;
  /** An entry as written into an otherwise empty file. */
  readonly show: (path: EntryPath, entry: ConfigValue) => string;
}

/** Whether a value has members. */
export const isObject = (value: unknown): value is ConfigValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The servers in a configuration. @throws Error if the member is not an object. */
export function serversIn(config: ConfigValue, member: string): ConfigValue {
  const servers = config[member] ?? {};
  if (!isObject(servers)) throw new Error(`its ${member} is not an object`);
  return servers;
}

/** The entry of a server; undefined if there is none. @throws Error if it is not an object. */
export function entryIn(config: ConfigValue, [member, name]: EntryPath): ConfigValue | undefined {
  const servers = serversIn(config, member);
  if (!Object.hasOwn(servers, name)) return undefined;
  const entry = servers[name];
  if (!isObject(entry)) throw new Error(`its ${member}.${name} is not an object`);
  return entry;
}

/**
 * Checks that a change had the expected effect, and no other.
 * @throws Error otherwise, for example because the file has a member twice.
 */
export function assertChanged(format: ConfigFormat, after: string, expected: ConfigValue): void {
  const parsed = (() => {
    try {
      return format.parse(after);
    } catch {
      return undefined;
    }
  })();
  if (!isDeepStrictEqual(parsed, expected))
    throw new Error("it is written in a way that can't be changed without changing more of it");
}

/** A configuration with an entry set. */
export const withEntry = (config: ConfigValue, [member, name]: EntryPath, entry: ConfigValue): ConfigValue => ({
  ...config,
  [member]: { ...serversIn(config, member), [name]: entry },
});

/** A configuration without an entry. @param withMember whether the member goes too if nothing else is in it. */
export function withoutEntry(config: ConfigValue, [member, name]: EntryPath, withMember: boolean): ConfigValue {
  const { [name]: _, ...servers } = serversIn(config, member);
  const { [member]: __, ...rest } = config;
  return withMember && Object.keys(servers).length === 0 ? rest : { ...config, [member]: servers };
}

/** The line break of a text. */
export const lineBreakOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
