import { readFile } from 'node:fs/promises';

export type Scheme = 'Token' | 'Bearer';

/** Who calls. Its value appears neither in JSON nor in what inspection prints; don't spread it. */
export interface Credential {
  readonly scheme: Scheme;
  readonly value: string;
  /** Stable identity without the secret, for caches and budgets. */
  readonly key: string;
}

// Loaded when first needed: Node's cryptography costs a start a tenth of its time and memory.
const fingerprint = (text: string): string => process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 16);

const schemePrefix = /^(token|bearer)\s+/i;

/**
 * A credential of a token as its owner has it. White space around it is dropped. A value written with its scheme, as
 * in an Authorization header, keeps that scheme.
 * @throws Error, never showing the value, when it is empty or can't stand in a header.
 */
export function credentialOf(text: string, scheme: Scheme = 'Token'): Credential {
  const written = schemePrefix.exec(text.trim())?.[1]?.toLowerCase();
  const used = written === undefined ? scheme : written === 'bearer' ? 'Bearer' : 'Token';
  const value = text.trim().replace(schemePrefix, '');
  if (value === '') throw new Error('The API token is empty. Give the token as the platform showed it when it was generated.');
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new Error('The API token holds spaces, line breaks or other characters that no token has. Give it alone, on one line.');
  }
  let key: string | undefined;
  const credential = { scheme: used, get key() { return (key ??= fingerprint(`${used} ${value}`)); } };
  // Not enumerable: loggers and inspection walk over enumerable members.
  return Object.defineProperty(credential as Credential, 'value', { value });
}

const readErrorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this process may not read it',
  EISDIR: 'it is a directory',
};

/**
 * The credential kept in a file that holds nothing else.
 * @throws Error that names the file, never its content.
 */
export async function readCredentialFile(path: string, scheme?: Scheme): Promise<Credential> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The API token can't be read from ${path}: ${readErrorTexts[error.code ?? ''] ?? error.code}.`);
  });
  try {
    return credentialOf(text, scheme);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
