import * as z from 'zod';

/** Why an address can't be used. */
export type AddressFault = 'folder' | 'scheme' | 'characters' | 'credentials' | 'host' | 'path' | 'dots' | 'query';

/** An address in its parts. */
export interface ParsedAddress {
  /** The address, reassembled from its parts. Use this one: programs parse unusual addresses differently. */
  readonly url: string;
  /** In lower case, without a colon. */
  readonly scheme: string;
  /** The host, with the port if the address has a non-default one. */
  readonly host: string;
  /** The host alone; an IPv6 address has no brackets. */
  readonly hostname: string;
  /** Undefined if the address has none, or the default port of https or http. */
  readonly port?: number;
}

const faultTexts: Readonly<Record<AddressFault, string>> = {
  folder:
    'must be the address of a git server, not a folder or file://, which no platform can read: push the repository to a ' +
    'server, and give its https:// or ssh:// address there',
  scheme: 'must begin with its scheme, such as https://',
  characters:
    'must not hold backslashes, spaces, control characters or characters beyond ASCII, which programs read in ' +
    'different ways: write a host in its xn-- form, and encode others in percent form',
  credentials: 'must not hold a user name or password; link a git token or give the credentials in their own members',
  host:
    'must name its host as it is looked up: a name of letters, digits, dots and dashes, or an IP address in its usual ' +
    'form, and a port from 1 to 65535',
  path: 'must have a path after its host',
  dots: 'must not have "." or ".." as a part of its path, also not in percent form: write the path that it leads to',
  query: 'must not have "?" or "#" in it; give a branch by its own name',
};

/**
 * The fault of an address, as the end of a sentence that starts with the name of the field. It repeats no part of the
 * address.
 */
export const addressFaultText = (fault: AddressFault): string => faultTexts[fault];

/** Visible ASCII without the backslash. */
const plain = /^[!-[\]-~]*$/;

/** Percent-encoded control characters: some programs decode them. */
const encodedControl = /%(?:[01][\da-f]|7f)/i;

/** Dot segments of a path, also encoded: the address then refers to a different place than it seems to. */
const dots = /(?:^|\/|%2f|%5c)(?:\.|%2e){1,2}(?=$|\/|%2f|%5c)/i;

const parts = /^(?<scheme>[a-z][a-z\d+.-]*):\/\/(?:(?<user>[^/?#]*)@)?(?<host>[^/?#@]*)(?<rest>[/?#].*)?$/i;

/** A host name or IP address that every program parses alike, with its port. */
const plainHost = /^(?<name>[a-z\d](?:[\w.-]*[a-z\d])?|\[[\da-f:.]+\])(?::(?<port>[1-9]\d{0,4}))?$/i;

const usualPorts: Readonly<Record<string, number>> = { https: 443, http: 80 };

/**
 * Reads a host and its port.
 * @returns undefined unless they are written in canonical form, so no IP address as a single number
 */
function readHost(text: string, scheme: string): Pick<ParsedAddress, 'host' | 'hostname' | 'port'> | undefined {
  const { name, port } = plainHost.exec(text.toLowerCase())?.groups ?? {};
  // Parsed as http, because its hosts are parsed most strictly.
  if (name === undefined || URL.parse(`http://${text}/`)?.hostname !== name) return undefined;
  const own = port === undefined || Number(port) === usualPorts[scheme] ? undefined : Number(port);
  return {
    host: own === undefined ? name : `${name}:${own}`,
    hostname: name.replace(/^\[|\]$/g, ''),
    ...(own !== undefined && { port: own }),
  };
}

/** The rules for an address. */
interface AddressRules {
  readonly schemes: readonly string[];
  /** Whether it may contain this user, possibly with a password. Default: no user. */
  readonly user?: (user: string, scheme: string) => boolean;
  /** Whether it needs a path, and may have neither a query nor a fragment. */
  readonly isPathOnly?: boolean;
}

/** Reads an address. @returns its parts, or why it can't be used */
function readAddress(
  text: string,
  { schemes, user: mayName = () => false, isPathOnly = false }: AddressRules,
): ParsedAddress | AddressFault {
  if (!plain.test(text) || encodedControl.test(text)) return 'characters';
  const { scheme: given = '', user, host: written = '', rest = '' } = parts.exec(text)?.groups ?? {};
  const scheme = given.toLowerCase();
  if (!schemes.includes(scheme)) return 'scheme';
  if (user !== undefined && !mayName(user, scheme)) return 'credentials';
  // Programs disagree on where such a user ends.
  if (user?.includes('@')) return 'host';
  const host = readHost(written, scheme);
  if (dots.test(rest.replace(/[?#].*/, ''))) return 'dots';
  // Only for the path: it is encoded as clients encode it.
  const read = host && URL.parse(`http://${host.host}${rest}`);
  if (!host || !read) return 'host';
  if (isPathOnly && /[?#]/.test(rest)) return 'query';
  if (isPathOnly && read.pathname === '/') return 'path';
  return {
    url: `${scheme}://${user === undefined ? '' : `${user}@`}${host.host}${read.pathname}${read.search}${read.hash}`,
    scheme,
    ...host,
  };
}

/** The short form of an ssh address: user, host and path. */
const shortSsh = /^(?<user>\w[\w.-]*)@(?<host>[^:/@[\]]+):(?<path>(?!\/\/)[^?#]+)$/;

/** What git would take from the machine that it runs on: a path, with or without a drive, or an address with file. */
const folder = /^(?:file:|(?:\.{0,2}|~)[\\/]|[a-z]:[\\/])/i;

const isSshUser = (user: string, scheme: string): boolean => scheme === 'ssh' && /^\w[\w.-]*$/.test(user);

/**
 * Reads the address of a git repository: https, http or ssh, or like git@host:owner/repository.git.
 * @returns its parts, or why it can't be used
 */
export function readGitAddress(text: string): ParsedAddress | AddressFault {
  if (folder.test(text)) return 'folder';
  if (!plain.test(text) || encodedControl.test(text)) return 'characters';
  const { user, host: written = '', path } = shortSsh.exec(text)?.groups ?? {};
  if (user === undefined)
    return readAddress(text, { schemes: ['https', 'http', 'ssh'], user: isSshUser, isPathOnly: true });
  if (dots.test(path!)) return 'dots';
  const host = readHost(written, 'ssh');
  return host?.port === undefined && host ? { url: `${user}@${host.host}:${path!}`, scheme: 'ssh', ...host } : 'host';
}

/** Reads an address with http or https. It may have credentials. @returns its parts, or why it can't be used */
export const readHttpAddress = (text: string): ParsedAddress | AddressFault =>
  readAddress(text, { schemes: ['http', 'https'], user: () => true });

/** Reads the address of a chart registry. @returns its parts, or why it can't be used */
export const readChartAddress = (text: string, scheme: 'https' | 'oci'): ParsedAddress | AddressFault =>
  readAddress(text, { schemes: [scheme] });

/** Reads an address with http or https that may not have credentials. @returns its parts, or why it can't be used */
export const readServerAddress = (text: string): ParsedAddress | AddressFault =>
  readAddress(text, { schemes: ['https', 'http'] });

/** A schema for an address. @param read one of the functions above @param base the schema that is checked first */
export function addressText(
  read: (text: string) => ParsedAddress | AddressFault,
  base: z.ZodString = z.string(),
): z.ZodString {
  return base.refine((text) => typeof read(text) !== 'string', {
    error: ({ input }) => {
      const found = read(String(input));
      return typeof found === 'string' ? addressFaultText(found) : undefined;
    },
  });
}
