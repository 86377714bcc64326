import { mask } from '../../../client/known-values.ts';

/** Well-known forms of credentials in text. What is to be hidden is the group `secret`. */

const names = String.raw`(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|private|access|account|auth)[_-]?key)`;

// What was hidden before stays as it is.
const shown = String.raw`(?!\[hidden)`;

// Prefixes are bounded, so that long hostile text is read in linear time.
const sources: readonly (readonly [source: string, flags: string])[] = [
  // Keys by their own marks.
  [String.raw`(?<secret>-----BEGIN (?<kind>[A-Z ]{0,40})PRIVATE KEY-----[\s\S]*?(?:-----END \k<kind>PRIVATE KEY-----|$))`, ''],
  [String.raw`(?<secret>\beyJ[\w-]{8,500}\.eyJ[\w-]{8,2000}\.[\w-]+)`, ''],
  [String.raw`(?<secret>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)`, ''],
  [String.raw`(?<secret>\b(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abprs]-|[rs]k_(?:live|test)_|sk-|AIza|ya29\.|hvs\.|dop_v1_|SG\.)[\w.-]{16,})`, ''],
  [String.raw`(?<before>\bhooks\.slack\.com\/services\/)(?<secret>[\w/]{20,})`, ''],
  // Credentials in addresses.
  [String.raw`(?<before>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:)${shown}(?<secret>[^\s/@]+)(?=@)`, 'i'],
  [String.raw`(?<before>\b[a-z][a-z0-9+.-]{1,20}:\/\/)${shown}(?<secret>[\w.-]{20,200})(?=@)`, 'i'],
  // Values after a name that tells.
  [String.raw`(?<before>\bauthorization["']?\s{0,5}[:=]\s{0,5}["']?(?:token|bearer|basic)\s{1,5})${shown}(?<secret>[^\s"']+)`, 'i'],
  [String.raw`(?<before>\b[\w-]{0,40}${names}["']?\s{0,5}=\s{0,5}["']?)${shown}(?<secret>[^\s"'&;]{4,})`, 'i'],
  [String.raw`(?<before>["'][\w-]{0,40}${names}["']\s{0,5}:\s{0,5}["'])${shown}(?<secret>[^"']+)`, 'i'],
  [String.raw`(?<before>--[\w-]{0,40}${names}[ =]{1,3}["']?)${shown}(?<secret>[^\s"']{4,})`, 'i'],
  // A colon stands in prose too: what follows must not be a plain word.
  [String.raw`(?<before>\b[\w-]{0,40}${names}:\s{1,5}["']?)${shown}(?<secret>(?=[^\s"']{0,200}\d)[^\s"']{6,})`, 'i'],
];

const forms = sources.map(([source, flags]) => new RegExp(source, `g${flags}`));

interface Groups {
  readonly before?: string;
  readonly secret: string;
}

/** A cleaned text with everything hidden that has the form of a credential. */
export const maskShapes = (raw: string): string =>
  forms.reduce(
    (text, form) =>
      text.replaceAll(form, (...parts: unknown[]) => {
        const { before = '', secret } = parts.at(-1) as Groups;
        return `${before}${secret.startsWith(mask.slice(0, -1)) ? secret : mask}`;
      }),
    raw,
  );
