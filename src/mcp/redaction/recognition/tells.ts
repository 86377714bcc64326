/** What names and shapes tell about values: which of them are secrets. */

const secretName = /passw(?:or)?d|passphrase|pwd|secret|token|credential|(?:api|private|access|account|auth|signing|encryption|master|license)[_-]?key/i;

// What such a name is about, when it isn't the secret itself: TOKEN_TTL, SECRET_NAME, ACCESS_KEY_ID.
const aboutSecret = /[_-](?:ttl|name|length|expiry|expires(?:[_-](?:at|in))?|timeout|url|uri|count|limit|type|id|set|path|file|enabled)$/i;

/** Longest name that is held for one. */
const longestName = 255;

const openValues: readonly string[] = ['', 'true', 'false', 'null', 'none'];

/** Whether a value is worth hiding: switches and emptiness are not. */
const canBeSecret = (value: string): boolean => !openValues.includes(value.toLowerCase());

/** Whether a name says that its value is a secret. @param value where it is known: of some values no name makes a secret. */
export const nameTells = (name: string, value?: string): boolean =>
  name.length <= longestName && !/\s/.test(name) && secretName.test(name) && !aboutSecret.test(name) && (value === undefined || canBeSecret(value));

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const randomRun = /[A-Za-z0-9]{16,}/g;
const kinds = [/[A-Z]/, /[a-z]/, /\d/];

const isRandom = (run: string): boolean => {
  const hexadecimal = run.length >= 32 && /^[0-9a-f]+$/i.test(run) && /\d/.test(run) && /[a-f]/i.test(run);
  return hexadecimal || kinds.every((kind) => kind.test(run));
};

// Fingerprints of public things look random, and are none.
const publicName = /(?:sha\d*|commit|hash|digest|revision|checksum|fingerprint|(?:^|[_-])id)$/i;

/** Whether a variable's value looks like a key by its shape, such as 16 or more mixed letters and digits in one run. */
export const valueTells = (name: string, value: string): boolean =>
  canBeSecret(value) && !publicName.test(name) && !uuid.test(value) && !/\s/.test(value) && (value.match(randomRun) ?? []).some(isRandom);
