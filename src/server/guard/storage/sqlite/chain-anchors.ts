import type { ChainAnchor, ChainAnchors } from '../../../audit/index.ts';
import type { SqliteConnection } from './connection.ts';

const putLater = `INSERT INTO chain_anchor (chain, entries, sealed) VALUES (?, ?, ?)
  ON CONFLICT (chain) DO UPDATE SET entries = excluded.entries, sealed = excluded.sealed WHERE excluded.entries > chain_anchor.entries`;

/** The anchors of audit chains in a SQLite database. */
export const sqliteChainAnchors = ({ run }: SqliteConnection): ChainAnchors => ({
  put: ({ chain, count, sealed }) => run((database) => void database.prepare(putLater).run(chain, count, sealed)),
  all: () => run((database) => database.prepare('SELECT chain, entries AS count, sealed FROM chain_anchor ORDER BY chain').all() as unknown as ChainAnchor[]),
});
