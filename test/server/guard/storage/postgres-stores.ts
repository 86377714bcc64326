import { parseAddress } from '../../../../src/postgres/index.ts';
import type { GuardStore } from '../../../../src/server/guard/index.ts';
import { postgresGuardStore } from '../../../../src/server/guard/storage/postgres-store.ts';
import { inDatabase } from '../../../support/postgres/in-database.ts';
import type { Tampering } from './test-stores.ts';

export const openAt = (address: string, isTimeGiven: boolean): GuardStore =>
  postgresGuardStore(parseAddress(address), { isTimeGiven });

/** Makes a database on a server. @param name of plain letters and digits. */
export async function createPlace(
  server: string,
  name: string,
): Promise<
  AsyncDisposable & {
    readonly address: string;
    readonly tamper: Tampering;
    readonly rows: () => Promise<unknown>;
    readonly cutConnections: () => Promise<void>;
  }
> {
  const address = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const run = async (statement: string, ...values: readonly string[]): Promise<void> =>
    void (await inDatabase(address, statement, values));
  await inDatabase(server, `create database ${name}`);
  return {
    address,
    tamper: {
      putVerdict: (code, verdict, signature) =>
        run('update guard_waiting set verdict = $2, signature = $3 where code = $1', code, verdict, signature),
      changeVerdicts: (verdict) => run('update guard_waiting set verdict = $1 where verdict is not null', verdict),
      moveDecision: (from, to) =>
        run(
          'update guard_waiting set (verdict, signature) = (select verdict, signature from guard_waiting where code = $1) where code = $2',
          from,
          to,
        ),
      replaceInRecords: (old, text) => run('update guard_waiting set record = replace(record, $1, $2)', old, text),
      prolong: () => run("update guard_waiting set expires_at = expires_at + interval '50 years'"),
    },
    rows: () => inDatabase(address, 'select * from guard_waiting'),
    cutConnections: async () =>
      void (await inDatabase(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        name,
      ])),
    [Symbol.asyncDispose]: async () => void (await inDatabase(server, `drop database ${name} with (force)`)),
  };
}
