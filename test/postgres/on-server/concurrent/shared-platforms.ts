import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { toWire, type OperationName, operations } from '../../../../src/contract/index.ts';
import { openPool, type PostgresPool } from '../../../../src/postgres/index.ts';
import { silentLog } from '../../../../src/platform/common/index.ts';
import { startPlatform } from '../../../../src/platform/index.ts';
import { openPostgresRecords } from '../../../../src/platform/store/postgres/open-records.ts';
import type { DataStore } from '../../../../src/platform/store/index.ts';
import type { Runtime } from '../../../../src/platform/runtime/index.ts';
import type { Json } from '../../../support/test-platform.ts';
import { ownDatabase } from '../own-database.ts';

/** How a platform answered. */
export interface Answer {
  readonly operation: OperationName;
  readonly status: number;
  readonly body: Json;
}

/** Platforms on one database, with pools of their own. */
export interface SharedPlatforms {
  readonly organizationId: string;
  /** Sends a request to one of them. @param turn which one, by its number; any number will do */
  call(turn: number, operation: OperationName, input: Json): Promise<Answer>;
  /** What they logged as errors. */
  readonly errors: readonly unknown[];
  readonly admin: PostgresPool;
  /** The same records, as one more process opens them. */
  readonly store: DataStore;
  close(): Promise<void>;
}

/** Everything succeeds at once. */
const runtime: Runtime = {
  refusalOf: () => undefined,
  begin: async () => undefined,
  abandon: async () => undefined,
  commits: async () => [],
  addressesOf: () => [],
  sweep: async () => ({ removed: [], left: [] }),
  observeRunning: async () => [],
  logs: async () => [],
  upgradeFails: () => false,
  simulatedCondition: () => false,
  pauseBefore: () => 0,
  observe: async () => ({ outcome: 'succeeded', lines: [], cursor: '' }),
};

const token = 'token-of-the-tests';

/** Starts platforms whose organization has the clusters `small`, which holds a few services at most, and `large`. */
export async function startSharedPlatforms(count: number, servicesOnSmall: number): Promise<SharedPlatforms> {
  const home = await mkdtemp(join(tmpdir(), 'shared-platforms-'));
  const database = await ownDatabase();
  const errors: unknown[] = [];
  const realClusters = {
    clusters: [
      {
        name: 'small',
        description: '',
        version: 'test',
        limits: { services: servicesOnSmall },
        createRuntime: () => runtime,
      },
      { name: 'large', description: '', version: 'test', createRuntime: () => runtime },
    ],
    registries: [{ name: 'ours', kind: 'GENERIC_CR', url: 'https://registry.example.com' }],
  } as const;
  const start = () =>
    startPlatform({
      dataDir: home,
      token,
      rateLimit: 1e9,
      realClusters,
      openRecords: () => openPostgresRecords(database.address, { maximumConnections: 8 }),
      log: { ...silentLog, error: (...what: unknown[]) => void errors.push(what) },
    });
  // The first one makes the records.
  const platforms = [await start()];
  while (platforms.length < count) platforms.push(await start());
  const admin = openPool(database.address, { applicationName: 'test', maximumConnections: 3 });
  const store = await openPostgresRecords(database.address, { maximumConnections: 2 });
  return {
    organizationId: platforms[0]!.organizationId,
    errors,
    admin,
    store,
    call: async (turn, operation, input) => {
      const { method, target, body: sent } = toWire(operations[operation], input);
      const { statusCode: status, body } = await request(`${platforms[turn % platforms.length]!.url}${target}`, {
        method,
        headers: { authorization: `Token ${token}`, ...(sent && { 'content-type': 'application/json' }) },
        body: sent && JSON.stringify(sent),
      });
      const text = await body.text();
      return { operation, status, body: (text === '' ? {} : JSON.parse(text)) as Json };
    },
    close: async () => {
      await Promise.all(platforms.map((platform) => platform.close()));
      await store.destroy();
      await admin.end();
      await database.drop();
      await rm(home, { recursive: true });
    },
  };
}
