import { each, type Run } from '../../../database/index.ts';

/** The tables of earlier versions, which have no migration steps. An earlier version creates missing ones again. */
const earlierTables = [
  'create table if not exists pending (code text primary key, call text not null, record text not null, seal text not null, expires_at integer not null) strict',
  'create table if not exists decision (code text primary key references pending on delete cascade, verdict text not null, signature text not null) strict',
  "create table if not exists wrong_secret (at integer not null, source text not null default '') strict",
  'create table if not exists grave_call (at integer not null) strict',
  'create table if not exists latest_time (at integer not null) strict',
  'create table if not exists single_use (id text primary key, expires_at integer not null, used integer not null default 0) strict',
  'create table if not exists chain_anchor (chain text primary key, entries integer not null, sealed text not null) strict',
];

/** A time as text. Those tables have it in milliseconds since 1970, however far a clock was ahead. */
const moment = (column: string): string =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', min(${column}, 253402300799999) / 1000.0, 'unixepoch')`;

/** Records of the first versions have only the principal. */
const identity = "coalesce(json_extract(record, '$.identity'), json_extract(record, '$.principal'), '')";

const copies = [
  `insert into guard_waiting (code, call, identity, record, seal, expires_at, verdict, signature)
    select code, call, ${identity}, record, seal, ${moment('expires_at')}, verdict, signature from pending left join decision using (code) order by pending.rowid`,
  `insert into guard_high_risk_call (at) select ${moment('at')} from grave_call order by at`,
  `insert into guard_secret_try (at, source) select ${moment('at')}, source from wrong_secret order by at`,
  `insert into guard_single_use (id, expires_at, is_used) select id, ${moment('expires_at')}, used from single_use`,
  'insert into guard_chain_anchor (chain, entries, sealed) select chain, entries, sealed from chain_anchor',
  `update guard_time set latest = (select ${moment('max(at)')} from latest_time)`,
];

const notice =
  'This file has the records of a newer version. Nothing was changed. Start the newer version of infra-mcp.';

/**
 * Takes over the data of earlier versions, within a transaction. Afterwards their tables are empty and reject inserts,
 * so that such a version, even one that is still running, fails with a message instead of counting and confirming in
 * parallel.
 */
export async function takeOverEarlierFile(run: Run): Promise<void> {
  await each(run, earlierTables);
  const columns = await run("select name from pragma_table_info('wrong_secret')");
  if (!columns.some(({ name }) => name === 'source'))
    await run("alter table wrong_secret add column source text not null default ''");
  await each(run, copies);
  await each(
    run,
    ['decision', 'pending', 'wrong_secret', 'grave_call', 'latest_time', 'single_use', 'chain_anchor'].flatMap(
      (table) => [
        `delete from ${table}`,
        `create trigger ${table}_moved before insert on ${table} begin select raise(abort, '${notice}'); end`,
      ],
    ),
  );
}
