import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { killRestores } from './kill-restores.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-killed-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

test('a restore that is killed leaves the old records or the new ones, whole', () => killRestores(dataDir, 4));
