/** The unit of tar archives, in bytes. */
export const blockBytes = 512;

/** The zeros that fill a content up to whole blocks. @param bytes its length */
export const paddingAfter = (bytes: number): Buffer => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);

/** The end of an archive. */
export const archiveEnd = Buffer.alloc(2 * blockBytes);

/** The longest file whose length fits into the octal digits of a header. */
const longestOctal = 0o77777777777;

/** A number as headers have it. @param length with the zero byte behind it */
const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/**
 * The header of an entry, owned by root, in the ustar format.
 * @param name at most 99 bytes
 * @param bytes the length of the content
 * @param mode permissions
 * @param type 0: a file, 5: a folder
 */
export function tarHeader(name: string, bytes: number, mode: number, type: '0' | '5' = '0'): Buffer {
  const head = Buffer.alloc(blockBytes);
  head.write(name, 0, 100, 'utf8');
  head.write(octal(mode, 8) + octal(0, 8) + octal(0, 8), 100, 'latin1');
  if (bytes <= longestOctal) head.write(octal(bytes, 12), 124, 'latin1');
  else {
    // Larger lengths are binary, which the first bit says.
    head[124] = 0x80;
    head.writeBigUInt64BE(BigInt(bytes), 128);
  }
  // The sum of all bytes counts itself as spaces.
  head.write(`${octal(0, 12)}${' '.repeat(8)}${type}`, 136, 'latin1');
  head.write('ustar\u000000', 257, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}
