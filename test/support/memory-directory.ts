import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
const enoughBytes = 512 * 1024 * 1024;

const isUsable = (): boolean => {
  try {
    accessSync(inMemory, constants.W_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize > enoughBytes;
  } catch {
    return false;
  }
};

/**
 * Where tests keep the records of platforms: in memory if there is room, else where temporary files are. Each commit
 * waits until it is on disk, and thousands of them on a slow disk would take longer than all that tests compute.
 * Programs aren't run from there: it may be forbidden.
 */
export const directoryForRecords: string = isUsable() ? inMemory : tmpdir();
