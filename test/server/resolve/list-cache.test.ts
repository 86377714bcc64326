import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../src/contract/operations.ts';
import { createNameResolver, type PersistentNameResolver } from '../../../src/server/resolve/name-resolver.ts';
import { listLifetime } from '../../../src/server/resolve/list-cache.ts';
import { seedId } from '../../../src/platform/seed/ids.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { recordingCaller, resolutionProblem, readerBy, type RecordingCaller } from './recording-caller.ts';

let platform: TestPlatform;
let addresses: PersistentNameResolver;
let now: number;
const open: RecordingCaller[] = [];

const caller = (principal: string, token = platform.tokens.admin): RecordingCaller => {
  const one = recordingCaller(platform.url, token, addresses, { principal, now: () => now });
  open.push(one);
  return one;
};

beforeAll(async () => {
  platform = await startTestPlatform();
});
beforeEach(() => {
  addresses = createNameResolver();
  now = 0;
});
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await platform.close();
});

const wholeWay = ['get_organization', 'list_projects', 'list_environments', 'list_services'];
const checkout = 'shop/staging/checkout-api';
const newDatabase = (name: string) => ({ environment_id: platform.seed['environment_id']!, name, type: 'REDIS', version: '7', mode: 'CONTAINER' });

describe('a list', () => {
  test('is read once and serves what lies beside, until it is old', async () => {
    const { lookup: look, operations: asked } = caller('ann');
    await addresses.resolve('service', checkout, look);
    await addresses.resolve('database', 'shop/staging/orders-db', look);
    expect(asked).toEqual(wholeWay);
    await addresses.resolve('environment', 'shop/production', look);
    expect(asked).toEqual(wholeWay);
    now += listLifetime;
    await addresses.resolve('service', checkout, look);
    expect(asked).toEqual([...wholeWay, ...wholeWay]);
  });

  test('is read once for those who ask at the same time', async () => {
    const { lookup: look, operations: asked } = caller('ann');
    const found = await Promise.all([checkout, 'shop/staging/search', 'shop/staging/orders-db'].map((path) => addresses.resolve('service', path, look)));
    expect(found.map(({ kind }) => kind)).toEqual(['application', 'container', 'database']);
    expect(asked).toEqual(wholeWay);
  });

  test('that somebody gave up on is read by the others themselves', async () => {
    const { lookup: look, operations: asked } = caller('ann');
    const [asking, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
    const read = (): Promise<unknown> => {
      asking.resolve();
      return answer.promise;
    };
    const hasty = addresses.resolve('service', checkout, { ...look, reader: readerBy(read) });
    await asking.promise;
    const patient = addresses.resolve('service', checkout, look);
    answer.reject(new Error('gave up'));
    await expect(hasty).rejects.toThrow('gave up');
    expect(await patient).toMatchObject({ path: checkout });
    expect(asked).toEqual(wholeWay);
  });

  test('is read anew once before something is said to be unknown', async () => {
    const { lookup: look, operations: asked } = caller('ann');
    await addresses.resolve('service', checkout, look);
    // Made by somebody else.
    const { id } = await platform.must('create_database', newDatabase('latecomer'));
    expect(await addresses.resolve('service', 'shop/staging/latecomer', look)).toMatchObject({ id, kind: 'database' });
    expect(asked).toEqual([...wholeWay, ...wholeWay]);
    await resolutionProblem(addresses.resolve('service', 'shop/staging/nobody', look));
    expect(asked).toEqual([...wholeWay, ...wholeWay, ...wholeWay]);
  });

  test('is forgotten when something in it was made or renamed', async () => {
    const { lookup: look, operations: asked, call } = caller('ann');
    await addresses.resolve('service', checkout, look);
    const { id } = await call(operations.create_database, newDatabase('fresh'));
    expect(await addresses.resolve('service', 'shop/staging/fresh', look)).toMatchObject({ id });
    expect(asked).toEqual([...wholeWay, 'create_database', 'list_services']);
    const search = await call(operations.get_container, { container_id: platform.seed['container_id'] });
    await call(operations.update_container, { ...search, container_id: search['id'], name: 'finder' });
    await resolutionProblem(addresses.resolve('container', 'shop/staging/search', look));
    expect(await addresses.resolve('container', 'shop/staging/finder', look)).toMatchObject({ id: search['id'] });
    await call(operations.update_container, { ...search, container_id: search['id'] });
  });
});

describe('an id', () => {
  test('of a known kind costs no request', async () => {
    const { lookup: look, operations: asked } = caller('ann');
    const id = seedId('service/shop/staging/search');
    expect(await addresses.resolve('container', id, look)).toEqual({ kind: 'container', id });
    expect(await addresses.resolve('service', `container:${id}`, look)).toEqual({ kind: 'container', id });
    expect(await addresses.resolve('service', `infra://service/container/${id}/status`, look)).toEqual({ kind: 'container', id });
    expect(asked).toEqual([]);
  });

  test('of a service tells its kind when it was seen before, and is looked for otherwise', async () => {
    const id = seedId('service/data/development/importer');
    const stranger = caller('ann');
    expect(await addresses.resolve('service', id, stranger.lookup)).toMatchObject({ kind: 'container', path: 'data/development/importer', environment: { mode: 'DEVELOPMENT' } });
    expect(stranger.operations).toContain('list_services');
    addresses = createNameResolver();
    const acquainted = caller('ann');
    await acquainted.call(operations.get_container, { container_id: id });
    expect(await addresses.resolve('service', id, acquainted.lookup)).toMatchObject({ kind: 'container', name: 'importer' });
    expect(acquainted.operations).toEqual(['get_container']);
  });

  test('that nothing has is no service', async () => {
    const { lookup: look } = caller('ann');
    expect(await resolutionProblem(addresses.resolve('service', '00000000-0000-4000-8000-000000000000', look))).toMatchObject({ why: 'unknown' });
  });
});

test('what one principal saw is never told to another', async () => {
  const [ann, bob] = [caller('ann'), caller('bob')];
  const refused = { ...bob.lookup, reader: readerBy(() => Promise.reject(new Error('bob may not read'))) };
  const { id } = await addresses.resolve('service', checkout, ann.lookup);
  await addresses.complete('service', 'che', ann.lookup);
  await expect(addresses.resolve('service', checkout, refused)).rejects.toThrow('bob may not read');
  await expect(addresses.complete('service', 'che', refused)).rejects.toThrow('bob may not read');
  await expect(addresses.organization(refused)).rejects.toThrow('bob may not read');
  expect(await addresses.resolve('application', id, refused)).toEqual({ kind: 'application', id });
  await addresses.resolve('service', checkout, bob.lookup);
  expect(bob.operations).toEqual(wholeWay);
});
