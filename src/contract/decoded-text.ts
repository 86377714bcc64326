/** Text that a person saved or sent in UTF-16. The message continues a sentence about it. */
export class Utf16Text extends Error {
  override readonly name = 'Utf16Text';
  constructor() {
    super('it is UTF-16; save it as UTF-8');
  }
}

/** Whether bytes begin as UTF-16 text does: with its byte order mark, or with half of an ASCII character being 0. */
const isUtf16 = ([first = 1, second = 1]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0);

const utf8 = new TextDecoder();

/**
 * The text of bytes in UTF-8, without the byte order mark that some editors and shells put at its start. For every text
 * that a person may have written.
 * @throws Utf16Text for UTF-16, as some of these save it.
 */
export function decodedText(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new Utf16Text();
  return utf8.decode(bytes);
}

/** What the codes of a file system mean for a file that is read. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is where a folder should be',
  ELOOP: 'its links lead in a circle',
  EIO: 'the disk failed',
};

/**
 * Why a file of text can't be used, to be shown after its name: the encoding, or the code of the system and what it
 * means.
 */
export function unreadableBecause(error: unknown): string {
  if (error instanceof Utf16Text) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return String(error);
  return Object.hasOwn(reasons, code) ? `${code}: ${reasons[code]}` : code;
}
