import { expect, test } from 'vitest';
import { isLowerVersion } from '../../src/server/tool/preview/service-warnings.ts';
import { changeAgreedTo } from '../support/assistant-calls.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import type { Json } from '../support/test-platform.ts';

let connectors: Connectors;

connectedForAll((connected) => ({ connectors } = connected));

const change = (tool: string, args: Json) => changeAgreedTo(connectors, tool, args);

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('Warning: '));

const database = 'shop/staging/orders-db';
const disk = { mount_point: '/data', type: 'FAST_SSD' };

test.each<[string, string, Json, Json[]]>([
  ['a smaller disk', 'update_database', { database, storage: 15 }, [{ code: 'DISK_SHRINKS', from: 20, to: 15 }]],
  [
    'a lower version',
    'update_database',
    { database, version: '15' },
    [{ code: 'VERSION_LOWERED', from: '16', to: '15' }],
  ],
  ['public access', 'update_database', { database, accessibility: 'PUBLIC' }, [{ code: 'DATABASE_MADE_PUBLIC' }]],
  [
    'a smaller disk of a container',
    'update_container',
    { container: 'shop/staging/search', storage: [{ ...disk, size: 10 }] },
    [{ code: 'DISK_SHRINKS', disk: '/data', from: 20, to: 10 }],
  ],
  [
    'a disk that goes',
    'update_container',
    { container: 'shop/staging/search', storage: [{ mount_point: '/data', remove: true }] },
    [{ code: 'DISK_REMOVED', disk: '/data' }],
  ],
])('%s is warned of in the plan, the question and the answer, once in each', async (_, tool, args, expected) => {
  const { warnings, effects, question, text } = await change(tool, args);
  expect(warnings).toEqual(expected);
  const lines = linesOf(effects.join('\n'));
  expect(lines).toHaveLength(expected.length);
  for (const told of [question, text]) expect(linesOf(told)).toEqual(lines);
});

test.each<[string, string, Json]>([
  ['a larger disk', 'update_database', { database, storage: 100 }],
  ['a higher version', 'update_database', { database, version: '17' }],
  ['a database that is no longer public', 'update_database', { database, accessibility: 'PRIVATE' }],
  [
    'an older image, which reads no data by its version',
    'update_container',
    { container: 'shop/production/search', tag: '1.0.0' },
  ],
])('%s is not warned of', async (_, tool, args) => {
  const { warnings, question } = await change(tool, args);
  expect(warnings).toBeUndefined();
  expect(linesOf(question)).toEqual([]);
});

test('a new database that is public is warned of, also where nobody is asked', async () => {
  const { warnings, question, text } = await change('create_database', {
    environment_id: 'shop/staging',
    name: 'open-db',
    type: 'REDIS',
    version: '7',
    mode: 'CONTAINER',
    accessibility: 'PUBLIC',
  });
  expect([warnings, question]).toEqual([[{ code: 'DATABASE_MADE_PUBLIC' }], '']);
  expect(text).toContain('accessibility: PUBLIC');
});

test.each([
  ['15', '16', true],
  ['15.9', '16', true],
  ['16', '16.2', false],
  ['16.2', '16.10', true],
  ['v1.9', 'v1.10', true],
  ['17', '16', false],
  ['16', '16', false],
  ['latest', '16', false],
  ['7-alpine', '8-alpine', true],
])('whether %s is lower than %s: %s', (version, than, isLower) => {
  expect(isLowerVersion(version, than)).toBe(isLower);
});
