/** The unit of tar archives, in bytes. */
const block = 512;

/** The longest file whose length fits into the octal digits of a header. */
const longestOctal = 0o77777777777;

/** A number as headers have it. @param length with the zero byte behind it */
const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** The header of a file that only root may read. @param name at most 100 characters of ASCII */
function header(name: string, bytes: number): Buffer {
  const head = Buffer.alloc(block);
  head.write(name, 0, 'latin1');
  head.write(octal(0o600, 8), 100, 'latin1');
  head.write(octal(0, 8) + octal(0, 8), 108, 'latin1');
  if (bytes <= longestOctal) head.write(octal(bytes, 12), 124, 'latin1');
  else {
    // Larger lengths are binary, which the first bit says.
    head[124] = 0x80;
    head.writeBigUInt64BE(BigInt(bytes), 128);
  }
  head.write(octal(0, 12), 136, 'latin1');
  // The sum of all bytes counts itself as spaces; the zero behind it says that this is a file.
  head.write(`${' '.repeat(8)}0`, 148, 'latin1');
  head.write('ustar', 257, 'latin1');
  head.write('00', 263, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}

/**
 * A tar archive of one file, without reading it as a whole.
 * @param bytes its length
 * @throws Error if the content has another length
 */
export async function* fileInTar(name: string, bytes: number, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield header(name, bytes);
  let passed = 0;
  for await (const chunk of content) {
    passed += chunk.length;
    yield chunk;
  }
  if (passed !== bytes) throw new Error(`The file has changed while it was read: it had ${bytes} bytes, and ${passed} were read.`);
  yield Buffer.alloc((block - (bytes % block)) % block + 2 * block);
}
