const readable = 0o644;

/**
 * A file of a tar archive, owned by root, to prepend to other entries.
 * @param name at most 99 characters
 * @param mode permissions
 */
export const tarEntry = (name: string, content: Buffer, mode = readable): Buffer =>
  Buffer.concat([tarHeader(name, content.length, mode), content, paddingAfter(content.length)]);

/**
 * A tar archive of one file in one folder, owned by root.
 * @param folder without slashes
 * @param name with `folder`, at most 99 characters
 * @param mode permissions of the file
 */
export const tarArchive = (folder: string, name: string, content: Buffer, mode = readable): Buffer =>
  Buffer.concat([tarHeader(`${folder}/`, 0, 0o755, '5'), tarEntry(`${folder}/${name}`, content, mode), archiveEnd]);

/**
 * Streams a tar archive of one file that only root may read.
 * @param name at most 99 characters
 * @param bytes its length
 * @throws Error if the content has another length
 */
export async function* fileInTar(
  name: string,
  bytes: number,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  yield tarHeader(name, bytes, 0o600);
  let passed = 0;
  for await (const chunk of content) {
    passed += chunk.length;
    yield chunk;
  }
  if (passed !== bytes)
    throw new Error(`The file has changed while it was read: it had ${bytes} bytes, and ${passed} were read.`);
  yield Buffer.concat([paddingAfter(bytes), archiveEnd]);
}

/** The block size of tar archives, in bytes. */
const blockBytes = 512;

/** The zeros that pad a content to whole blocks. @param bytes its length */
const paddingAfter = (bytes: number): Buffer => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);

/** The end of an archive. */
const archiveEnd = Buffer.alloc(2 * blockBytes);

/** The longest file whose length fits into the octal digits of a header. */
const longestOctal = 0o77777777777;

/** A number in the format of headers. @param length including the zero byte after it */
const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/**
 * The header of an entry, owned by root, in the ustar format.
 * @param name at most 99 bytes
 * @param bytes the length of the content
 * @param mode permissions
 * @param type 0: a file, 5: a folder
 */
function tarHeader(name: string, bytes: number, mode: number, type: '0' | '5' = '0'): Buffer {
  const head = Buffer.alloc(blockBytes);
  head.write(name, 0, 100, 'utf8');
  head.write(octal(mode, 8) + octal(0, 8) + octal(0, 8), 100, 'latin1');
  if (bytes <= longestOctal) head.write(octal(bytes, 12), 124, 'latin1');
  else {
    // Larger lengths are binary, which the first bit indicates.
    head[124] = 0x80;
    head.writeBigUInt64BE(BigInt(bytes), 128);
  }
  // For the checksum over all bytes, its own field counts as spaces.
  head.write(`${octal(0, 12)}${' '.repeat(8)}${type}`, 136, 'latin1');
  head.write('ustar\u000000', 257, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}

const textAt = (head: Buffer, from: number, length: number): string =>
  head.toString('latin1', from, from + length).replace(/\0.*$/s, '');

/** Whether an entry is a plain file, by the type in its header. */
const isFile = (head: Buffer): boolean => [0, '0'.charCodeAt(0)].includes(head[156]!);

/**
 * Reads the plain files of a small tar archive.
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
