import {
  flag,
  json,
  long,
  numbered,
  type Queries,
  type RowsOf,
  type Schema,
  table,
  text,
  time,
} from '../../../database/index.ts';
import { takeOverEarlierFile } from './earlier-file.ts';

/** The operator's decision and, if approved, whether in a terminal or on the page. */
export type Verdict = 'approved' | 'approved_on_page' | 'refused';

/** A key that all servers of a store have in common, or several keys that are valid at once. */
export type SharedKey = 'guard key' | 'question keys' | 'operator';

/** The decisions of transactions that depend on many rows, and so must be made one at a time. */
export type Decided = 'waiting' | 'high-risk calls' | 'secret tries' | 'keys';

const tables = {
  /** One row for each kind of decision that depends on many rows. A transaction locks it before deciding. */
  guard_lock: table({ name: text<Decided>().key() }),
  /** One row. */
  guard_time: table({ latest: time().orNull() }),
  guard_waiting: table(
    {
      code: text().key(),
      seq: numbered(),
      call: text(),
      identity: text(),
      record: text(),
      seal: text(),
      expires_at: time(),
      verdict: text<Verdict>().orNull(),
      signature: text().orNull(),
    },
    {
      constraints: ['check ((verdict is null) = (signature is null))'],
      indexes: {
        guard_waiting_call: { on: ['call'] },
        guard_waiting_identity: { on: ['identity'], where: 'verdict is null' },
        guard_waiting_expiry: { on: ['expires_at', 'seq'] },
      },
    },
  ),
  /** The decisions of named operators. A call may need several. */
  guard_decision: table(
    { code: text(), operator: text(), verdict: text<Verdict>(), note: text(), signature: text() },
    { since: 3, key: ['code', 'operator'] },
  ),
  /** Calls that no longer wait, for a while: whoever made one is told how it ended. */
  guard_ended: table(
    { code: text().key(), record: text(), seal: text(), ending: text().orNull(), drop_at: time() },
    { since: 4, indexes: { guard_ended_drop: { on: ['drop_at'] } } },
  ),
  guard_high_risk_call: table({ id: numbered(), at: time() }, { indexes: { guard_high_risk_call_at: { on: ['at'] } } }),
  guard_secret_try: table(
    { id: numbered(), at: time(), source: text() },
    { indexes: { guard_secret_try_source: { on: ['source', 'at'] } } },
  ),
  guard_single_use: table(
    { id: text().key(), expires_at: time(), is_used: flag().default(0) },
    { indexes: { guard_single_use_expiry: { on: ['expires_at'] } } },
  ),
  guard_chain_anchor: table({ chain: text().key(), entries: long(), sealed: text() }),
  guard_key_check: table(
    { key: text<SharedKey>(), digest: text(), reported_at: time() },
    { since: 2, key: ['key', 'digest'] },
  ),
  guard_operator_session: table({ id: text().key(), last_used: time() }, { since: 2 }),
  guard_resource: table(
    { principal: text(), kind: text(), id: text(), resource: json(), learned_at: time() },
    {
      since: 2,
      key: ['principal', 'kind', 'id'],
      indexes: { guard_resource_learned: { on: ['learned_at'] }, guard_resource_id: { on: ['id'] } },
    },
  ),
};

const inBoth = (...statements: readonly string[]) => ({ sqlite: statements, postgres: statements });

/** The shared state of guarded servers, in a database that others may share as well. */
export const guardSchema: Schema<typeof tables> = {
  name: 'guard',
  tables,
  steps: [
    {
      name: '0001-shared-state',
      compatibleSince: 1,
      after: inBoth(
        "insert into guard_lock values ('waiting'), ('high-risk calls'), ('secret tries')",
        'insert into guard_time values (null)',
      ),
    },
    {
      name: '0002-keys-operators-resources',
      compatibleSince: 1,
      after: inBoth("insert into guard_lock values ('keys')"),
    },
    { name: '0003-decisions-of-named-operators', compatibleSince: 1 },
    { name: '0004-ended-calls', compatibleSince: 1 },
  ],
  takeOver: {
    sqlite: async (run, takeSteps) => {
      await takeSteps();
      await takeOverEarlierFile(run);
    },
  },
};

/** Runs queries on the tables. */
export type GuardQueries = Queries<RowsOf<typeof tables>>;
