import { Buffer } from 'node:buffer';
import { matchesOf, type Form, type Recognizer, type Span } from './spans.ts';
import { traits } from './traits.ts';

/** Recognises keys by their own form, anywhere in a text. */

// Each has a fixed prefix followed by one run, so that no pattern reads a character more than a few times.
const formats: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\b(?:gh[pousr]_|github_pat_|glpat-|gl(?:dt|rt|cbt|ptt|ft|soat)-|xox[abeprs]-|xapp-|[rs]k_(?:live|test)_|AIza|ya29\.|hv[sbr]\.|do[por]_v1_|SG\.|dckr_pat_|shp(?:at|ss|ca|pa)_|sq0(?:atp|csp)-|lin_api_|rubygems_|figd_|whsec_|glsa_|sntry[su]_|NRAK-|dp\.(?:st|pt|ct)\.|AGE-SECRET-KEY-1|ATATT3x|ATCTT3x|pypi-AgE)[\w.-]{16,}/g,
  /\b(?:npm|hf)_[A-Za-z0-9]{30,}/g,
  /\b(?:pul|key)-[a-f0-9]{32,40}\b/g,
  /\bsk-(?:[a-z]{2,12}\d{0,2}-){0,3}[A-Za-z0-9_]{16,}[\w-]*/g,
  /\b\d{8,10}:AA[\w-]{33}\b/g,
  // Password hashes.
  /\$(?:2[aby]|5|6|y|apr1|argon2(?:id|i|d)|pbkdf2-sha\d{1,3}|scrypt)\$[\w./$=,+-]{20,}/g,
];

/** The part of a URL before a secret. */
const addresses: readonly RegExp[] = [
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/(?=[\w/]{20})/g,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{1,25}\/(?=[\w-]{20})/g,
  /\bapi\.telegram\.org\/bot(?=\d{8,10}:)/g,
  /\bwebhook\.office\.com\/webhookb2\/(?=[\w@-]{20})/g,
];

const addressRest = /[\w/:@-]+/y;

const spansOf = (text: string, format: RegExp): Span[] =>
  matchesOf(text, format).map(({ index, 0: found }) => ({ start: index, end: index + found.length }));

const knownFormats: readonly Recognizer[] = [
  ...formats.map((format) => (text: string) => spansOf(text, format)),
  ...addresses.map(
    (address) => (text: string) =>
      spansOf(text, address).map(({ end: start }) => {
        addressRest.lastIndex = start;
        return { start, end: addressRest.test(text) ? addressRest.lastIndex : start };
      }),
  ),
];

const marker = /-----(BEGIN|END) ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----/g;
// The characters of a key without an end marker, including escaped line ends.
const keyBody = /[A-Za-z0-9+/=\s\\,:-]*/y;

/** Maximum length of a private key, in characters: in a longer one, only the part that looks like a key is hidden. */
const longestPrivateKey = 65_536;

/** Private keys in PEM, complete or cut off. A BEGIN line without a key after it is not one. */
const privateKeys: Recognizer = (text) => {
  const spans: Span[] = [];
  const markers = matchesOf(text, marker).map(({ index, 0: found, 1: side, 2: label }) => ({
    start: index,
    end: index + found.length,
    side,
    label,
  }));
  let done = 0;
  for (const [index, { start, end, side, label }] of markers.entries()) {
    if (side !== 'BEGIN' || start < done) continue;
    const next = markers[index + 1];
    const closed = next?.side === 'END' && next.label === label && next.start - end <= longestPrivateKey;
    keyBody.lastIndex = end;
    done = closed ? next.end : keyBody.test(text) ? keyBody.lastIndex : end;
    if (/[A-Za-z0-9+/]/.test(text.slice(end, Math.min(done, end + 200)))) spans.push({ start, end: done });
  }
  return spans;
};

// "-----BEGIN " in base64, as in Kubernetes manifests.
const encoded = /\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]{20,}/g;
const encodedLabel = 80;

const encodedKeys: Recognizer = (text) =>
  spansOf(text, encoded).filter(({ start }) =>
    Buffer.from(text.slice(start, start + encodedLabel), 'base64')
      .toString('latin1')
      .includes('PRIVATE KEY'),
  );

const tokenStart = 'eyJ';
const shortestHeader = 12;
const shortestPart = 8;
// An encrypted token has five parts.
const mostParts = 5;

/**
 * Runs of characters of a JSON web token that start with the start of one. Each run is read once, however many starts
 * it contains.
 */
function* runsWithTokens(text: string): Generator<Span> {
  const character = /[\w.-]*/y;
  let done = 0;
  for (let at = text.indexOf(tokenStart); at !== -1; at = text.indexOf(tokenStart, Math.max(done, at + 1))) {
    character.lastIndex = at;
    character.test(text);
    done = character.lastIndex;
    yield { start: at, end: done };
  }
}

/** JSON web tokens: parts of any length between dots, the first a JSON object in base64. */
const webTokens: Recognizer = (text) => {
  const spans: Span[] = [];
  for (const run of runsWithTokens(text)) {
    const parts = text.slice(run.start, run.end).split('.');
    let at = run.start;
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index]!;
      const head = part.indexOf(tokenStart);
      const follower = parts[index + 1] ?? '';
      if (
        head !== -1 &&
        part.length - head >= shortestHeader &&
        (follower.startsWith(tokenStart) || follower.length >= shortestPart * 2) &&
        follower.length >= shortestPart
      ) {
        const tokenParts = parts.slice(index, index + mostParts);
        spans.push({ start: at + head, end: at + tokenParts.join('.').length });
        index += tokenParts.length - 1;
        at += tokenParts.join('.').length + 1;
      } else {
        at += part.length + 1;
      }
    }
  }
  return spans;
};

/** Keys and tokens by their form: vendors' keys, private keys, JSON web tokens, password hashes. */
export const keyForms: readonly Form[] = [
  ...[...knownFormats, encodedKeys, webTokens].map((find): Form => ({ needs: traits.longWord, find })),
  { needs: traits.hyphen, find: privateKeys },
];
