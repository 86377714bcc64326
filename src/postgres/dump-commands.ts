import { parseAddress } from './address.ts';

/** Quotes a word for a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** An address as the database's own tools take it: without the password, and with how connections are encrypted. */
function addressForTools(text: string): string {
  const url = new URL(text);
  const { tls } = parseAddress(text);
  url.password = '';
  url.searchParams.delete('passwordfile');
  if (!url.searchParams.has('sslmode')) url.searchParams.set('sslmode', tls ? 'verify-full' : 'disable');
  return url.href;
}

/** The commands of the database's own tools that write a dump of it, and read one into a database that is empty. They ask for the password, or take it from PGPASSWORD or ~/.pgpass. */
export const dumpCommands = (address: string, file: string): { readonly dump: string; readonly restore: string } => ({
  dump: `pg_dump -Fc -f ${file} -d ${quoted(addressForTools(address))}`,
  restore: `pg_restore -1 -d ${quoted(addressForTools(address))} ${file}`,
});
