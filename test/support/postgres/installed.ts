import { existsSync, readdirSync } from 'node:fs';

const versions = '/usr/lib/postgresql';

/** The newest version of PostgreSQL with a server that is installed here; that of Debian 12 if there is none. */
export const postgresVersion: string =
  (existsSync(versions) ? readdirSync(versions) : [])
    .filter((version) => existsSync(`${versions}/${version}/bin/postgres`))
    .toSorted((one, other) => Number(other) - Number(one))[0] ?? '15';

/** Where Debian has the programs and the libraries of that version, and where its other files. */
export const postgresFolders = {
  programs: `${versions}/${postgresVersion}`,
  others: `/usr/share/postgresql/${postgresVersion}`,
} as const;
