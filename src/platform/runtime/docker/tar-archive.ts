const blockBytes = 512;

/** Fills a buffer up to whole blocks. */
const padded = (content: Buffer): Buffer => Buffer.concat([content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]);

/** The header of an entry, in the ustar format. @param type 0: a file, 5: a folder @param mode permissions */
function header(path: string, bytes: number, type: '0' | '5', mode: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number): number => block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(path, 0, 100, 'utf8');
  octal(mode, 100, 8);
  for (const owner of [108, 116]) octal(0, owner, 8);
  octal(bytes, 124, 12);
  octal(0, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(`${block.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** A tar archive of one file in one folder, owned by root. @param folder without slashes @param name with `folder`, at most 99 characters @param mode permissions of the file */
export const tarArchive = (folder: string, name: string, content: Buffer, mode = 0o644): Buffer =>
  Buffer.concat([header(`${folder}/`, 0, '5', 0o755), header(`${folder}/${name}`, content.length, '0', mode), padded(content), Buffer.alloc(2 * blockBytes)]);
