import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { decodedText, unreadableBecause } from '../contract/index.ts';

/** The location of a database, and the credentials for it. */
export interface PostgresAddress {
  /** A host name, an IP address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Reads the password. Called for each connection, so that a password replaced in its file takes effect. */
  readonly password?: () => string;
  /** Undefined if the connection is not encrypted. */
  readonly tls?: ConnectionOptions;
}

const standardPort = 5432;

/** The modes of encryption, from none to a certificate that must be the host's. */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof tlsModes)[number];

const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'passwordfile', 'host'] as const;

const form =
  'Write it as postgres://user@host:5432/database, with passwordfile=<path>, sslmode and sslrootcert=<path> after a question mark where needed.';

const wrong = (reason: string): Error => new Error(`The address of the database can't be used: ${reason}. ${form}`);

/** Whether a host is this machine, so that traffic to it crosses no network. */
export const isOnThisMachine = (host: string): boolean =>
  host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host);

/**
 * Reads a file that an address names.
 * @throws Error that names the parameter and the path, but not the content of the file
 */
const fileOf = (parameter: string, path: string): string => {
  try {
    return decodedText(readFileSync(path));
  } catch (error) {
    throw wrong(`${parameter} names the file ${path}, which can't be read (${unreadableBecause(error)})`);
  }
};

const tlsOf = (mode: TlsMode, given: URLSearchParams): ConnectionOptions | undefined => {
  if (mode === 'disable') return undefined;
  const file = (name: (typeof parameters)[number]) => {
    const path = given.get(name);
    return path === null ? undefined : fileOf(name, path);
  };
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')];
  return {
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
};

/** The password in a file, without the trailing newline that editors add. */
const passwordIn = (path: string): string => fileOf('passwordfile', path).replace(/\r?\n$/, '');

const passwordOf = (url: URL, given: URLSearchParams): PostgresAddress['password'] => {
  const path = given.get('passwordfile');
  if (path !== null && url.password !== '') throw wrong('it has a password and a passwordfile; leave one of them out');
  if (path !== null) {
    passwordIn(path);
    return () => passwordIn(path);
  }
  return url.password === '' ? undefined : () => decodeURIComponent(url.password);
};

/**
 * Parses the address of a database. Without sslmode, connections to this machine are not encrypted, and any other host
 * must present its own valid certificate.
 * @throws Error that says what is wrong, without the password
 */
export function parseAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw wrong('it is no postgres:// address');
  const given = url.searchParams;
  const unknown = [...given.keys()].find((name) => !parameters.some((known) => known === name));
  if (unknown !== undefined) throw wrong(`it has the parameter ${unknown}; known are ${parameters.join(', ')}`);
  const host = (given.get('host') ?? decodeURIComponent(url.hostname)).replace(/^\[(?<ip>.*)\]$/, '$<ip>');
  const database = decodeURIComponent(url.pathname.slice(1));
  if (host === '') throw wrong('it names no host');
  if (database === '') throw wrong('it names no database');
  if (url.username === '') throw wrong('it names no user');
  const mode = given.get('sslmode') ?? (isOnThisMachine(host) ? 'disable' : 'verify-full');
  if (!tlsModes.some((known) => known === mode)) throw wrong(`sslmode is ${mode}; use one of ${tlsModes.join(', ')}`);
  const [password, tls] = [passwordOf(url, given), tlsOf(mode as TlsMode, given)];
  return {
    host,
    database,
    user: decodeURIComponent(url.username),
    port: url.port === '' ? standardPort : Number(url.port),
    ...(password && { password }),
    ...(tls && { tls }),
  };
}

/** An address for display, without password. */
export const shownAddress = ({ host, port, database, user }: PostgresAddress): string =>
  `${user}@${host}:${port}/${database}`;

/** Quotes a word for a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** An address for the database's own tools: without the password, and with an explicit sslmode. */
function addressForTools(text: string): string {
  const url = new URL(text);
  const { tls } = parseAddress(text);
  url.password = '';
  url.searchParams.delete('passwordfile');
  if (!url.searchParams.has('sslmode')) url.searchParams.set('sslmode', tls ? 'verify-full' : 'disable');
  return url.href;
}

/**
 * The commands of the database's own tools that dump it, and restore a dump into an empty database. They prompt for the
 * password, or read it from PGPASSWORD or ~/.pgpass.
 */
export const dumpCommands = (address: string, file: string): { readonly dump: string; readonly restore: string } => ({
  dump: `pg_dump -Fc -f ${file} -d ${quoted(addressForTools(address))}`,
  restore: `pg_restore -1 -d ${quoted(addressForTools(address))} ${file}`,
});
