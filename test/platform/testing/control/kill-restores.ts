import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { databaseFile, openDatabase, takeSnapshot, openVault } from '../../../../src/platform/store/index.ts';

const program = fileURLToPath(new URL('./restore-process.ts', import.meta.url));

/** Enough that writing them takes a while. */
const rows = 500;
const width = 8000;

const fill = async (dataDir: string, word: string): Promise<void> => {
  const db = await openDatabase(dataDir);
  await db.destroy();
  const database = new DatabaseSync(join(dataDir, databaseFile));
  database.exec(`DELETE FROM setting;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO setting SELECT 'row ' || i, '${word}' || hex(zeroblob(${width / 2})) FROM n`);
  database.close();
};

/** What the records are: `old`, `new`, or a mixture that must never be. */
const stateOf = (dataDir: string): string => {
  const database = new DatabaseSync(join(dataDir, databaseFile));
  try {
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const words = database
      .prepare('SELECT substr(value, 1, 3) AS word, count(*) AS times FROM setting GROUP BY word')
      .all();
    return words
      .map(({ word, times }) => (times === rows ? String(word) : `${String(times)} ${String(word)}`))
      .join(' and ');
  } finally {
    database.close();
  }
};

/**
 * Restores in a process of its own; killed so long after it begins to put the records in place, unless it ends before.
 */
const restore = async (
  dataDir: string,
  name: string,
  killAfter?: number,
): Promise<{ killed: boolean; took: number }> => {
  const child = spawn(process.execPath, [program, dataDir, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  const began = performance.now();
  if (killAfter !== undefined) {
    await Promise.race([pause(killAfter), ended]);
    child.kill('SIGKILL');
  }
  const [, signal] = (await ended) as [number | null, string | null];
  return { killed: signal === 'SIGKILL', took: performance.now() - began };
};

/**
 * Kills a restore at so many moments, spread over the time it takes; the records must be the old or the new ones each
 * time.
 */
export async function killRestores(dataDir: string, kills: number): Promise<void> {
  openVault(dataDir);
  await fill(dataDir, 'new');
  await takeSnapshot(dataDir, 'new');
  await fill(dataDir, 'old');
  await takeSnapshot(dataDir, 'old');
  const { took } = await restore(dataDir, 'new');
  expect(stateOf(dataDir)).toBe('new');
  await restore(dataDir, 'old');
  let killed = 0;
  for (let turn = 0; turn < kills; turn += 1) {
    const before = stateOf(dataDir);
    const wanted = before === 'old' ? 'new' : 'old';
    const outcome = await restore(dataDir, wanted, (took * turn) / kills);
    if (outcome.killed) killed += 1;
    expect([before, wanted]).toContain(stateOf(dataDir));
    if (!outcome.killed) expect(stateOf(dataDir)).toBe(wanted);
  }
  expect(killed).toBeGreaterThan(0);
  await rm(join(dataDir, 'snapshots'), { recursive: true });
}
