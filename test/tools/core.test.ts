import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listed } from '../../src/server/guard/index.ts';
import { core } from '../../tools/core.ts';
import { tools } from '../../tools/index.ts';

test('the core is 20 tools, which cost a context at most 10,000 bytes', () => {
  const sizes = core.map((tool) => {
    const { name, description, inputSchema } = listed(tool);
    return { name, bytes: Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) };
  });
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(core).toHaveLength(20);
  expect(all, sizes.map(({ name, bytes }) => `${bytes} ${name}`).join('\n')).toBeLessThanOrEqual(10_000);
});

test('the core alone is enough for more than half of the tasks that need no administration', () => {
  const administration = new Set(tools.flatMap(({ name, toolset }) => (toolset === 'administration' ? [name] : [])));
  const names = new Set(core.map(({ name }) => name));
  const baseline = JSON.parse(readFileSync(join(import.meta.dirname, '../slow/tasks/baseline.json'), 'utf8')) as Record<
    string,
    { readonly tools: readonly string[] }
  >;
  const tasks = Object.entries(baseline)
    .filter(([, { tools: used }]) => !used.some((name) => administration.has(name)))
    .map(([want, { tools: used }]) => ({ want, lacking: used.filter((name) => !names.has(name)) }));
  const beyond = tasks.filter(({ lacking }) => lacking.length > 0);
  expect(
    beyond.length / tasks.length,
    beyond.map(({ want, lacking }) => `${want}: ${lacking.join(', ')}`).join('\n'),
  ).toBeLessThan(0.5);
});
