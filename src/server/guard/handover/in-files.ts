import { constants } from 'node:fs';
import { access, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unreadableBecause } from '../../../contract/index.ts';
import { makeFolder } from '../../../files/index.ts';
import { newCode } from '../approvals/pending-calls.ts';
import type { Handover } from './handover.ts';

/** A text as part of a file name. */
const asFileName = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '');

/**
 * Hands secrets over in files that only the user of this process can read. They stay until that user deletes them.
 * @param folder created when it is needed
 */
export const handoverInFiles = (folder: string): Handover => ({
  whyUnavailable: async () => {
    try {
      makeFolder(folder);
      await access(folder, constants.W_OK);
      return undefined;
    } catch (error) {
      return {
        why: `no file can be created in ${folder} (${unreadableBecause(error)})`,
        next: 'Tell the user: INFRA_DATA_DIR names a folder in which this server may write.',
      };
    }
  },
  reserve: async (about) => {
    makeFolder(folder);
    const path = join(folder, `${asFileName(about)}-${newCode()}.txt`);
    // Fails if it exists, and follows no link.
    const file = await open(path, 'wx', 0o600);
    let isOpen = true;
    const close = async (): Promise<boolean> => {
      const wasOpen = isOpen;
      isOpen = false;
      if (wasOpen) await file.close();
      return wasOpen;
    };
    const remove = async (): Promise<void> => {
      if (await close()) await rm(path, { force: true });
    };
    return {
      where: `in the file ${path}, which only the user of this server can read: store it elsewhere, then delete the file`,
      put: async (secret) => {
        try {
          await file.writeFile(`${secret}\n`);
          await file.sync();
        } catch (error) {
          await remove();
          throw error;
        }
        await close();
      },
      release: remove,
    };
  },
});
