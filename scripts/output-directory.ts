import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Whether a directory is another one, or contains it. */
const contains = (outer: string, inner: string): boolean => {
  const path = relative(outer, inner);
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
};

/**
 * Empties the directory that a script writes into, or creates it. Everything in it is erased, so it has to be one that
 * the script wrote before.
 * @param options.root of the checkout.
 * @param options.written a file that the script writes; a directory with other files and without it is somebody else's.
 * @param options.standard the directory that the script writes into by default, below the root. It may be incomplete.
 * @throws Error if the directory has something else in it, or the checkout. Nothing is erased then.
 */
export async function emptyOutputDirectory(
  outdir: string,
  { root, written, standard }: { readonly root: string; readonly written: string; readonly standard: string },
): Promise<void> {
  const real = await realpath(outdir).catch((error: unknown) => {
    if (isMissing(error)) return resolve(outdir);
    throw error;
  });
  const realRoot = await realpath(root);
  if (contains(real, realRoot))
    throw new Error(`${outdir} contains the checkout, so it can't be emptied. Choose another directory with --outdir.`);
  const files = await readdir(real).catch((error: unknown): string[] => {
    if (isMissing(error)) return [];
    throw error;
  });
  if (files.length > 0 && !files.includes(written) && real !== join(realRoot, standard)) {
    throw new Error(
      `${outdir} is not empty and has no ${written}, so this script did not write it. Empty it, or choose another directory with --outdir.`,
    );
  }
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
}
