import { hiddenSecret, type Steps } from '../../../contract/index.ts';
import { blockBelow, blockMark, valuesBelow } from './yaml-blocks.ts';
import { headerSpans } from './headers.ts';
import { lineBoundsOf, longestStep, type Recognizer, type Span } from './spans.ts';
import { isAmongWords, meaningOf, type Member } from './assigned-meaning.ts';
import { nameReader } from './assigned-name.ts';
import { braceCounter } from './braces.ts';
import { mapBelow, nestedSpans } from './nested-values.ts';
import { isSecretName } from './secret-names.ts';
import { createPairs } from './name-value-pairs.ts';
import { afterSpaces, bareReader, quotedAt, type ReadBare, type Scalar } from './scalar-values.ts';
import {
  canBeSecret,
  isEvident,
  isExpression,
  isMixed,
  isOrdinaryWord,
  isPlaceholder,
  isProse,
  mayBeRandomIn,
} from './secret-values.ts';

/** Occurs in every name of interest: a quick test before the name is split into words. */
const hint = /pass|pw|secret|token|cred|auth|key|pin|otp|cookie|name|value|header|variable|param|property|attribute/i;

/** Where an unquoted value ends, by its context. */
const ends = {
  query: /[\s"'&#<>`\\]/,
  list: /[;"'<`]/,
  flow: /[\s,"'`]/,
  line: /\s|[&;](?=[A-Za-z][\w .-]{0,40}=)/,
  inline: /[\s"'`<]|[&;,](?=[\s"']|$|[A-Za-z][\w .-]{0,40}=)/,
} as const;
type ValueContext = keyof typeof ends;

/** The surroundings of a member: braces, or the text at large. */
interface MemberContext {
  /**
   * Whether it is between braces on its own line. In maps over several lines each member has its own line, which is
   * enough.
   */
  readonly inBraces: boolean;
  /** The end of its line, or of the quote around it, or the next literal `\n`. */
  readonly limit: number;
  readonly isEnclosed: boolean;
}

function valueContextOf(
  { before, beforeSpaces, line, separator, quote }: Member,
  { inBraces, isEnclosed }: MemberContext,
): ValueContext {
  // JSON, on any line.
  if (quote !== '' && separator === ':') return 'flow';
  if (before === '?' || before === '&') return 'query';
  if (beforeSpaces === ';' && separator === '=') return 'list';
  if (inBraces || beforeSpaces === '{' || (beforeSpaces !== '' && ',([<'.includes(beforeSpaces) && separator !== ':'))
    return 'flow';
  return line !== undefined || isEnclosed ? 'line' : 'inline';
}

const comment = /[ \t]#.*$/;
const nextMember = /[\s[(][\w.-]{1,60}[:=]/;
const plainWords = /^[\w.!?]+(?: [\w.!?][\w.!?-]*){0,5}$/;

/** Extends a value to the end of its line, unless the rest is prose or contains another member. */
function valueToLineEnd(text: string, first: Scalar, limit: number, { separator, valueAt, name }: Member): Scalar {
  const rest = text
    .slice(first.start, Math.min(limit, first.start + 4096))
    .replace(comment, '')
    .trimEnd();
  if (rest.length <= first.end - first.start || nextMember.test(rest) || isProse(rest)) return first;
  // In a shell, a command may follow it.
  if (separator === '=' && text[valueAt] !== ' ' && !(name === name.toUpperCase() && plainWords.test(rest)))
    return first;
  return { ...first, end: first.start + rest.length, after: first.start + rest.length };
}

/**
 * The end of a value that is already hidden. Its closing bracket belongs to it, but a value's opening bracket isn't
 * counted.
 */
const hiddenEnd = hiddenSecret.slice(1);

/** Characters of a value that are inspected. */
const inspectedLength = 300;

/** How far from where it may begin a value is inspected, with what can stand before its opening quote. */
const farthestInspected = inspectedLength + 20;

const trailing = /[,;)}\]]+$/;

function bareValue(
  text: string,
  at: number,
  member: Member,
  valueContext: ValueContext,
  limit: number,
  readBare: ReadBare,
): Scalar {
  const value = readBare(at, limit, ends[valueContext]);
  if (valueContext === 'line') return valueToLineEnd(text, value, limit, member);
  if (valueContext === 'query' || value.end - value.start > 4096) return value;
  const word = text.slice(value.start, value.end).trimEnd();
  const trimmed = valueContext === 'list' || word.endsWith(hiddenEnd) ? word : word.replace(trailing, '');
  return { ...value, end: value.start + trimmed.length };
}

const slashPair = /^[a-z\d.-]+\/[a-z\d.-]+$/;
const angled = /^<[a-z][\w -]{0,50}>/i;
const brackets = /^[[{(](?:["'\s]|$)/;

// Names ending in "token" often hold a count, a lifetime, or the token of a parser.
const numbered = /tokens?$/i;
// For plural names, a number is a count.
const plural = /[^s]s$/i;
const number = /^(?:\d{1,6}(?:ms|s|m|h|d)?|[A-Z_]{1,30})$/;

/** Whether the value itself shows that it is not a secret: a placeholder, a URL, a version, the member's own name. */
function isEvidentlyHarmless(
  text: string,
  value: Scalar,
  { name, separator, valueAt }: Member,
  valueContext: ValueContext,
): boolean {
  const word = text.slice(value.start, Math.min(value.end, value.start + inspectedLength));
  if (word === '' || !canBeSecret(word) || isPlaceholder(word) || isEvident(word)) return true;
  if (
    (word.length === name.length && word.toLowerCase() === name.toLowerCase()) ||
    (numbered.test(name) && number.test(word)) ||
    (plural.test(name) && /^\d+$/.test(word))
  )
    return true;
  if (value.quoted) return false;
  if (
    brackets.test(word) ||
    angled.test(text.slice(value.start, value.start + 60)) ||
    (name === 'passwd' && !isMixed(word))
  )
    return true;
  const isCode = text[valueAt] === ' ' || valueContext === 'flow' || word.startsWith('$(');
  return (
    isCode &&
    (isExpression(word) ||
      isOrdinaryWord(word) ||
      (separator === ':' && /^\d{1,6}$/.test(word) && text[valueAt] !== ' '))
  );
}

/** Whether only a value that looks random is a secret. Of a dotted name the last part counts, which may tell more. */
const needsRandom = ({ meaning, name }: Member): boolean => meaning.onlyRandom && !name.includes('.');

/** Stands before a name without a space after its colon. */
const opensMember = /[\s{[(]/;

/** Whether a value is a secret, by its name and context. */
function isSecretValue(
  text: string,
  value: Scalar,
  member: Member,
  valueContext: ValueContext,
  limit: number,
  { mayBeRandom }: ReaderState,
): boolean {
  const word = text.slice(value.start, Math.min(value.end, value.start + inspectedLength));
  // As at the end, said first because it is told at a glance.
  if (valueContext === 'inline' && member.separator === ':' && member.quote === '') {
    if (text[member.valueAt] !== ' ' && !value.quoted && !opensMember.test(member.before)) return false;
    if (!isMixed(word)) return false;
  }
  if (needsRandom(member) && !mayBeRandom(value.start, value.start + word.length)) return false;
  if (isEvidentlyHarmless(text, value, member, valueContext)) return false;
  // A file before a line number, a resource before its state.
  const name = member.separator === ':' && member.quote === '' ? (member.name.split('.').at(-1) ?? '') : member.name;
  if (!isSecretName(name, word)) return false;
  if (member.separator !== ':' || member.quote !== '' || valueContext === 'list' || valueContext === 'query')
    return true;
  const hasSpace = text[member.valueAt] === ' ' || value.quoted;
  if (valueContext === 'flow' && (hasSpace || !/[/@]/.test(member.before))) return true;
  if (valueContext === 'line' && hasSpace && (value.quoted || isMixed(word))) return true;
  if (valueContext === 'line' && hasSpace) {
    const rest = text.slice(value.start, Math.min(limit, value.start + 200));
    return !isOrdinaryWord(word) && !isProse(rest) && !nextMember.test(rest);
  }
  const isImage = !hasSpace && /[/@]/.test(member.before);
  return isMixed(word) && !isImage && !slashPair.test(word) && (hasSpace || opensMember.test(member.before));
}

function yamlSpans(
  text: string,
  member: Member,
  at: number,
  limit: number,
  column: number,
): readonly Span[] | undefined {
  if (member.separator !== ':' || member.line !== 'own' || !isSecretName(member.name)) return undefined;
  if (at >= limit) {
    const values = valuesBelow(text, limit, column);
    const kind = member.meaning.nested;
    return values.length > 0 || kind === undefined ? values : mapBelow(text, limit, column, kind);
  }
  if (text[at] !== '|' && text[at] !== '>') return undefined;
  if (!blockMark.test(text.slice(at, Math.min(limit, at + 200)))) return undefined;
  const block = blockBelow(text, limit, column);
  return block ? [block] : [];
}

const tag = /(?:!{1,2}\w{1,20}|&\w{1,60})[ \t]{1,5}/y;
const skipTag = (text: string, at: number): number => {
  if (text[at] !== '!' && text[at] !== '&') return at;
  tag.lastIndex = at;
  return tag.test(text) ? tag.lastIndex : at;
};

/** The end of the quote that encloses a member, if the member starts right after the opening quote. */
function enclosingEnd(text: string, { quote, before, valueAt }: Member, lineEnd: number): number | undefined {
  if (quote !== '' || (before !== '"' && before !== "'")) return undefined;
  const end = text.slice(valueAt, lineEnd).indexOf(before);
  return end === -1 ? undefined : valueAt + end;
}

function* assignedSecrets(text: string): Steps<readonly Span[]> {
  const spans: Span[] = [];
  const lines = lineBoundsOf(text);
  const pairs = createPairs(text);
  const state: ReaderState = { pairs, readBare: bareReader(text), mayBeRandom: mayBeRandomIn(text) };
  const braces = braceCounter(text, lines);
  const nextName = nameReader(text, hint, lines, meaningOf);
  let done = 0;
  let pause = longestStep;
  for (let member = nextName(0, 0); member; member = nextName(Math.max(member.at + 1, done), done)) {
    const { at, separator, before, line, valueAt } = member;
    if (at >= pause) {
      pause = at + longestStep;
      yield;
    }
    if (separator === '>' && before !== '<') continue;
    const inBraces = braces.isInBraces(at);
    if (!inBraces && isAmongWords(text, member)) continue;
    const lineEnd = lines.endOf(at);
    const escapedBreak = line === 'escaped' ? text.slice(valueAt, lineEnd).indexOf(String.raw`\n`) : -1;
    const enclosing = enclosingEnd(text, member, lineEnd);
    const limit = enclosing ?? (escapedBreak === -1 ? lineEnd : valueAt + escapedBreak);
    const context: MemberContext = { inBraces, limit, isEnclosed: enclosing !== undefined };
    const memberSpans = spansOf(text, member, context, lines.startOf(at), state);
    if (memberSpans.length === 0) continue;
    for (const span of memberSpans) spans.push(span);
    done = memberSpans.reduce((latest, { end }) => Math.max(latest, end), done);
    braces.skipTo(done);
  }
  return [...spans, ...pairs.spans()];
}

const separators = /[=:>]/;

/** Recognises values after a secret name and a separator, in the notations of programs, data formats and people. */
export const recognizeAssignments: Recognizer = (text) =>
  separators.test(text) && hint.test(text) ? assignedSecrets(text) : [];

/** State shared by the members of one text. */
interface ReaderState {
  readonly pairs: ReturnType<typeof createPairs>;
  readonly readBare: ReadBare;
  readonly mayBeRandom: ReturnType<typeof mayBeRandomIn>;
}

const pairEnds = { line: /\s#|\n/, inline: /[\s,;}<"']/ } as const;

function spansOf(
  text: string,
  member: Member,
  context: MemberContext,
  lineStart: number,
  state: ReaderState,
): readonly Span[] {
  const { limit } = context;
  const { pairs, readBare } = state;
  const { role, nested: kind } = member.meaning;
  if (role === 'header')
    return headerSpans(
      member.name,
      text,
      { at: member.valueAt, limit, certain: member.line !== undefined || context.isEnclosed },
      readBare,
    );
  const at = skipTag(text, afterSpaces(text, member.valueAt));
  if (role === 'pair') {
    pairs.add(
      member,
      quotedAt(text, at, limit) ??
        readBare(at, limit, member.line === 'own' && member.separator === ':' ? pairEnds.line : pairEnds.inline),
    );
    return [];
  }
  // Of such a name nothing else is a secret: told before the value is read, which may be as long as the text.
  if (needsRandom(member) && !state.mayBeRandom(at, at + farthestInspected)) return [];
  const below = yamlSpans(text, member, at, limit, member.start - lineStart);
  if (below) return below;
  if (at > limit) return [];
  const nested = kind === undefined || member.separator === '>' ? undefined : nestedSpans(text, at, kind);
  if (nested) return nested;
  const valueContext = valueContextOf(member, context);
  const value =
    quotedAt(text, at, limit) ??
    bareValue(text, at, member, member.separator === '>' ? 'inline' : valueContext, limit, readBare);
  return isSecretValue(text, value, member, valueContext, limit, state) ? [{ start: value.start, end: value.end }] : [];
}
