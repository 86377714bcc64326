import { maskFound, mask, type ValueFinder } from '../../client/secret-masking.ts';
import type { JsonSchema } from '../json/json-schema.ts';
import { isRecord, omit, type JsonRecord } from '../json/values.ts';
import { clean, cleanThenMask } from './untrusted-text.ts';
import { createKnownSecrets, finderFor, isDistinctive, searchableIn, type KnownSecrets } from './known-secrets.ts';
import { containsMark, isMark, markOfLength, markOfVariable, presentMark } from './marks.ts';
import { maskShapes } from './recognition/index.ts';
import { redactValue, type MaskingRules } from './redact-value.ts';

/** Makes texts and values fit to be shown: cleaned, then masked. Doing it twice changes nothing. */
export interface Sanitizer {
  readonly text: (raw: string) => string;
  /**
   * Hides what the schema marks secret, undeclared members with a telling name, and values that their name or shape tells.
   * Every other string is text. What is hidden in one place is hidden wherever else it stands in the value.
   * @param given what the caller gave in the same place: what equals it there is shown as the caller was asked about it.
   */
  readonly value: (value: unknown, schema?: JsonSchema, given?: unknown) => unknown;
}

/**
 * Makes fit to be shown what somebody is to agree to. Of what will be sent it hides declared secrets and what has a telling
 * name, and nothing because of how it looks or who mentioned it: nobody may agree to what they can't see.
 */
export interface ConfirmationView {
  /** What will be sent, as it is. Of a secret is told that it is there, and its length. @param kept what the caller gave, where the rest is sent back as the platform had it. */
  readonly sent: (value: unknown, schema?: JsonSchema, kept?: unknown) => unknown;
  /**
   * What the platform holds now: it isn't what will be sent, so what this server is configured with is hidden too, and what
   * looks like a secret. Otherwise a plan would show what reads hide.
   */
  readonly present: (value: unknown, schema?: JsonSchema) => unknown;
  /** What things are called. Only what this server is configured with is hidden: names are what somebody types to agree. */
  readonly called: (value: unknown) => unknown;
}

/** What one call may be shown. */
export interface Redactor extends Sanitizer {
  readonly agreement: ConfirmationView;
  /**
   * Our own words that repeat what the caller gave: cleaned. Only what this very call gave as a secret is hidden, so that no
   * guess is answered.
   */
  readonly echo: (text: string) => string;
  /** Takes note of what the caller gave as secrets: hidden for the rest of the call in what the platform says. */
  readonly mention: (value: unknown, schema?: JsonSchema, given?: unknown) => void;
  /** Remembers what was mentioned, for this principal. To be called once the call was let pass. */
  readonly remember: () => void;
}

/** For whom a redactor is. */
export interface Recipient {
  readonly principal: string;
  /** The caller's own right on the platform, where it brought one. */
  readonly credential?: string;
  /** The member of the arguments whose value comes from a variable of this server's environment. */
  readonly unseen?: { readonly member: string; readonly variable: string };
}

/** Hides secrets for one process. What it does by itself is for the operator's eyes: records and the log. */
export interface Redaction extends Sanitizer {
  readonly forCall: (recipient: Recipient) => Redactor;
}

/** What a process hides. */
export interface RedactionConfig {
  /** Values that the configuration holds, as known at the moment: tokens, keys, what policies let be set unseen. */
  readonly configured?: () => readonly string[];
}

const hideWith =
  (mark: (secret: string) => string) =>
  (secret: string): string => (secret === '' || isMark(secret) ? secret : mark(secret));
const hideWhole = hideWith(() => mask);

/** A text cleaned, with all hidden that these find or that looks like a secret. */
const textWith =
  (finders: () => readonly ValueFinder[]) =>
  (raw: string): string =>
    cleanThenMask(raw, (text) => maskShapes(maskFound(text, finders())));

const always = (): boolean => true;

const allRules = { byShape: true, afterFlag: always } as const;

// A word that could be a command, or another flag, is shown to whoever agrees.
const plainWord = /^[\w.~+/=:@%][\w.~+/=:@%-]*$/;

const sentRules: MaskingRules = { hide: hideWith(markOfLength), text: clean, byShape: false, afterFlag: (word) => plainWord.test(word) };

function sanitizerWith(finders: () => readonly ValueFinder[]): Sanitizer {
  return {
    text: textWith(finders),
    value: (value, schema, given) => {
      const now = finders();
      const found = new Set<string>();
      const note = (secret: string): string => {
        if (isDistinctive(secret) && !containsMark(secret)) found.add(secret);
        return hideWhole(secret);
      };
      const walk = (way: MaskingRules) => redactValue(value, schema, (text, own) => (text === own ? sentRules : way), given);
      const hidden = walk({ hide: note, text: textWith(() => now), ...allRules });
      if (found.size === 0) return hidden;
      const all = [...now, finderFor([...found])];
      return walk({ hide: hideWhole, text: textWith(() => all), ...allRules });
    },
  };
}

/** The strings in a value that are secrets as a whole, as their schema or name tells. @param given counts only what equals it, where it is there. */
function secretsIn(value: unknown, schema: JsonSchema | undefined, given: unknown): readonly string[] {
  const secrets: string[] = [];
  const note = (secret: string): string => {
    secrets.push(secret);
    return secret;
  };
  const way: MaskingRules = { hide: note, text: (text) => text, byShape: false, afterFlag: always };
  const none: MaskingRules = { ...way, hide: (text) => text };
  redactValue(value, schema, (text, own) => (given === undefined || text === own ? way : none), given);
  return secrets;
}

function redactorFor({ principal, credential, unseen }: Recipient, known: KnownSecrets): Redactor {
  const mentions: string[] = [];
  let found: ValueFinder | undefined;
  const mentioned = (): ValueFinder => (found ??= finderFor(searchableIn(mentions)));
  const ownRight = finderFor(credential === undefined ? [] : [credential]);
  const protect = sanitizerWith(() => [known.configured(), known.mentionedBy(principal), ownRight, mentioned()]);

  const holdsUnseen = (value: unknown): value is JsonRecord => unseen !== undefined && isRecord(value) && typeof value[unseen.member] === 'string';
  // What the caller only called by name it did not give, and must not learn by what is done with it.
  const withoutUnseen = (value: unknown): unknown => (holdsUnseen(value) ? omit(value, [unseen!.member]) : value);

  const presentWay = (byShape: boolean): MaskingRules => {
    const now = [known.configured()];
    const text = (raw: string): string =>
      cleanThenMask(raw, (cleaned) => {
        const open = maskFound(cleaned, now, presentMark);
        return byShape ? maskShapes(open) : open;
      });
    return { hide: hideWith(() => presentMark), text, byShape, afterFlag: always };
  };

  return {
    text: protect.text,
    value: (value, schema, given) => protect.value(value, schema, withoutUnseen(given)),
    agreement: {
      sent: (value, schema, kept) => {
        const present = presentWay(true);
        const shown = redactValue(value, schema, (text, given) => (kept === undefined || text === given ? sentRules : present), kept);
        return holdsUnseen(value) ? { ...(shown as JsonRecord), [unseen!.member]: markOfVariable(unseen!.variable) } : shown;
      },
      present: (value, schema) => {
        const way = presentWay(true);
        return redactValue(value, schema, () => way);
      },
      called: (value) => {
        const way = presentWay(false);
        return redactValue(value, undefined, () => way);
      },
    },
    echo: (text) => maskFound(clean(text), [mentioned()]),
    mention: (value, schema, given) => {
      for (const secret of secretsIn(withoutUnseen(value), schema, given)) mentions.push(secret);
      found = undefined;
    },
    remember: () => known.remember(principal, mentions),
  };
}

/** Nothing mentioned yet. */
export function createRedaction({ configured = () => [] }: RedactionConfig = {}): Redaction {
  const known = createKnownSecrets(configured);
  return { ...sanitizerWith(() => [known.configured()]), forCall: (recipient) => redactorFor(recipient, known) };
}

/** Whether what may be shown of a value leaves out some of it. */
export const hidesAny = (shown: unknown): boolean => containsMark(JSON.stringify(shown) ?? '');
