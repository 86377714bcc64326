import type { ChainAnchor, ChainAnchors } from '../../../audit/index.ts';
import type { GuardConnection } from './connection.ts';

const putLater = `insert into guard_chain_anchor (chain, entries, sealed) values ($1, $2, $3)
  on conflict (chain) do update set entries = excluded.entries, sealed = excluded.sealed where excluded.entries > guard_chain_anchor.entries`;

/** The anchors of audit chains in a PostgreSQL database. */
export const postgresChainAnchors = ({ run }: GuardConnection): ChainAnchors => ({
  put: async ({ chain, count, sealed }) => void (await run(putLater, chain, count, sealed)),
  all: async () => (await run('select chain, entries as count, sealed from guard_chain_anchor order by chain')) as unknown as ChainAnchor[],
});
