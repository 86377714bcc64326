/** A bundled file, with its size in bytes. */
interface BuiltFile {
  readonly file: string;
  readonly bytes: number;
}

/** A size in bytes as kilobytes, right-aligned for a column. */
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1).padStart(9)} kB`;

/**
 * The last lines of a build.
 * @param isVerbose lists the files, the largest first
 * @param isForUse whether the build is where the program is started from, so that it can be used now
 */
export function builtText(
  files: readonly BuiltFile[],
  { isVerbose, isForUse }: { readonly isVerbose: boolean; readonly isForUse: boolean },
): string {
  const list = isVerbose
    ? files.toSorted((a, b) => b.bytes - a.bytes).map(({ file, bytes }) => `${kilobytes(bytes)}  ${file}\n`)
    : [];
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const next = isForUse ? ' Next: npm start -- init connects your assistants.' : '';
  return `${list.join('')}Done: ${files.length} files, ${(total / 1e6).toFixed(1)} MB.${next}\n`;
}
