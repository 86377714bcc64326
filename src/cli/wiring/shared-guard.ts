import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isThere } from '../../files/index.ts';
import type { Config } from '../config/index.ts';
import { keysFromFile, keyRingOrNewIn, type KeyRing, type ServerLogger } from '../../server/context/index.ts';
import type { SharedKey, SharedStore } from '../../server/guard/index.ts';
import { schemaStateIn } from './existing-tables.ts';
import { keyFilesOf } from './secret-file.ts';

/** The state that servers with the same database share. They also have the same keys. */
export interface SharedGuard {
  readonly store: SharedStore;
  readonly keyRing: KeyRing;
  /** Receives the reason when an audit chain can't be anchored in the store. Calls continue. */
  readonly anchorFailed: (error: unknown) => void;
  /** Closes the store. Servers must be closed before. */
  readonly close: () => Promise<void>;
}

/** The interval at which a server reports its question keys and operator, in milliseconds. */
const reportInterval = 60_000;

const differs = (what: string, where: string, next: string): Error =>
  new Error(`${what} in ${where}, and the servers on this database have another. Nothing was changed. ${next}`);

const copyAll = (keysDir: string): string =>
  `Copy guard.key, operator.json and question-*.key from the keys directory of one of them to ${keysDir}, or let INFRA_KEYS_DIR name that directory.`;

const guardDigest = (path: string): string => keysFromFile(path)('check').toString('base64url');

/**
 * The digests that the servers on the database have of the key that seals approvals and the audit log.
 * @throws Error if they have one, and this directory has none
 */
async function guardDigestsOf({ keyChecks }: SharedStore, { keysDir }: Config): Promise<readonly string[]> {
  const path = keyFilesOf(keysDir).guard;
  // Queried before the file check, because a server that starts at the same time on the same directory creates the file
  // before it reports it.
  const digests = await keyChecks.known('guard key', Date.now());
  if (digests.length > 0 && !isThere(path)) {
    throw new Error(
      `There is no ${path}, and the servers on this database have one, which seals approvals and the audit log. Nothing was changed. ${copyAll(keysDir)}`,
    );
  }
  return digests;
}

/**
 * Requires that the key that seals approvals and the audit log is that of the first server. A directory gets a new one
 * only if no server has one.
 */
async function requireGuardKey(store: SharedStore, config: Config): Promise<true> {
  await guardDigestsOf(store, config);
  const digest = guardDigest(keyFilesOf(config.keysDir).guard);
  if (!(await store.keyChecks.report('guard key', [digest], Date.now())))
    throw differs('There is a guard.key', config.keysDir, copyAll(config.keysDir));
  return true;
}

/** Whether servers have used the store. If so, requires the same as above; nothing is created. */
async function isUsedWithGuardKey(store: SharedStore, config: Config): Promise<boolean> {
  const digests = await guardDigestsOf(store, config);
  if (digests.length === 0) return false;
  if (!digests.includes(guardDigest(keyFilesOf(config.keysDir).guard)))
    throw differs('There is a guard.key', config.keysDir, copyAll(config.keysDir));
  return true;
}

const ringDigests = (ring: ReturnType<KeyRing>): readonly string[] =>
  ring.map((keys) => keys('check').toString('base64url'));

/** A digest of the operator's file; undefined if no secret is set. */
async function operatorDigest({ keysDir }: Config): Promise<string | undefined> {
  const { guard, operator } = keyFilesOf(keysDir);
  const content = await readFile(operator).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return content && createHmac('sha256', keysFromFile(guard)('check')).update(content).digest('base64url');
}

/** Reports the changeable keys. @returns those that differ from the other servers'. */
async function reportKeys(
  { keyChecks }: SharedStore,
  config: Config,
  questionKeys: readonly string[],
): Promise<SharedKey[]> {
  const operator = await operatorDigest(config);
  const reports: (readonly [SharedKey, readonly string[]])[] = [
    ['question keys', questionKeys],
    ...(operator === undefined ? [] : [['operator', [operator]] as const]),
  ];
  const results = await Promise.all(
    reports.map(async ([key, digests]) => ((await keyChecks.report(key, digests, Date.now())) ? [] : [key])),
  );
  return results.flat();
}

const wait = 'If those servers are gone for good, start this one again in three minutes.';

async function requireSameKeys(store: SharedStore, config: Config, keyRing: KeyRing): Promise<void> {
  const [first] = await reportKeys(store, config, ringDigests(keyRing()));
  if (first === 'question keys')
    throw differs(
      'There are question-*.key',
      config.keysDir,
      `Copy those from the keys directory of one of them. ${wait}`,
    );
  if (first === 'operator')
    throw differs(
      "There is an operator.json with the operator's secret",
      config.keysDir,
      `Copy operator.json from the keys directory of one of them. ${wait}`,
    );
}

/**
 * Opens the store in the configured database.
 * @param isUsable checks the guard key
 * @returns undefined if it isn't usable
 */
async function openStore(
  config: Config,
  databaseUrl: string,
  isUsable: (store: SharedStore, config: Config) => Promise<boolean>,
): Promise<SharedStore | undefined> {
  const [{ parseAddress, shownAddress }, { postgresGuardStore }] = await Promise.all([
    import('../../postgres/index.ts'),
    import('../../server/guard/storage/postgres-store.ts'),
  ]);
  const address = parseAddress(databaseUrl);
  const store = postgresGuardStore(address);
  try {
    if (await isUsable(store, config)) return store;
    await store.close();
    return undefined;
  } catch (error) {
    await store.close();
    const { name, message } = error as Error;
    throw name === 'StoreUnavailable'
      ? new Error(`${message} (${shownAddress(address)}, from INFRA_DATABASE_URL). Fix that, then start again.`, {
          cause: error,
        })
      : error;
  }
}

/**
 * Opens the store that the servers on the configured database share, for a command of the operator.
 * @returns undefined without a database
 * @throws Error if the database can't be used, or the keys aren't those of the servers
 */
export const openSharedStore = async (config: Config): Promise<SharedStore | undefined> =>
  config.databaseUrl === undefined ? undefined : openStore(config, config.databaseUrl, requireGuardKey);

async function olderError(databaseUrl: string): Promise<Error> {
  const { parseAddress, shownAddress } = await import('../../postgres/index.ts');
  return new Error(
    `The records of the servers in ${shownAddress(parseAddress(databaseUrl))} are of an earlier version. A command that reads does not migrate them: ` +
      'start a server of this version, which does, or run this command with the version of the servers that run.',
  );
}

/**
 * The same for a command that only reads: creates neither tables nor keys.
 * @returns undefined without a database, and if no server has used it
 * @throws Error also if the tables are of an earlier version
 */
export async function openExistingSharedStore(config: Config): Promise<SharedStore | undefined> {
  const { databaseUrl } = config;
  if (databaseUrl === undefined) return undefined;
  const { guardSchema } = await import('../../server/guard/storage/postgres-store.ts');
  const state = await schemaStateIn(databaseUrl, guardSchema);
  if (state === 'older') throw await olderError(databaseUrl);
  return state === 'missing' ? undefined : openStore(config, databaseUrl, isUsedWithGuardKey);
}

/** Notifies the servers of the operator's new secret. */
export async function announceOperator({ keyChecks }: SharedStore, config: Config): Promise<void> {
  const digest = await operatorDigest(config);
  if (digest !== undefined) await keyChecks.replace('operator', digest, Date.now());
}

/**
 * A key ring that reports when its newest key changes, so that other servers know the key before it is the only one.
 */
function reportingChanges(ring: KeyRing, onChange: (digests: readonly string[]) => void): KeyRing {
  let newest: string | undefined;
  return () => {
    const keys = ring();
    const digest = keys[0]!('check').toString('base64url');
    if (newest !== undefined && digest !== newest) onChange(ringDigests(keys));
    newest = digest;
    return keys;
  };
}

/** The same for a server, which must also have the question keys and the operator of the others. */
export async function openSharedGuard(config: Config, log: ServerLogger): Promise<SharedGuard | undefined> {
  const store = await openSharedStore(config);
  if (!store) return undefined;
  try {
    const ring = keyRingOrNewIn(config.keysDir);
    await requireSameKeys(store, config, ring);
    const compare = async (digests: readonly string[]): Promise<void> => {
      for (const key of await reportKeys(store, config, digests))
        log.error(
          { key, directory: config.keysDir },
          'the other servers on the database have a different one: their questions can only be confirmed at the server that asked',
        );
    };
    let comparing: Promise<void> = Promise.resolve();
    // Reported in the order in which the rings were read, because each ring contains a key of the previous one.
    const report = (digests: readonly string[]): void =>
      void (comparing = comparing
        .then(() => compare(digests))
        .catch((error: unknown) => log.warn({ err: error }, 'keys not compared with those of the other servers')));
    const reportAll = async (): Promise<void> => report(ringDigests(ring()));
    const timer = setInterval(
      () => void reportAll().catch((error: unknown) => log.error({ err: error }, 'question keys not read')),
      reportInterval,
    ).unref();
    return {
      store,
      keyRing: reportingChanges(ring, report),
      anchorFailed: (error) =>
        log.warn({ err: error }, 'audit chain not anchored in the database; tried again with the next entry'),
      close: async () => {
        clearInterval(timer);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
