import { readFile } from 'node:fs/promises';
import { decodedText, unreadableBecause, valueFault } from '../contract/index.ts';

export type Scheme = 'Token' | 'Bearer';

/**
 * An API token and its scheme. JSON and util.inspect don't show `value`, because it isn't enumerable; don't spread it.
 */
export interface Credential {
  readonly scheme: Scheme;
  readonly value: string;
  /** Stable identifier that doesn't reveal the secret, for caches and budgets. */
  readonly key: string;
}

// node:crypto is loaded when first needed: it accounts for a tenth of the time and memory of a start.
const fingerprint = (text: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 16);

const schemePrefix = /^(token|bearer)\s+/i;

/**
 * Creates a credential from a token. Surrounding white space is removed. A token that begins with a scheme, as in an
 * Authorization header, keeps that scheme.
 * @throws Error, without the value, if it is empty, a placeholder, or not valid in a header.
 */
export function credentialOf(text: string, scheme: Scheme = 'Token'): Credential {
  const givenScheme = schemePrefix.exec(text.trim())?.[1]?.toLowerCase();
  const usedScheme = givenScheme === undefined ? scheme : givenScheme === 'bearer' ? 'Bearer' : 'Token';
  const value = text.trim().replace(schemePrefix, '');
  if (value === '')
    throw new Error('The API token is empty. Give the token as the platform showed it when it was generated.');
  const fault = valueFault(text);
  if (fault) throw new Error(`The API token ${fault.what}. ${fault.next}`);
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new Error(
      'The API token holds spaces, line breaks or other characters that no token has. Give it alone, on one line.',
    );
  }
  let key: string | undefined;
  const credential = {
    scheme: usedScheme,
    get key() {
      return (key ??= fingerprint(`${usedScheme} ${value}`));
    },
  };
  // Not enumerable: loggers and util.inspect print enumerable members.
  return Object.defineProperty(credential as Credential, 'value', { value });
}

/**
 * Reads a credential from a file that contains nothing else.
 * @throws Error with the path of the file, never its content.
 */
export async function readCredentialFile(path: string, scheme?: Scheme): Promise<Credential> {
  const text = await readFile(path)
    .then(decodedText)
    .catch((error: unknown) => {
      throw new Error(`The API token can't be read from ${path} (${unreadableBecause(error)}).`);
    });
  try {
    return credentialOf(text, scheme);
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
