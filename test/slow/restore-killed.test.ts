import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { killRestores } from '../platform/testing/control/kill-restores.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-killed-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

test('a restore can be killed at any moment', () => killRestores(dataDir, 60));
