import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../src/platform/common/index.ts';
import { openRealClusters, type RealCluster } from '../../src/platform/real-clusters.ts';
import { engineProvider } from '../../src/platform/runtime-providers.ts';
import type { KeptText, Runtime } from '../../src/platform/runtime/index.ts';
import { seedEmptyOrganization } from '../../src/platform/seed/index.ts';
import { type DataStore, openDatabase, openVault, readSetting, writeSetting } from '../../src/platform/store/index.ts';
import { directoryForRecords } from '../support/memory-directory.ts';

let dataDir: string;
let db: DataStore;

beforeEach(async () => {
  dataDir = await mkdtemp(join(directoryForRecords, 'infra-mcp-clusters-'));
  db = await openDatabase(dataDir);
  await seedEmptyOrganization(db, new Date().toISOString());
  // As every version has stored it.
  await writeSetting(db, 'swarm_of_cluster/local', 's1');
});

afterEach(async () => {
  await db.destroy();
  await rm(dataDir, { recursive: true });
});

const open = (createRuntime: RealCluster['createRuntime']) =>
  openRealClusters(
    db,
    { clusters: [{ name: 'local', description: 'Of the test.', version: 'test', createRuntime }], registries: [] },
    { clock: systemClock, random: systemRandom, vault: openVault(dataDir) },
  );

test('a runtime finds what it kept in the records, by its own name for it', async () => {
  let swarm: KeptText | undefined;
  let other: KeptText | undefined;
  await open(({ kept }) => {
    [swarm, other] = [kept('swarm'), kept('other')];
    return {} as Runtime;
  });
  expect(await swarm?.read()).toBe('s1');
  expect(await other?.read()).toBeUndefined();
  await swarm?.write('s2');
  expect(await readSetting(db, 'swarm_of_cluster/local')).toBe('s2');
});

test('Docker forgets the swarm of before in directories of earlier versions, where a cluster has one address', async () => {
  const provider = await engineProvider();
  const source = { file: undefined, resolve: (path: string) => path, read: async () => '' };
  const settings = await provider.readSettings(provider.configOf({ engine: 'unix:///nowhere.sock' }), source);
  const shared = { registries: [], credentialsFor: () => undefined, images: {}, git: {} };
  const created = await provider.create({ name: 'local', settings }, shared, source);
  await open(created.createRuntime);
  await created.close();
  expect(await readSetting(db, 'swarm_of_cluster/local')).toBe('');
});
