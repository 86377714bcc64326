import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { isThere } from '../../files/index.ts';
import type { Config } from '../config/index.ts';
import {
  auditDecisions,
  auditRecorder,
  commandSink,
  createAnchoring,
  createAuditLog,
  fileSink,
  type AuditKeys,
  type AuditLog,
  type RecordDecision,
} from '../../server/audit/index.ts';
import {
  createApprovalQueue,
  createApprovals,
  sqliteGuardStore,
  type ApprovalObserver,
  type ApprovalsConfig,
  type ChatChannel,
  type GuardStore,
  type WaitingWebhook,
} from '../../server/guard/index.ts';
import { keysFromFile, type KeyProvider } from '../../server/context/index.ts';
import { typedProgram } from '../init/launch.ts';
import { keyFilesOf } from './secret-file.ts';
import { approveCommandOf, operatorFlags } from './typed-command.ts';
import type { SharedGuard } from './shared-guard.ts';
import type { GuardDependencies } from '../../server/protocol/index.ts';

/** The guard's files: those that all processes share, and those of this machine. */
const guardFiles = ({ dataDir, keysDir }: Config) => ({
  ...keyFilesOf(keysDir),
  store: join(dataDir, 'guard.sqlite'),
  audit: join(dataDir, 'audit.jsonl'),
  heads: join(dataDir, 'audit-heads'),
});

/** The file of the state that the servers of a data directory share. */
export const guardStoreOf = (config: Config): string => guardFiles(config).store;

/** The keys of the guard, which servers with the same keys directory share. */
export const keysFor = (config: Config): KeyProvider => keysFromFile(guardFiles(config).guard);

/**
 * Identifies the log to which a process records. The logs of servers that share a store count as one, because they are
 * verified together.
 */
const logOf = (config: Config, keys: KeyProvider, isShared: boolean) => (): string =>
  createHmac('sha256', keys('audit'))
    .update(JSON.stringify(isShared ? ['shared'] : [auditFilesOf(config, keys).file, config.auditCommand]))
    .digest('base64url');

/** The configuration of approvals. @param shared the store of approvals; default that of the data directory. */
export const approvalsConfigOf = (
  config: Config,
  keys: KeyProvider = keysFor(config),
  shared?: { readonly store: GuardStore },
): ApprovalsConfig => {
  const { store, operator } = guardFiles(config);
  return {
    store: shared?.store ?? sqliteGuardStore(store),
    keys,
    operator,
    operators: config.approvalsOperators,
    acceptsChat: config.approvalsChat !== undefined,
    program: typedProgram(),
    options: operatorFlags(config),
    log: logOf(config, keys, shared !== undefined),
  };
};

/** Paths of the audit log and the keys that seal it. */
export interface AuditFiles {
  readonly file: string;
  readonly heads: string;
  readonly keys: () => AuditKeys;
}

/** The paths and keys of the configured audit log. */
export function auditFilesOf(config: Config, keys: KeyProvider = keysFor(config)): AuditFiles {
  const { audit, heads } = guardFiles(config);
  return {
    file: config.auditFile ?? audit,
    heads,
    keys: () => ({ entries: keys('audit'), heads: keys('audit head') }),
  };
}

/** Creates this process's audit log. @param shared the place where its chains are anchored, if any. */
function auditLogOf(config: Config, keys: KeyProvider, shared?: Pick<SharedGuard, 'store' | 'anchorFailed'>): AuditLog {
  const { file, heads, keys: auditKeys } = auditFilesOf(config, keys);
  return createAuditLog({
    sink: config.auditCommand ? commandSink(config.auditCommand, config.auditCommandEnv) : fileSink(file),
    heads,
    keys: auditKeys,
    ...(shared && {
      anchoring: createAnchoring({ anchors: shared.store.anchors, keys: auditKeys, failed: shared.anchorFailed }),
    }),
  });
}

const clock = { now: Date.now };

/**
 * Opens the audit log for operator decisions in a process that runs no server.
 * @param shared the place where its chain is anchored, if any.
 */
export function openDecisionLog(
  config: Config,
  shared?: Pick<SharedGuard, 'store' | 'anchorFailed'>,
): { readonly record: RecordDecision; readonly close: () => Promise<void> } {
  const auditLog = auditLogOf(config, keysFor(config), shared);
  return { record: auditDecisions(auditLog, clock), close: () => auditLog.close() };
}

/** The guard's dependencies, with functions to record decisions and to close them. */
export interface OpenGuard {
  readonly dependencies: GuardDependencies;
  /** Records the operator's decisions in this process. */
  readonly recordDecision: RecordDecision;
  /** The number of calls that wait for the operator. Creates no file. @throws Error if they can't be read. */
  readonly waiting: () => Promise<number>;
  /** Resolves when all records are written. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OpenGuardOptions {
  /** Notify operators of waiting calls; closed with the rest. */
  readonly webhook?: WaitingWebhook | undefined;
  readonly chat?: ChatChannel | undefined;
  /** Observes the calls that wait for the operator. */
  readonly observer?: ApprovalObserver | undefined;
  /** The state that this server shares with others. Default: nothing beyond the data directory. */
  readonly shared?: SharedGuard | undefined;
}

/** Opens the guard's persistent dependencies. No file is opened or created before a call needs it. */
export function openGuard(config: Config, { webhook, chat, observer, shared }: OpenGuardOptions = {}): OpenGuard {
  const keys = keysFor(config);
  const approvals = approvalsConfigOf(config, keys, shared);
  const { store } = approvals;
  const auditLog = auditLogOf(config, keys, shared);
  const recordDecision = auditDecisions(auditLog, clock);
  const isStored = (): boolean => shared !== undefined || isThere(guardFiles(config).store);
  return {
    dependencies: {
      approveCommand: approveCommandOf(config),
      keys,
      recorder: auditRecorder(auditLog, clock),
      approvals: createApprovals({ ...approvals, observer }, (pending) => {
        webhook?.announce(pending);
        chat?.post(pending);
      }),
      highRiskCalls: store.highRiskCalls,
      ...(shared && { sharedAnswers: { singleUses: store.singleUses, keyRing: shared.keyRing } }),
    },
    recordDecision,
    waiting: async () =>
      isStored() ? createApprovalQueue(approvals, { how: 'terminal', record: recordDecision }).count(clock.now()) : 0,
    settled: () => auditLog.flush(),
    close: async () => {
      await Promise.all([webhook?.close(), chat?.close()]);
      await auditLog.close();
      if (!shared) await store.close();
    },
  };
}
