import { expect, test } from 'vitest';
import { listed } from '../../src/server/guard/tool-registry.ts';
import { core } from '../../tools/core.ts';

test('the core is 20 tools, which cost a context at most 12,000 bytes', () => {
  expect(core).toHaveLength(20);
  const sizes = core.map((tool) => {
    const { name, description, inputSchema } = listed(tool);
    return { name, bytes: Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) };
  });
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(all, sizes.map(({ name, bytes }) => `${bytes} ${name}`).join('\n')).toBeLessThanOrEqual(12_000);
});
