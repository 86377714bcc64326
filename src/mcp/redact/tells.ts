/** What names and shapes tell about values: which of them are secrets. */

const secretName = /passw(?:or)?d|passphrase|pwd|secret|token|credential|(?:api|private|access|account|auth|signing|encryption|master|license)[_-]?key/i;

// What such a name is about, when it isn't the secret itself: TOKEN_TTL, SECRET_NAME, ACCESS_KEY_ID.
const aboutSecret = /[_-](?:ttl|name|length|expiry|expires(?:[_-](?:at|in))?|timeout|url|uri|count|limit|type|id|set|path|file|enabled)$/i;

/** Longest name that is held for one. */
const longestName = 255;

/** Whether a name says that its value is a secret. */
export const nameTells = (name: string): boolean => name.length <= longestName && !/\s/.test(name) && secretName.test(name) && !aboutSecret.test(name);

const openValues: readonly string[] = ['', 'true', 'false', 'null', 'none'];

/** Whether a value of a telling name is worth hiding: switches and emptiness are not. */
export const canBeSecret = (value: string): boolean => !openValues.includes(value.toLowerCase());

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
export const shapeTells = (name: string, value: string): boolean =>
  !publicName.test(name) && !uuid.test(value) && !/\s/.test(value) && (value.match(randomRun) ?? []).some(isRandom);

const shortestMemorable = 8;
const longOnItsOwn = 16;

/** Whether a secret can be told from ordinary words, so that it can be masked wherever else it stands. */
export const isDistinct = (value: string): boolean =>
  value.length >= longOnItsOwn || (value.length >= shortestMemorable && [/[a-z]/i, /[^a-z]/i].every((kind) => kind.test(value)) && !/^\d+$/.test(value));
