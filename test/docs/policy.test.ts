import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsePolicy } from '../../src/server/guard/policy/load.ts';
import { policyFileFor } from '../../src/server/guard/index.ts';
import { tools } from '../../tools/index.ts';

test('the policy in the documentation is a right one, and shows every key', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/policy.md'), 'utf8');
  const [, example] = /```yaml\n(.*?)```/s.exec(page)!;
  await expect(parsePolicy('policy.md', example!, tools)).resolves.toMatchObject({ limit: { most: 10 } });
  for (const key of Object.keys(policyFileFor(tools).shape)) expect(example).toMatch(new RegExp(`^${key}:`, 'm'));
});
