import { join } from 'node:path';
import { defaultDataDir, type Config } from '../config.ts';
import type { AuditKeys } from '../mcp/audit/heads.ts';
import { auditRecorder } from '../mcp/audit/recorder.ts';
import { commandSink, fileSink } from '../mcp/audit/sink.ts';
import { createTrail } from '../mcp/audit/trail.ts';
import { createApprovals, type ApprovalsConfig } from '../mcp/guard/approvals/approvals.ts';
import { graveCallsIn } from '../mcp/guard/grave-calls.ts';
import { keysIn, type Keys } from '../mcp/guard/keys.ts';
import { storeAt } from '../mcp/guard/store.ts';
import type { GuardParts } from '../mcp/parts.ts';

/** What the guard keeps in a data directory. */
const keptIn = (dataDir: string) => ({
  keys: join(dataDir, 'guard.key'),
  store: join(dataDir, 'guard.sqlite'),
  operator: join(dataDir, 'operator.json'),
  audit: join(dataDir, 'audit.jsonl'),
  heads: join(dataDir, 'audit-heads'),
});

const keysFor = (config: Config): Keys => keysIn(keptIn(config.dataDir).keys);

/** A word as a shell takes it, whatever is in it. */
const quoted = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** Where approvals are asked for and given. */
export const approvalsOf = (config: Config, keys: Keys = keysFor(config)): ApprovalsConfig => {
  const { store, operator } = keptIn(config.dataDir);
  const isUsual = config.dataDir === defaultDataDir(process.env);
  return { store: storeAt(store), keys, operator, ...(!isUsual && { options: `--data-dir ${quoted(config.dataDir)}` }) };
};

/** Where the audit log is and what it is sealed with. */
export interface AuditPlaces {
  readonly file: string;
  readonly heads: string;
  readonly keys: () => AuditKeys;
}

export function auditOf(config: Config, keys: Keys = keysFor(config)): AuditPlaces {
  const { audit, heads } = keptIn(config.dataDir);
  return { file: config.auditFile ?? audit, heads, keys: () => ({ entries: keys('audit'), heads: keys('audit head') }) };
}

/** What a process opens of the guard. */
export interface OpenGuard {
  readonly parts: GuardParts;
  /** Waits until all records are written. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The guard's parts that outlive the process; nothing is opened or made before a call needs it. */
export function openGuard(config: Config): OpenGuard {
  const keys = keysFor(config);
  const approvals = approvalsOf(config, keys);
  const audit = auditOf(config, keys);
  const trail = createTrail({ sink: config.auditCommand ? commandSink(config.auditCommand) : fileSink(audit.file), heads: audit.heads, keys: audit.keys });
  return {
    parts: { keys, recorder: auditRecorder(trail, { now: Date.now }), approvals: createApprovals(approvals), graveCalls: graveCallsIn(approvals.store) },
    settled: () => trail.settled(),
    close: async () => {
      await trail.close();
      approvals.store.close();
    },
  };
}
