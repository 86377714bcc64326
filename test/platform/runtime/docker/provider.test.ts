import { expect, test } from 'vitest';
import { dockerProvider } from '../../../../src/platform/runtime/docker/index.ts';
import type { KeptText } from '../../../../src/platform/runtime/index.ts';

const shared = { registries: [], credentialsFor: () => undefined, images: {}, git: {} };
const source = {
  file: undefined,
  resolve: (path: string) => path,
  read: async () => {
    throw new Error('no file is named');
  },
};

/** Creates the runtime of a cluster. @returns what the records keep of it afterwards, by name */
async function keptAfterStart(engine: string | string[], before: Readonly<Record<string, string>>) {
  const records = new Map(Object.entries(before));
  const kept = (name: string): KeptText => ({
    read: async () => records.get(name) || undefined,
    write: async (text) => void records.set(name, text),
  });
  const settings = await dockerProvider.readSettings(
    dockerProvider.configSchema.parse({ engine }) as Parameters<typeof dockerProvider.readSettings>[0],
    source,
  );
  const created = await dockerProvider.create({ name: 'local', settings }, shared, source);
  const runtime = await created.createRuntime({
    clock: { now: Date.now },
    platformId: 'p1',
    secretFor: () => Buffer.alloc(32).toString('base64url'),
    kept,
  });
  await runtime.close?.();
  await created.close();
  return Object.fromEntries(records);
}

const several = ['unix:///nowhere.sock', 'unix:///elsewhere.sock'];

test('a cluster with several addresses stays with the swarm that the records know', async () => {
  expect(await keptAfterStart(several, { swarm: 's1' })).toEqual({ swarm: 's1' });
});

test('a cluster with one address forgets the swarm of before, so that it can have moved to another', async () => {
  expect(await keptAfterStart('unix:///nowhere.sock', { swarm: 's1' })).toEqual({ swarm: '' });
  expect(await keptAfterStart('unix:///nowhere.sock', {})).toEqual({});
});
