import {
  finish,
  hiddenSecret,
  maskFound,
  maskFoundInSteps,
  type Steps,
  type ValueFinder,
} from '../../contract/index.ts';
import { isRecord, omit, type JsonRecord, type JsonSchema } from '../json/index.ts';
import { clean, cleanThenMask, cleanThenMaskInSteps } from './untrusted-text.ts';
import { createKnownSecrets, finderFor, isDistinctive, searchableIn, type KnownSecrets } from './known-secrets.ts';
import { containsMark, isMark, markOfLength, markOfVariable, presentMark } from './marks.ts';
import { maskShapes, maskShapesInSteps } from './recognition/index.ts';
import { agreedText } from './odd-letters.ts';
import { redactValue, redactValueInSteps, type MaskingRules, type MaskingRulesAt } from './redact-value.ts';
import { inPieces, isLarge, isLongText, longTextsIn } from './in-pieces.ts';

/** Cleans texts and values, then masks their secrets. Idempotent. */
export interface Sanitizer {
  readonly text: (raw: string) => string;
  /**
   * Hides strings that the schema marks secret, undeclared members with a secret name, and values that their name or
   * shape reveals. Sanitizes every other string as text. A secret found in one place is hidden everywhere in the value.
   * @param provided the caller's value at the same place: an equal string is shown as in the confirmation.
   */
  readonly value: (value: unknown, schema?: JsonSchema, provided?: unknown) => unknown;
  /** As `value`. What is large is masked in pieces, between which other work of this process runs. */
  readonly valueInPieces: (value: unknown, schema?: JsonSchema, provided?: unknown) => Promise<unknown>;
}

/**
 * Masks what a user is asked to confirm. In values that will be sent it hides declared secrets and those with a secret
 * name, but nothing because of its shape or because it was mentioned: users must see what they confirm.
 */
export interface ConfirmationView {
  /**
   * A value that will be sent. The mark of a secret shows its length.
   * @param kept the part of it that the platform has now, at the same places, and that is sent back: it is hidden as in
   *   `present`.
   */
  readonly sent: (value: unknown, schema?: JsonSchema, kept?: unknown) => unknown;
  /**
   * A value that the platform has now. It will not be sent, so configured secrets and values that look like secrets are
   * hidden too. Otherwise a plan would show values that reads hide.
   */
  readonly present: (value: unknown, schema?: JsonSchema) => unknown;
  /** Names of resources. Only configured secrets are hidden, because a user may have to type a name to confirm. */
  readonly called: (value: unknown) => unknown;
  /**
   * Characters and words that these views wrote out although they are visible, or left unchanged although they look
   * like something else, each with its meaning as text.
   */
  readonly oddities: () => ReadonlyMap<string, string>;
}

/** Masks everything that one call shows. */
export interface Redactor extends Sanitizer {
  readonly agreement: ConfirmationView;
  /**
   * Cleans a text of this server that repeats the caller's input. Hides only the secrets of this call: hiding others
   * would confirm a guess.
   */
  readonly echo: (text: string) => string;
  /**
   * Notes the secrets in the caller's input. For the rest of the call they are hidden in the platform's answers.
   * @param kept the part of it that comes from the platform, as for `agreement.sent`: it doesn't count.
   */
  readonly mention: (value: unknown, schema?: JsonSchema, kept?: unknown) => void;
  /** Remembers the mentioned secrets for this principal. Call it once the call is allowed. */
  readonly remember: () => void;
}

/** The caller that a redactor is for. */
export interface Recipient {
  readonly principal: string;
  /** The caller's own credential for the platform, if it has one. */
  readonly credential?: string;
  /** The argument whose value comes from an environment variable of this server. */
  readonly valueFromEnv?: { readonly member: string; readonly variable: string };
}

/** Hides the secrets of one process. Its own methods are for the operator: audit records and the log. */
export interface Redaction extends Sanitizer {
  readonly forCall: (recipient: Recipient) => Redactor;
}

export interface RedactionConfig {
  /**
   * Returns the current secrets of the configuration: tokens, keys, and values that policies allow to be set unseen.
   */
  readonly configured?: () => readonly string[];
}

const hideWith =
  (mark: (secret: string) => string) =>
  (secret: string): string =>
    secret === '' || isMark(secret) ? secret : mark(secret);
const hideWhole = hideWith(() => hiddenSecret);

/** Cleans a text, then hides the values that these finders find, and everything that looks like a secret. */
const textWith =
  (finders: () => readonly ValueFinder[]) =>
  (raw: string): string =>
    cleanThenMask(raw, (text) => maskShapes(maskFound(text, finders())));

/** `textWith` in steps, between which other work may run. */
const textInSteps = (raw: string, finders: readonly ValueFinder[]): Steps<string> =>
  cleanThenMaskInSteps(raw, function* (text) {
    return yield* maskShapesInSteps(yield* maskFoundInSteps(text, finders));
  });

/** Masks a value in steps. Texts that are too long for one step are masked before. */
function* valueInSteps(
  value: unknown,
  schema: JsonSchema | undefined,
  provided: unknown,
  { hide, finders }: { readonly hide: MaskingRules['hide']; readonly finders: readonly ValueFinder[] },
): Steps<unknown> {
  const masked = new Map<string, string>();
  for (const text of yield* longTextsIn(value)) masked.set(text, yield* textInSteps(text, finders));
  const short = textWith(() => finders);
  const text = (raw: string): string => (isLongText(raw) ? masked.get(raw) : undefined) ?? short(raw);
  return yield* redactValueInSteps(value, schema, rulesFor({ hide, text, ...allRules }), provided);
}

const always = (): boolean => true;

const allRules = { byShape: true, afterFlag: always, byName: always } as const;

/** How a caller's own value is shown to the caller. */
const sentRules: MaskingRules = {
  hide: hideWith(markOfLength),
  text: clean,
  byShape: false,
  afterFlag: always,
  byName: always,
};

// A long flag is a complete name; text attached to a short flag is its value. Paths, addresses and words could be
// programs.
const secretFlag = /^--[a-z]/i;
const passwordLike = /^(?=.*\d)(?=.*[a-z])[\w.~+=@%][\w.~+=@%-]*$/i;

// A word that a shell or a chart would neither split nor execute.
const singleWord = /^[^\s|&;<>`{},]+$/;
const keyBlock =
  /^-----BEGIN [A-Z0-9 ]{3,40}-----\n(?:[A-Za-z0-9+/=]{64}\n){2,}[A-Za-z0-9+/=]{1,64}\n-----END [A-Z0-9 ]{3,40}-----\n?$/;

/**
 * The values that names hide in a request to confirm: passwords, tokens and keys. Other values with such a name are
 * shown, because they could be programs, and users must see what they confirm.
 */
const hiddenFromAgreement: Pick<MaskingRules, 'afterFlag' | 'byName'> = {
  afterFlag: (word, flag) => secretFlag.test(flag) && passwordLike.test(word),
  byName: (value, beside) =>
    typeof beside?.['mount_path'] !== 'string' &&
    ((singleWord.test(value) && !value.includes('$(')) || keyBlock.test(value)),
};

/** Chooses these rules, or those for a caller's own value. */
const rulesFor =
  (rules: MaskingRules): MaskingRulesAt =>
  (text, providedHere) =>
    text === providedHere ? sentRules : rules;

// oxlint-disable-next-line require-yield -- it has no place to stop
const valueAtOnce: typeof valueInSteps = function* (value, schema, provided, { hide, finders }) {
  return redactValue(value, schema, rulesFor({ hide, text: textWith(() => finders), ...allRules }), provided);
};

/** Masks a value, and once more if it has secrets that may be in its other parts, too. */
function* everywhere(
  value: unknown,
  schema: JsonSchema | undefined,
  provided: unknown,
  redact: typeof valueInSteps,
  finders: readonly ValueFinder[],
): Steps<unknown> {
  const foundSecrets = new Set<string>();
  const note = (secret: string): string => {
    if (isDistinctive(secret) && !containsMark(secret)) foundSecrets.add(secret);
    return hideWhole(secret);
  };
  const redacted = yield* redact(value, schema, provided, { hide: note, finders });
  if (foundSecrets.size === 0) return redacted;
  const all = [...finders, finderFor([...foundSecrets])];
  return yield* redact(value, schema, provided, { hide: hideWhole, finders: all });
}

function sanitizerWith(finders: () => readonly ValueFinder[]): Sanitizer {
  return {
    text: textWith(finders),
    value: (value, schema, provided) => finish(everywhere(value, schema, provided, valueAtOnce, finders())),
    valueInPieces: async (value, schema, provided) =>
      isLarge(value)
        ? inPieces(everywhere(value, schema, provided, valueInSteps, finders()))
        : finish(everywhere(value, schema, provided, valueAtOnce, finders())),
  };
}

/**
 * The strings in a value that are secrets by their schema or name.
 * @param kept strings that equal it at the same place are ignored.
 */
function secretsIn(value: unknown, schema: JsonSchema | undefined, kept: unknown): readonly string[] {
  const secrets: string[] = [];
  const note = (secret: string): string => {
    secrets.push(secret);
    return secret;
  };
  const rules: MaskingRules = {
    hide: note,
    text: (text) => text,
    byShape: false,
    afterFlag: always,
    byName: always,
    onlyIfCertain: true,
  };
  const ignored: MaskingRules = { ...rules, hide: (text) => text };
  redactValue(value, schema, (text, keptHere) => (text === keptHere ? ignored : rules), kept);
  return secrets;
}

function redactorFor({ principal, credential, valueFromEnv }: Recipient, known: KnownSecrets): Redactor {
  const mentions: string[] = [];
  let mentionFinder: ValueFinder | undefined;
  const mentioned = (): ValueFinder => (mentionFinder ??= finderFor(searchableIn(mentions)));
  const credentialFinder = finderFor(credential === undefined ? [] : [credential]);
  const sanitizer = sanitizerWith(() => [
    known.configured(),
    known.mentionedBy(principal),
    credentialFinder,
    mentioned(),
  ]);

  const hasValueFromEnv = (value: unknown): value is JsonRecord =>
    valueFromEnv !== undefined && isRecord(value) && typeof value[valueFromEnv.member] === 'string';
  // The caller only named the variable: it doesn't know the value, and must not learn it from the answer.
  const withoutValueFromEnv = (value: unknown): unknown =>
    hasValueFromEnv(value) ? omit(value, [valueFromEnv!.member]) : value;

  const oddities = new Map<string, string>();
  const agreed = (text: string): string => agreedText(text, (what, meaning) => oddities.set(what, meaning));
  // Processed as in an address, whose host is shown in ASCII form.
  const agreedHost = (text: string): string => agreed(clean(`ssh://${text}`)).slice('ssh://'.length);
  const agreedRules: MaskingRules = {
    ...sentRules,
    ...hiddenFromAgreement,
    text: (text) => agreed(clean(text)),
    host: agreedHost,
  };

  const presentRules = (byShape: boolean): MaskingRules => {
    const current = [known.configured()];
    const text = (raw: string): string =>
      agreed(
        cleanThenMask(raw, (cleaned) => {
          const masked = maskFound(cleaned, current, presentMark);
          return byShape ? maskShapes(masked) : masked;
        }),
      );
    return { hide: hideWith(() => presentMark), text, byShape, afterFlag: always, byName: always };
  };

  return {
    text: sanitizer.text,
    value: (value, schema, provided) => sanitizer.value(value, schema, withoutValueFromEnv(provided)),
    valueInPieces: async (value, schema, provided) =>
      sanitizer.valueInPieces(value, schema, withoutValueFromEnv(provided)),
    agreement: {
      sent: (value, schema, kept) => {
        const present = presentRules(true);
        const redacted = redactValue(
          value,
          schema,
          (text, keptHere) => (text === keptHere ? present : agreedRules),
          kept,
        );
        return hasValueFromEnv(value)
          ? { ...(redacted as JsonRecord), [valueFromEnv!.member]: markOfVariable(valueFromEnv!.variable) }
          : redacted;
      },
      present: (value, schema) => {
        const rules = presentRules(true);
        return redactValue(value, schema, () => rules);
      },
      called: (value) => {
        const rules = presentRules(false);
        return redactValue(value, undefined, () => rules);
      },
      oddities: () => oddities,
    },
    echo: (text) => maskFound(clean(text), [mentioned()]),
    mention: (value, schema, kept) => {
      for (const secret of secretsIn(withoutValueFromEnv(value), schema, kept)) mentions.push(secret);
      mentionFinder = undefined;
    },
    remember: () => known.remember(principal, mentions),
  };
}

/** Creates the redaction of a process, with no secrets mentioned yet. */
export function createRedaction({ configured = () => [] }: RedactionConfig = {}): Redaction {
  const known = createKnownSecrets(configured);
  return { ...sanitizerWith(() => [known.configured()]), forCall: (recipient) => redactorFor(recipient, known) };
}

/** Whether a masked value hides a secret. */
export const hidesAny = (view: unknown): boolean => containsMark(JSON.stringify(view) ?? '');
