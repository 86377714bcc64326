import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { defaultDataDir, type Config } from '../config/read-config.ts';
import type { AuditKeys } from '../../server/audit/chain-heads.ts';
import { auditDecisions, auditRecorder, type RecordDecision } from '../../server/audit/call-records.ts';
import { commandSink, fileSink } from '../../server/audit/sink.ts';
import { createAuditLog, type AuditLog } from '../../server/audit/audit-log.ts';
import { createApprovals, type ApprovalsConfig } from '../../server/guard/approvals/approvals.ts';
import { highRiskCallsIn } from '../../server/guard/storage/high-risk-calls.ts';
import { keysFromFile, type KeyProvider } from '../../server/context/keys.ts';
import { storeAt } from '../../server/guard/storage/store.ts';
import type { GuardDependencies } from '../../server/protocol/shared-dependencies.ts';

/** What the guard keeps in a data directory. */
const guardFiles = (dataDir: string) => ({
  keys: join(dataDir, 'guard.key'),
  store: join(dataDir, 'guard.sqlite'),
  operator: join(dataDir, 'operator.json'),
  audit: join(dataDir, 'audit.jsonl'),
  heads: join(dataDir, 'audit-heads'),
});

const keysFor = (config: Config): KeyProvider => keysFromFile(guardFiles(config.dataDir).keys);

/** A word as a shell takes it, whatever is in it. */
const shellQuoted = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** What the operator's command has to be told to find the same directory and log. Not the audit command: it may hold secrets. */
function operatorOptions({ dataDir, auditFile }: Config): string | undefined {
  const words = [...(dataDir === defaultDataDir(process.env) ? [] : ['--data-dir', dataDir]), ...(auditFile === undefined ? [] : ['--audit-file', auditFile])];
  return words.length === 0 ? undefined : words.map(shellQuoted).join(' ');
}

/** Where approvals are asked for and given. */
export const approvalsConfigOf = (config: Config, keys: KeyProvider = keysFor(config)): ApprovalsConfig => {
  const { store, operator } = guardFiles(config.dataDir);
  const places = JSON.stringify([auditFilesOf(config, keys).file, config.auditCommand]);
  return { store: storeAt(store), keys, operator, options: operatorOptions(config), log: () => createHmac('sha256', keys('audit')).update(places).digest('base64url') };
};

/** Where the audit log is and what it is sealed with. */
export interface AuditFiles {
  readonly file: string;
  readonly heads: string;
  readonly keys: () => AuditKeys;
}

export function auditFilesOf(config: Config, keys: KeyProvider = keysFor(config)): AuditFiles {
  const { audit, heads } = guardFiles(config.dataDir);
  return { file: config.auditFile ?? audit, heads, keys: () => ({ entries: keys('audit'), heads: keys('audit head') }) };
}

/** The log of this process. */
function trailOf(config: Config, keys: KeyProvider): AuditLog {
  const { file, heads, keys: auditKeys } = auditFilesOf(config, keys);
  return createAuditLog({ sink: config.auditCommand ? commandSink(config.auditCommand) : fileSink(file), heads, keys: auditKeys });
}

const clock = { now: Date.now };

/** The log for what the operator decides in a process that serves nobody. */
export function openDecisionLog(config: Config): { readonly record: RecordDecision; readonly close: () => Promise<void> } {
  const trail = trailOf(config, keysFor(config));
  return { record: auditDecisions(trail, clock), close: () => trail.close() };
}

/** What a process opens of the guard. */
export interface OpenGuard {
  readonly dependencies: GuardDependencies;
  /** Records what the operator decides in this process. */
  readonly recordDecision: RecordDecision;
  /** Waits until all records are written. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The guard's parts that outlive the process; nothing is opened or made before a call needs it. */
export function openGuard(config: Config): OpenGuard {
  const keys = keysFor(config);
  const approvals = approvalsConfigOf(config, keys);
  const trail = trailOf(config, keys);
  return {
    dependencies: { keys, recorder: auditRecorder(trail, clock), approvals: createApprovals(approvals), highRiskCalls: highRiskCallsIn(approvals.store) },
    recordDecision: auditDecisions(trail, clock),
    settled: () => trail.flush(),
    close: async () => {
      await trail.close();
      approvals.store.close();
    },
  };
}
