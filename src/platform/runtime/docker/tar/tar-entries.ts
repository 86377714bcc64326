import { blockBytes } from './tar-header.ts';

const textAt = (head: Buffer, from: number, length: number): string =>
  head.toString('latin1', from, from + length).replace(/\0.*$/s, '');

/** A plain file, as the type in its header says. */
const isFile = (head: Buffer): boolean => [0, '0'.charCodeAt(0)].includes(head[156]!);

/**
 * The plain files of a small tar archive.
 * @param limit how many bytes the archive may have
 * @throws RangeError if it has more
 */
export async function filesInTar(
  stream: AsyncIterable<Buffer>,
  limit: number,
): Promise<readonly { readonly name: string; readonly content: Buffer }[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limit) throw new RangeError(`the archive has more than ${limit} bytes`);
  }
  const archive = Buffer.concat(chunks);
  const files: { name: string; content: Buffer }[] = [];
  for (let at = 0; at + blockBytes <= archive.length && archive[at] !== 0;) {
    const head = archive.subarray(at, at + blockBytes);
    const length = Number.parseInt(textAt(head, 124, 12).trim() || '0', 8);
    if (!Number.isSafeInteger(length) || length < 0)
      throw new RangeError('the archive has a file whose length can not be read');
    const from = at + blockBytes;
    if (isFile(head)) files.push({ name: textAt(head, 0, 100), content: archive.subarray(from, from + length) });
    at = from + Math.ceil(length / blockBytes) * blockBytes;
  }
  return files;
}
