import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { mask, masking, shortestSecret } from '../client/safe-text.ts';
import { passingKeys, type Keys } from './guard/keys.ts';
import type { JsonSchema } from './json-schema.ts';
import { hideIn } from './redact/values.ts';
import { maskShapes } from './redaction/recognition/index.ts';
import { mapStrings } from './values.ts';

export { secretsAmong, secretsOf } from '../client/secrets.ts';
export { mask, shortestSecret };

/** Secrets seen earlier that are still masked wherever they stand. */
const mostRemembered = 200;

/** Sets of secrets for which masking is kept ready: a server has few callers at a time, each with a token. */
const mostMaskings = 50;

const fingerprintLength = 4;

const markEnd = mask.slice(-1);
const markStart = mask.slice(0, -1);

const longestMark = mask.length + 1 + fingerprintLength;

const isMark = (text: string): boolean => text.startsWith(markStart) && text.endsWith(markEnd) && text.length <= longestMark;

/** Whether a text contains what stands for a secret. */
export const containsMark = (text: string): boolean => text.includes(markStart);

/** Masks secrets in text and in values. Equal secrets have equal masks. */
export interface Redactor {
  readonly text: (text: string) => string;
  /**
   * Members that the schema marks secret are masked whole, undeclared ones with a telling name and values beside one too,
   * every other string as text. Whatever is masked whole is masked from then on wherever else it stands.
   */
  readonly value: (value: unknown, schema?: JsonSchema) => unknown;
  /** The same, knowing more values that must not show. */
  readonly knowing: (secrets: readonly string[]) => Redactor;
}

interface RedactorConfig {
  /** Values known to be secret at the moment, such as the platform's token. */
  readonly secrets?: () => readonly string[];
  /** What fingerprints are made with. */
  readonly keys?: Keys;
}

const shortestMemorable = 8;
const longOnItsOwn = 16;

/** Whether a secret can be told from ordinary words, so that it can be masked wherever else it stands. */
const isDistinct = (value: string): boolean =>
  value.length >= longOnItsOwn || (value.length >= shortestMemorable && [/[a-z]/i, /[^a-z]/i].every((kind) => kind.test(value)) && !/^\d+$/.test(value));

/** Remembers the newest of the secrets it is told. */
function createMemory() {
  const remembered = new Set<string>();
  return {
    all: (): readonly string[] => [...remembered],
    add: (secrets: readonly string[]): void => {
      for (const secret of secrets.filter(isDistinct)) {
        remembered.delete(secret);
        remembered.add(secret);
      }
      for (const oldest of [...remembered].slice(0, Math.max(0, remembered.size - mostRemembered))) remembered.delete(oldest);
    },
  };
}

/** `masking`, made once for the same secrets: most calls know the same as the one before. */
function createMasking(mark: (secret: string) => string) {
  const made = new LRUCache<string, (text: string) => string>({ max: mostMaskings });
  return (secrets: readonly string[]): ((text: string) => string) => {
    const key = JSON.stringify(secrets);
    const masked = made.get(key) ?? masking(secrets, mark);
    made.set(key, masked);
    return masked;
  };
}

/** Fingerprints are keyed: without the key nobody can try out what a mask stands for. */
export function createRedactor({ secrets = () => [], keys = passingKeys() }: RedactorConfig = {}): Redactor {
  const memory = createMemory();
  const fingerprint = (secret: string): string => createHmac('sha256', keys('fingerprint')).update(secret).digest('hex').slice(0, fingerprintLength);
  const mark = (secret: string): string => (isMark(secret) ? secret : `${markStart} ${fingerprint(secret)}${markEnd}`);

  const maskingOf = createMasking(mark);

  const redactorOf = (own: () => readonly string[]): Redactor => {
    const masker = (): ((raw: string) => string) => {
      const masked = maskingOf([...own().filter((secret) => secret.length >= shortestSecret), ...memory.all()]);
      return (raw) => maskShapes(masked(raw));
    };
    const redactor: Redactor = {
      text: (raw) => masker()(raw),
      value: (value, schema) => {
        const found: string[] = [];
        const hide = (secret: string): string => {
          found.push(secret);
          return secret === '' ? '' : mark(secret);
        };
        const hidden = hideIn(value, schema, { hide, text: masker() });
        const fresh = found.filter((secret) => isDistinct(secret) && !containsMark(secret));
        if (fresh.length === 0) return hidden;
        memory.add(fresh);
        return mapStrings(hidden, masking(fresh, mark));
      },
      knowing: (more) => {
        if (more.length === 0) return redactor;
        memory.add(more);
        return redactorOf(() => [...own(), ...more]);
      },
    };
    return redactor;
  };
  return redactorOf(secrets);
}
