import type { SchemaSteps } from '../../../../postgres/index.ts';

/** What guarded servers share, in a database that others may share as well. */
export const guardSchema: SchemaSteps = {
  name: 'guard',
  steps: [
    {
      name: '0001-shared-state',
      compatibleSince: 1,
      statements: [
        // One row each. Whoever decides something by looking at many rows locks the one of its name first.
        'create table guard_lock (name text primary key)',
        "insert into guard_lock values ('waiting'), ('high-risk calls'), ('secret tries')",
        'create table guard_time (latest timestamptz)',
        'insert into guard_time values (null)',
        `create table guard_waiting (
          code text primary key,
          seq bigint not null generated always as identity,
          call text not null,
          identity text not null,
          record text not null,
          seal text not null,
          expires_at timestamptz not null,
          verdict text,
          signature text,
          check ((verdict is null) = (signature is null))
        )`,
        'create index guard_waiting_call on guard_waiting (call)',
        'create index guard_waiting_identity on guard_waiting (identity) where verdict is null',
        'create index guard_waiting_expiry on guard_waiting (expires_at, seq)',
        'create table guard_high_risk_call (id bigint primary key generated always as identity, at timestamptz not null)',
        'create index guard_high_risk_call_at on guard_high_risk_call (at)',
        'create table guard_secret_try (id bigint primary key generated always as identity, at timestamptz not null, source text not null)',
        'create index guard_secret_try_source on guard_secret_try (source, at)',
        'create table guard_single_use (id text primary key, expires_at timestamptz not null, is_used boolean not null default false)',
        'create index guard_single_use_expiry on guard_single_use (expires_at)',
        'create table guard_chain_anchor (chain text primary key, entries bigint not null, sealed text not null)',
      ],
    },
    {
      name: '0002-keys-operators-resources',
      compatibleSince: 1,
      statements: [
        "insert into guard_lock values ('keys')",
        'create table guard_key_check (key text not null, digest text not null, reported_at timestamptz not null, primary key (key, digest))',
        'create table guard_operator_session (id text primary key, last_used timestamptz not null)',
        `create table guard_resource (
          principal text not null,
          kind text not null,
          id text not null,
          resource json not null,
          learned_at timestamptz not null,
          primary key (principal, kind, id)
        )`,
        'create index guard_resource_learned on guard_resource (learned_at)',
        'create index guard_resource_id on guard_resource (id)',
      ],
    },
  ],
};
