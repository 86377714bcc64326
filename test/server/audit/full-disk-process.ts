import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogVerification } from '../../../src/server/audit/index.ts';
import { auditLogIn } from './audit-log.ts';

// A process whose disk fills up again and again, with another number of bytes left each time, and has room afterwards.
const folder = process.argv[2]!;
const filler = join(folder, 'filler');
const log = auditLogIn(folder);
const auditLog = log.auditLog();
const failed: string[] = [];
const verdicts: LogVerification[] = [];
const add = (size: number): Promise<void> =>
  auditLog
    .append({ text: 'x'.repeat(size) }, true)
    .catch((error: NodeJS.ErrnoException) => void failed.push(error.code ?? error.message));

/** Fills the disk, but for so many blocks. */
function fill(blocks: number): void {
  const block = Buffer.alloc(4096);
  const isTaken = (): boolean => {
    try {
      writeFileSync(filler, block, { flag: 'a' });
      return true;
    } catch {
      return false;
    }
  };
  let taken = 0;
  while (isTaken()) taken += 1;
  truncateSync(filler, Math.max(0, taken - blocks) * block.length);
}

await add(10);
for (let round = 0; round < 8; round += 1) {
  fill(round % 4);
  // Some fill the last block in the middle of an entry, some find no room for the head of a new chain.
  for (const size of [3000, 100, 3000]) await add(size);
  verdicts.push(await log.verify());
  rmSync(filler);
  await add(100);
  verdicts.push(await log.verify());
}
await auditLog.close();
process.stdout.write(JSON.stringify({ failed, verdicts, files: readdirSync(log.heads) }));
