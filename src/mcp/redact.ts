import { mask, masking } from '../client/safe-text.ts';
import { secretsOf } from '../client/secrets.ts';
import { memberOf, withoutNull, type JsonSchema } from './json-schema.ts';
import { isRecord } from './values.ts';

export { mask, secretsOf };

/** Shorter values are words as often as secrets: masking them would riddle ordinary text. */
const shortestSecret = 6;

/** Well-known forms of credentials, and what remains of a match. Prefixes are bounded, so that long hostile text is read in linear time. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(?:-----END \1PRIVATE KEY-----|$)/g, mask],
  [/\beyJ[\w-]{8,500}\.eyJ[\w-]{8,2000}\.[\w-]+/g, mask],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, mask],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abprs]-|[rs]k_live_|AIza)[\w-]{16,}/g, mask],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}):[^\s/@]+@/gi, `$1:${mask}@`],
  [/\b(authorization["']?\s*[:=]\s*["']?(?:token|bearer|basic)\s+)[^\s"']+/gi, `$1${mask}`],
  [/\b([\w-]{0,40}(?:password|passwd|secret|token|api[_-]?key)["']?\s*=\s*["']?)[^\s"'&;]{4,}/gi, `$1${mask}`],
  [/(["'][\w-]{0,40}(?:password|passwd|secret|token|api[_-]?key)["']\s*:\s*["'])[^"']+/gi, `$1${mask}`],
];

const secretName = /password|passwd|secret|token|credential|api_?key|private_?key/i;

/** Masks secrets in text and in values. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** Members the schema marks secret are masked whole, undeclared ones with a telling name too, every other string as text. */
  readonly value: (value: unknown, schema?: JsonSchema) => unknown;
  /** The same, knowing more values that must not show. */
  readonly knowing: (secrets: readonly string[]) => Redactor;
}

function maskValue(value: unknown, node: JsonSchema | undefined, text: (text: string) => string): unknown {
  const schema = node && withoutNull(node);
  if (typeof value === 'string') return schema?.secret ? mask : text(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, schema?.items, text));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const known = memberOf(schema, name);
      return [name, !known && typeof member === 'string' && secretName.test(name) ? mask : maskValue(member, known, text)];
    }),
  );
}

/** @param secrets gives the values known to be secret at the moment, such as the platform's token. */
export function createRedactor(secrets: () => readonly string[] = () => []): Redactor {
  const now = (): ((raw: string) => string) => {
    const maskKnown = masking(secrets().filter((secret) => secret.length >= shortestSecret));
    return (raw) => forms.reduce((text, [form, remains]) => text.replaceAll(form, remains), maskKnown(raw));
  };
  return {
    text: (raw) => now()(raw),
    value: (value, schema) => maskValue(value, schema, now()),
    knowing: (more) => createRedactor(() => [...secrets(), ...more]),
  };
}
