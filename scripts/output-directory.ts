import { cp, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Whether a directory is another one, or contains it. */
const contains = (outer: string, inner: string): boolean => {
  const path = relative(outer, inner);
  return path.split(sep)[0] !== '..' && !isAbsolute(path);
};

/** How to recognise a directory that a script wrote before. */
interface OutputOptions {
  /** The checkout. */
  readonly root: string;
  /** A file that the script writes. A directory with other files and without it belongs to the user. */
  readonly written: string;
  /** The directory that the script writes into by default, below the root. It may be incomplete. */
  readonly standard: string;
}

/**
 * Requires that everything in a directory may be erased, because the script wrote it, or there is nothing.
 * @returns its real path
 * @throws Error if the directory has something else in it, or the checkout
 */
async function ownDirectory(outdir: string, { root, written, standard }: OutputOptions): Promise<string> {
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
  return real;
}

/**
 * Empties the directory that a script writes into, or creates it.
 * @throws Error if it has something in it that the script did not write, or the checkout. Nothing is erased then.
 */
export async function emptyOutputDirectory(outdir: string, options: OutputOptions): Promise<void> {
  await ownDirectory(outdir, options);
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
}

/** Puts a directory in the place of another one, which may be missing. */
async function exchange(draft: string, place: string): Promise<void> {
  const old = `${draft}.old`;
  const isMoved = await rename(place, old).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return true;
      // A mount point stays where it is.
      if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false;
      throw error;
    },
  );
  if (isMoved) {
    await rename(draft, place);
    return rm(old, { recursive: true, force: true });
  }
  await Promise.all((await readdir(place)).map((name) => rm(join(place, name), { recursive: true })));
  await cp(draft, place, { recursive: true });
}

/**
 * Replaces the directory that a script writes into, once the script has written all of it. Until then, and if the
 * script fails, the directory stays as it is.
 * @param write writes into the directory that it gets, which is empty
 * @returns the result of `write`
 * @throws Error if the directory has something in it that the script did not write, or the checkout
 */
export async function replaceOutputDirectory<Result>(
  outdir: string,
  options: OutputOptions,
  write: (draft: string) => Promise<Result>,
): Promise<Result> {
  const place = await ownDirectory(outdir, options);
  // Beside it, because a directory can't be moved to another file system.
  const draft = `${place}.new-${process.pid}`;
  await mkdir(dirname(place), { recursive: true });
  await mkdir(draft);
  try {
    const result = await write(draft);
    await exchange(draft, place);
    return result;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
