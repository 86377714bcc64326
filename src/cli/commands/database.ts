import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { EngineOptions } from '../../platform/runtime/index.ts';
import { wrapped } from '../terminal/lines.ts';
import { withProgress } from '../terminal/progress.ts';
import { shellQuoted, typedCommand } from '../wiring/typed-command.ts';
import { required, withAccess } from '../wiring/operator-access.ts';

/** Whether a file system operation failed because a file exists, or doesn't. */
const hasCode = (error: unknown, code: 'EEXIST' | 'ENOENT'): boolean => (error as NodeJS.ErrnoException).code === code;

/**
 * Writes the content to a new file that only its owner may read. The file gets its name once it is complete.
 * @returns its length in bytes
 */
async function writeWhole(path: string, content: AsyncIterable<Buffer>): Promise<number> {
  if (
    await stat(path).then(
      () => true,
      () => false,
    )
  )
    throw new Error(`${path} exists already, and was left unchanged. Give another name.`);
  const partial = `${path}.part`;
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw hasCode(error, 'EEXIST')
      ? new Error(`${partial} exists: another backup is under way, or was interrupted. Remove it if none runs.`)
      : error;
  });
  try {
    let bytes = 0;
    for await (const chunk of content) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    await file.sync();
    await rename(partial, path);
    return bytes;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** `infra-mcp database backup`: dumps a PostgreSQL into a new file. @throws Error that says why there is no backup */
export async function databaseBackupCommand(
  config: EngineOptions,
  id: string,
  path: string,
  { json }: { json?: boolean },
): Promise<void> {
  const bytes = await withProgress('Dumping the database', () =>
    withAccess(config, ({ dumps }) => writeWhole(path, required(dumps, 'dumps').create(id))),
  );
  process.stderr.write(
    wrapped(
      `Backed up the database. ${typedCommand(config, `database restore ${id} ${shellQuoted(path)}`)} brings it back.\n`,
      process.stderr,
    ),
  );
  process.stdout.write(json ? `${JSON.stringify({ file: path, bytes })}\n` : `${path}\n`);
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    throw hasCode(error, 'ENOENT') ? new Error(`There is no file ${path}.`) : error;
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** `infra-mcp database restore`: restores a dump. @throws Error that says why; then nothing was changed */
export async function databaseRestoreCommand(
  config: EngineOptions,
  id: string,
  path: string,
  { json }: { json?: boolean },
): Promise<void> {
  const start = await firstBytes(path);
  await withAccess(config, async (access) => {
    const dumps = required(access.dumps, 'dumps');
    if (!dumps.isDump(start))
      throw new Error(
        `${path} is not a dump of PostgreSQL in the custom format, such as infra-mcp database backup writes. Nothing was changed.`,
      );
    const { size: bytes } = await stat(path);
    await withProgress('Restoring the database', () => dumps.restore(id, { dump: createReadStream(path), bytes }));
  });
  process.stderr.write(wrapped(`Restored ${path}. Tables that it doesn't have are as they were.\n`, process.stderr));
  if (json) process.stdout.write(`${JSON.stringify({ restored: path })}\n`);
}
