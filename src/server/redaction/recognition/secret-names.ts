import { remembered } from './remembered.ts';
import { canBeSecret, isMixed, looksRandom } from './secret-values.ts';
import {
  keyOwners,
  shortWords,
  digitWords,
  passWords,
  metadataWords,
  timeWords,
  switches,
  counted,
  pagers,
  publicKeyOwners,
  ownerWords,
} from './secret-words.ts';

/** Maximum length of a text that can be a name, in characters. */
const longestName = 255;

/** Occurs in every secret name: a quick test before the name is split into words. */
export const secretHint = /pass|pw|secret|token|cred|auth|key|pin|otp|kube/i;

/** A word that names a secret, alone or with a prefix: `password`, `pgpassword`, `authtoken`. */
const secretWord =
  /(?:passw(?:or)?d|passphrase|passcode|pwd|secret|token|credential|creds|(?:bind|root|user|admin|db)pw|(?:api|private|access|secret|signing|encryption)key)s?\d*$/;
const digits = /^\d{4,12}$/;
const boundary = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(boundary, ' ')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

const isSecretKey = (words: readonly string[], last: string): boolean =>
  /^keys?\d*$/.test(last) && keyOwners.has(words.at(-2) ?? '') && !publicKeyOwners.has(words.at(-3) ?? '');

/** A kubeconfig has the credentials of its cluster. */
const isKubeconfig = (words: readonly string[], last: string): boolean =>
  last === 'kubeconfig' || (last === 'config' && words.at(-2) === 'kube');

const isShort = (words: readonly string[], last: string): boolean =>
  (shortWords.has(last) && words.length > 1) ||
  (last.length > 4 && last.endsWith('pass') && !passWords.has(last)) ||
  (last.length > 5 && /(?:master|basic)auth$/.test(last));

function isMetadataName(words: readonly string[], last: string): boolean {
  if (last === 'id' && words.at(-2) === 'secret') return false;
  if (switches.has(words[0] ?? '') || words.includes('public')) return true;
  if (
    /tokens?$/.test(last) &&
    words.length > 1 &&
    (pagers.has(words.at(-2) ?? '') || (last === 'tokens' && words.some((word) => counted.has(word))))
  )
    return true;
  return words.length > 1 && (metadataWords.has(last) || timeWords.has(last));
}

const mechanisms =
  /^(?:basic|bearer|digest|oidc|oauth2?|md5|scram(?:-sha-\d+)?|plain|login|token|jwt|ldap|saml|kerberos|iam|sasl|ntlm|cert|trust|peer|password|mtls)$/i;

/**
 * Whether a value under a secret name is harmless: a shell's directory, an authentication mechanism, a number of passed
 * tests.
 */
function isHarmlessFor(last: string, value: string): boolean {
  if (last.endsWith('pwd')) return /^(?:\/|[A-Z]:\\)/.test(value);
  if (/credentials?$/.test(last)) return /^(?:\/|[A-Z]:\\)/.test(value);
  if (last.endsWith('config')) return /^(?:[~.\w-]*\/|[A-Z]:\\)[^\n]*$/.test(value);
  if (last === 'auth') return mechanisms.test(value);
  return last === 'pass' && /^(?:https?:\/\/[^@]*$|\d{1,5}$|(?:Test|Example|Benchmark)\w)/.test(value);
}

/** What the words of a name tell, whatever its value. */
interface NameReading {
  readonly words: readonly string[];
  readonly last: string;
  /** Whether it names a secret, unless the value is harmless for it. */
  readonly isSecret: boolean;
}

/** Reads a name; null if its value is never secret. */
const readingOf = remembered((name): NameReading | null => {
  if (name.length > longestName || !secretHint.test(name) || /\s/.test(name)) return null;
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined || isMetadataName(words, last)) return null;
  const isSecret =
    (words.some((word) => secretWord.test(word)) && !/^keys?$/.test(last)) ||
    isSecretKey(words, last) ||
    isKubeconfig(words, last) ||
    isShort(words, last) ||
    (last === 'id' && words.at(-2) === 'secret');
  return { words, last, isSecret };
});

/**
 * Whether a name means that its value is a secret.
 * @param value the value, if known: for a name such as `STRIPE_KEY` it must look random, for `PWD` it must not be a
 *   path.
 */
export function isSecretName(name: string, value?: string): boolean {
  const reading = readingOf(name);
  if (reading === null) return false;
  if (value === undefined) return reading.isSecret;
  if (!canBeSecret(value)) return false;
  const { words, last } = reading;
  if (digits.test(value) && words.some((word) => digitWords.has(word))) return true;
  if (reading.isSecret || (shortWords.has(last) && isMixed(value))) return !isHarmlessFor(last, value);
  return /^keys?\d*$/.test(last) && !words.some((word) => publicKeyOwners.has(word)) && looksRandom(value);
}

/** Whether a name such as `STRIPE_KEY` is that of a secret only if the value looks random. */
export function isSecretIfRandom(name: string): boolean {
  const reading = readingOf(name);
  if (reading === null || reading.isSecret || shortWords.has(reading.last)) return false;
  return !reading.words.some((word) => digitWords.has(word));
}

/**
 * Whether a number with this name is a secret, such as a numeric password. With a plural name it is a count, with few
 * digits a setting.
 */
export function isSecretNumber(name: string, value: number): boolean {
  const text = String(value);
  if (!Number.isSafeInteger(value) || text.length < (/tokens?\d*$/i.test(name) ? 7 : 4) || /[^s]s$/i.test(name))
    return false;
  return isSecretName(name, text);
}

/** Whether the name of a record's member shows that it describes the record's secret. */
export function describesSecret(member: string): boolean {
  const last = wordsOf(member).at(-1);
  return last === undefined || metadataWords.has(last) || timeWords.has(last) || ownerWords.has(last);
}

/** Whether a name is secret for some value. */
export const mayBeSecretName = remembered((name) => {
  if (!secretHint.test(name)) return false;
  const last = wordsOf(name).at(-1) ?? '';
  return (
    isSecretName(name) ||
    shortWords.has(last) ||
    wordsOf(name).some((word) => digitWords.has(word)) ||
    /^keys?\d*$/.test(last)
  );
});
