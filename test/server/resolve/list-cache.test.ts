import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../src/contract/index.ts';
import { createNameResolver, type PersistentNameResolver } from '../../../src/server/resolve/index.ts';
import { listLifetime } from '../../../src/server/resolve/list-cache.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';
import { recordingCaller, resolutionProblem, readerBy, type RecordingCaller } from './recording-caller.ts';

let platform: TestPlatform;
let resolver: PersistentNameResolver;
let now: number;
const open: RecordingCaller[] = [];

const caller = (principal: string, token = platform.tokens.admin): RecordingCaller => {
  const one = recordingCaller(platform.url, token, resolver, { principal, now: () => now });
  open.push(one);
  return one;
};

beforeAll(async () => {
  platform = await startTestPlatform();
});
beforeEach(() => {
  resolver = createNameResolver();
  now = 0;
});
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await platform.close();
});

const wholeWay = ['get_organization', 'list_projects', 'list_environments', 'list_services'];
const checkout = 'shop/staging/checkout-api';
const newDatabase = (name: string) => ({
  environment_id: platform.seed['environment_id']!,
  name,
  type: 'REDIS',
  version: '7',
  mode: 'CONTAINER',
});

/** How a caller looks for what it wants to change. */
const forChange = ({ lookup }: RecordingCaller) => ({ ...lookup, isForChange: true });

describe('a list', () => {
  test('is read once and serves what lies beside, until it is old', async () => {
    const { lookup, operations: asked } = caller('ann');
    await resolver.resolve('service', checkout, lookup);
    await resolver.resolve('database', 'shop/staging/orders-db', lookup);
    expect(asked).toEqual(wholeWay);
    await resolver.resolve('environment', 'shop/production', lookup);
    expect(asked).toEqual(wholeWay);
    now += listLifetime;
    await resolver.resolve('service', checkout, lookup);
    expect(asked).toEqual([...wholeWay, ...wholeWay]);
  });

  test('is read once for those who ask at the same time', async () => {
    const { lookup, operations: asked } = caller('ann');
    const found = await Promise.all(
      [checkout, 'shop/staging/search', 'shop/staging/orders-db'].map((path) =>
        resolver.resolve('service', path, lookup),
      ),
    );
    expect(found.map(({ kind }) => kind)).toEqual(['application', 'container', 'database']);
    expect(asked).toEqual(wholeWay);
  });

  test('that somebody gave up on is read by the others themselves', async () => {
    const { lookup, operations: asked } = caller('ann');
    const [asking, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
    const read = (): Promise<unknown> => {
      asking.resolve();
      return answer.promise;
    };
    const hasty = resolver.resolve('service', checkout, { ...lookup, reader: readerBy(read) });
    await asking.promise;
    const patient = resolver.resolve('service', checkout, lookup);
    answer.reject(new Error('gave up'));
    await expect(hasty).rejects.toThrow('gave up');
    expect(await patient).toMatchObject({ path: checkout });
    expect(asked).toEqual(wholeWay);
  });

  describe('that is remembered', () => {
    test('serves a change of what is named in every letter', async () => {
      const ann = caller('ann');
      await resolver.resolve('service', checkout, ann.lookup);
      await resolver.resolve('service', checkout, forChange(ann));
      expect(ann.operations).toEqual(wholeWay);
    });

    test('is read again before a change of what has another spelling: what came since may have just this one', async () => {
      const ann = caller('ann');
      const { id: older } = await platform.must('create_environment', {
        project_id: platform.seed['project_id'],
        cluster_id: platform.seed['cluster_id'],
        name: 'canary',
        mode: 'STAGING',
      });
      expect(await resolver.resolve('environment', 'shop/Canary', ann.lookup)).toMatchObject({ id: older });
      await platform.must('delete_environment', { environment_id: older });
      const { id: newer } = await platform.must('create_environment', {
        project_id: platform.seed['project_id'],
        cluster_id: platform.seed['cluster_id'],
        name: 'Canary',
        mode: 'STAGING',
      });
      // A read may use what is remembered, for a minute; a change may not.
      expect(await resolver.resolve('environment', 'shop/Canary', ann.lookup)).toMatchObject({ id: older });
      expect(await resolver.resolve('environment', 'shop/Canary', forChange(ann))).toMatchObject({ id: newer });
    });

    test('is read again before a change of what is named without its whole path: another one may have that name by now', async () => {
      const ann = caller('ann');
      const { id } = await platform.must('create_database', newDatabase('twin'));
      expect(await resolver.resolve('service', 'twin', ann.lookup)).toMatchObject({ id });
      await platform.must('create_database', {
        ...newDatabase('twin'),
        environment_id: seedId('environment/shop/production'),
      });
      expect(await resolver.resolve('service', 'twin', ann.lookup)).toMatchObject({ id });
      expect((await resolutionProblem(resolver.resolve('service', 'twin', forChange(ann)))).why).toBe('ambiguous');
    });
  });

  test('is read once more before something is said to be unknown', async () => {
    const { lookup, operations: asked } = caller('ann');
    await resolver.resolve('service', checkout, lookup);
    // Made by somebody else.
    const { id } = await platform.must('create_database', newDatabase('latecomer'));
    expect(await resolver.resolve('service', 'shop/staging/latecomer', lookup)).toMatchObject({ id, kind: 'database' });
    // Which organization it is doesn't change.
    expect(asked).toEqual([...wholeWay, ...wholeWay.slice(1)]);
    await resolutionProblem(resolver.resolve('service', 'shop/staging/nobody', lookup));
    expect(asked).toEqual([...wholeWay, ...wholeWay.slice(1), ...wholeWay.slice(1)]);
  });

  test('is forgotten when something in it was made or renamed', async () => {
    const { lookup, operations: asked, call } = caller('ann');
    await resolver.resolve('service', checkout, lookup);
    const { id } = await call(operations.create_database, newDatabase('fresh'));
    expect(await resolver.resolve('service', 'shop/staging/fresh', lookup)).toMatchObject({ id });
    expect(asked).toEqual([...wholeWay, 'create_database', 'list_services']);
    const search = await call(operations.get_container, { container_id: platform.seed['container_id'] });
    await call(operations.update_container, { ...search, container_id: search['id'], name: 'finder' });
    await resolutionProblem(resolver.resolve('container', 'shop/staging/search', lookup));
    expect(await resolver.resolve('container', 'shop/staging/finder', lookup)).toMatchObject({ id: search['id'] });
    await call(operations.update_container, { ...search, container_id: search['id'] });
  });
});

describe('an id', () => {
  test('of a known kind costs no request', async () => {
    const { lookup, operations: asked } = caller('ann');
    const id = seedId('service/shop/staging/search');
    expect(await resolver.resolve('container', id, lookup)).toEqual({ kind: 'container', id });
    expect(await resolver.resolve('service', `container:${id}`, lookup)).toEqual({ kind: 'container', id });
    expect(await resolver.resolve('service', `infra://service/container/${id}/status`, lookup)).toEqual({
      kind: 'container',
      id,
    });
    expect(asked).toEqual([]);
  });

  test('of a service tells its kind when it was seen before, and is looked for otherwise', async () => {
    const id = seedId('service/data/development/importer');
    const stranger = caller('ann');
    expect(await resolver.resolve('service', id, stranger.lookup)).toMatchObject({
      kind: 'container',
      path: 'data/development/importer',
      environment: { mode: 'DEVELOPMENT' },
    });
    expect(stranger.operations).toContain('list_services');
    resolver = createNameResolver();
    const acquainted = caller('ann');
    await acquainted.call(operations.get_container, { container_id: id });
    expect(await resolver.resolve('service', id, acquainted.lookup)).toMatchObject({
      kind: 'container',
      name: 'importer',
    });
    expect(acquainted.operations).toEqual(['get_container']);
  });

  test('that nothing has is no service', async () => {
    const { lookup } = caller('ann');
    expect(
      await resolutionProblem(resolver.resolve('service', '00000000-0000-4000-8000-000000000000', lookup)),
    ).toMatchObject({ why: 'unknown' });
  });
});

test('what one principal read is never shown to another', async () => {
  const [ann, bob] = [caller('ann'), caller('bob')];
  const refused = { ...bob.lookup, reader: readerBy(() => Promise.reject(new Error('bob may not read'))) };
  const { id } = await resolver.resolve('service', checkout, ann.lookup);
  await resolver.complete('service', 'che', ann.lookup);
  await expect(resolver.resolve('service', checkout, refused)).rejects.toThrow('bob may not read');
  await expect(resolver.complete('service', 'che', refused)).rejects.toThrow('bob may not read');
  await expect(resolver.organization(refused)).rejects.toThrow('bob may not read');
  expect(await resolver.resolve('application', id, refused)).toEqual({ kind: 'application', id });
  await resolver.resolve('service', checkout, bob.lookup);
  expect(bob.operations).toEqual(wholeWay);
});
