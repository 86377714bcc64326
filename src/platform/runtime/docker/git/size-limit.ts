import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The interval for measuring a folder, in milliseconds. */
const measureMilliseconds = 250;

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** The size of all files below a folder, in bytes. Files that are removed in the meantime don't count. */
async function folderBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => sizeOf(join(entry.parentPath, entry.name))),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Runs a function that fills a folder, and aborts it when the folder exceeds a limit.
 * @param limit in bytes
 * @param tooLarge creates the error for exceeding it
 * @param run receives a signal that aborts then, or with the given one
 * @returns its result, and the size of the folder in bytes
 */
export async function withSizeLimit<Result>(
  directory: string,
  limit: number,
  tooLarge: () => Error,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<{ readonly result: Result; readonly bytes: number }> {
  const exceeded = new AbortController();
  const measure = async (): Promise<number> => {
    const bytes = await folderBytes(directory);
    if (bytes > limit) exceeded.abort(tooLarge());
    return bytes;
  };
  const timer = setInterval(() => void measure(), measureMilliseconds);
  try {
    const result = await run(AbortSignal.any([signal, exceeded.signal]));
    const bytes = await measure();
    exceeded.signal.throwIfAborted();
    return { result, bytes };
  } finally {
    clearInterval(timer);
  }
}
