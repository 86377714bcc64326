import { blockBelow, blockMark, valuesBelow } from './yaml-blocks.ts';
import { headerSpans, isCredentialHeader } from './headers.ts';
import { lineBoundsOf } from './line-bounds.ts';
import { type AssignedName, assignedNameAt } from './assigned-name.ts';
import { mayBeSecretName, isSecretName } from './secret-names.ts';
import { createPairs, isPairMember } from './name-value-pairs.ts';
import { afterSpaces, bareReader, quotedAt, type ReadBare, type Scalar } from './scalar-values.ts';
import type { Recognizer, Span } from './spans.ts';
import { canBeSecret, isExpression, isMixed, isOrdinaryWord, isPlaceholder, isProse } from './secret-values.ts';

/** What a name of interest holds: a quick test before it is taken apart. */
const hint = /pass|pw|secret|token|cred|auth|key|cookie|name|value/i;

/** How a value without quotes ends, by what stands around it. */
const ends = {
  query: /[\s"'&#<>`\\]/,
  list: /[;"'<`]/,
  flow: /[\s,"'`]/,
  line: /\s|[&;](?=[A-Za-z][\w .-]{0,40}=)/,
  inline: /[\s"'`<]|[&;,](?=[\s"']|$|[A-Za-z][\w .-]{0,40}=)/,
} as const;
type ValueContext = keyof typeof ends;

/** What a member stands in: a map between braces, or the text at large. */
interface MemberContext {
  /** Between braces of its own line. Maps over lines have each member on a line, which tells as much. */
  readonly inBraces: boolean;
  /** Where its line ends, or the quote around it, or the line break that is written out. */
  readonly limit: number;
  readonly isEnclosed: boolean;
}

function valueContextOf({ before, beforeSpaces, line, separator, quote }: AssignedName, { inBraces, isEnclosed }: MemberContext): ValueContext {
  // JSON, wherever its lines begin.
  if (quote !== '' && separator === ':') return 'flow';
  if (before === '?' || before === '&') return 'query';
  if (beforeSpaces === ';' && separator === '=') return 'list';
  if (inBraces || beforeSpaces === '{' || (beforeSpaces !== '' && ',([<'.includes(beforeSpaces) && separator !== ':')) return 'flow';
  return line !== undefined || isEnclosed ? 'line' : 'inline';
}

const comment = /[ \t]#.*$/;
const nextMember = /[\s[(][\w.-]{1,60}[:=]/;
const plainWords = /^[\w.!?]+(?: [\w.!?][\w.!?-]*){0,5}$/;

/** A value that goes on to the end of its line, where that isn't prose and holds no other member. */
function valueToLineEnd(text: string, first: Scalar, limit: number, { separator, valueAt, name }: AssignedName): Scalar {
  const rest = text.slice(first.start, Math.min(limit, first.start + 4096)).replace(comment, '').trimEnd();
  if (rest.length <= first.end - first.start || nextMember.test(rest) || isProse(rest)) return first;
  // In a shell a command comes after it.
  if (separator === '=' && text[valueAt] !== ' ' && !(name === name.toUpperCase() && plainWords.test(rest))) return first;
  return { ...first, end: first.start + rest.length, after: first.start + rest.length };
}

/** Characters of a value by which it is told whether it is a secret. */
const inspectedLength = 300;

const trailing = /[,;)}\]]+$/;

function bareValue(text: string, at: number, member: AssignedName, place: ValueContext, limit: number, readBare: ReadBare): Scalar {
  const value = readBare(at, limit, ends[place]);
  if (place === 'line') return valueToLineEnd(text, value, limit, member);
  if (place === 'query' || value.end - value.start > 4096) return value;
  const word = text.slice(value.start, value.end).trimEnd();
  const kept = place === 'list' || word.endsWith('hidden]') ? word : word.replace(trailing, '');
  return { ...value, end: value.start + kept.length };
}

const slashPair = /^[a-z\d.-]+\/[a-z\d.-]+$/;
const address = /^[a-z][a-z\d+.-]{1,20}:\/\//i;
const semver = /^[\^~<>=v]*\d+(?:\.\d+){1,3}(?:[-+][\w.-]{1,30})?$/;
const angled = /^<[a-z][\w -]{0,50}>/i;
const path = /^(?:\.{1,2}\/|\/(?:run|etc|var|app|home|tmp|mnt|opt|usr|secrets?)\/)[\w./-]*$/;
const brackets = /^[[{(](?:["'\s]|$)/;

// Tokens are counted, live for a time, and are what parsers read.
const numbered = /tokens?$/i;
const number = /^(?:\d{1,6}(?:ms|s|m|h|d)?|[A-Z_]{1,30})$/;

/** Whether the value says by itself that it is none: a placeholder, an address, a version, the member's own name. */
function isEvidentlyHarmless(text: string, value: Scalar, { name, separator, valueAt }: AssignedName, place: ValueContext): boolean {
  const word = text.slice(value.start, Math.min(value.end, value.start + inspectedLength));
  if (word === '' || !canBeSecret(word) || isPlaceholder(word) || address.test(word) || semver.test(word) || path.test(word)) return true;
  if (word.toLowerCase() === name.toLowerCase() || (numbered.test(name) && number.test(word))) return true;
  if (value.quoted) return false;
  if (brackets.test(word) || angled.test(text.slice(value.start, value.start + 60)) || (name === 'passwd' && !isMixed(word))) return true;
  const isCode = text[valueAt] === ' ' || place === 'flow' || word.startsWith('$(');
  return isCode && (isExpression(word) || isOrdinaryWord(word) || (separator === ':' && /^\d{1,6}$/.test(word) && text[valueAt] !== ' '));
}

/** Whether a value is a secret where it stands, given that the name before it tells. */
function isSecretValue(text: string, value: Scalar, member: AssignedName, place: ValueContext, limit: number): boolean {
  if (isEvidentlyHarmless(text, value, member, place)) return false;
  const word = text.slice(value.start, Math.min(value.end, value.start + inspectedLength));
  // A file before the number of a line, a resource before its state.
  const name = member.separator === ':' && member.quote === '' ? (member.name.split('.').at(-1) ?? '') : member.name;
  if (!isSecretName(name, word)) return false;
  if (member.separator !== ':' || member.quote !== '' || place === 'list' || place === 'query') return true;
  const hasSpace = text[member.valueAt] === ' ' || value.quoted;
  if (place === 'flow' && (hasSpace || !/[/@]/.test(member.before))) return true;
  if (place === 'line' && hasSpace && (value.quoted || isMixed(word))) return true;
  if (place === 'line' && hasSpace) {
    const rest = text.slice(value.start, Math.min(limit, value.start + 200));
    return !isOrdinaryWord(word) && !isProse(rest) && !nextMember.test(rest);
  }
  const isImage = !hasSpace && /[/@]/.test(member.before);
  return isMixed(word) && !isImage && !slashPair.test(word) && (hasSpace || /[\s{[(]/.test(member.before));
}

function yamlSpans(text: string, member: AssignedName, at: number, limit: number, column: number): readonly Span[] | undefined {
  if (member.separator !== ':' || member.line !== 'own' || !isSecretName(member.name)) return undefined;
  if (at >= limit) return valuesBelow(text, limit, column);
  if (text[at] !== '|' && text[at] !== '>') return undefined;
  if (!blockMark.test(text.slice(at, Math.min(limit, at + 200)))) return undefined;
  const block = blockBelow(text, limit, column);
  return block ? [block] : [];
}

const listOfStrings = /\[[ \t]{0,5}(?=\\{0,7}["'])/y;

/** The strings of a list in brackets that begins at `at`, those that aren't plain words. */
function listedStrings(text: string, at: number, limit: number): readonly Span[] {
  listOfStrings.lastIndex = at;
  if (!listOfStrings.test(text)) return [];
  const spans: Span[] = [];
  for (let next = listOfStrings.lastIndex; ;) {
    const item = quotedAt(text, next, limit);
    if (!item) return spans;
    const word = text.slice(item.start, item.end);
    if (isMixed(word) || word === '[hidden]') spans.push(item);
    const comma = afterSpaces(text, item.after);
    if (text[comma] !== ',') return spans;
    next = afterSpaces(text, comma + 1);
  }
}

const tag = /(?:!{1,2}\w{1,20}|&\w{1,60})[ \t]{1,5}/y;
const skipTag = (text: string, at: number): number => {
  tag.lastIndex = at;
  return tag.test(text) ? tag.lastIndex : at;
};

/** The quote that the member stands in, where it begins right behind it. */
function enclosingEnd(text: string, { quote, before, valueAt }: AssignedName, lineEnd: number): number | undefined {
  if (quote !== '' || (before !== '"' && before !== "'")) return undefined;
  const end = text.slice(valueAt, lineEnd).indexOf(before);
  return end === -1 ? undefined : valueAt + end;
}

/** Values after a name that tells and a separator, in any of the ways programs, formats and people write that down. */
export const recognizeAssignments: Recognizer = (text) => {
  const spans: Span[] = [];
  const lines = lineBoundsOf(text);
  const pairs = createPairs(text);
  const readBare = bareReader(text);
  const separators = /[=:>{}]/g;
  let braces = 0;
  let lastBrace = -1;
  let done = 0;
  for (let match = separators.exec(text); match; match = separators.exec(text)) {
    const at = match.index;
    if (match[0] === '{' || match[0] === '}') {
      const open = lastBrace < lines.startOf(at) ? 0 : braces;
      braces = match[0] === '{' ? open + 1 : Math.max(0, open - 1);
      lastBrace = at;
      continue;
    }
    const member = assignedNameAt(text, at, done, hint, lines);
    if (!member || (match[0] === '>' && member.before !== '<')) continue;
    const lineEnd = lines.endOf(at);
    const written = member.line === 'written out' ? text.slice(member.valueAt, lineEnd).indexOf(String.raw`\n`) : -1;
    const enclosing = enclosingEnd(text, member, lineEnd);
    const limit = enclosing ?? (written === -1 ? lineEnd : member.valueAt + written);
    const around: MemberContext = { inBraces: braces > 0 && lastBrace >= lines.startOf(at), limit, isEnclosed: enclosing !== undefined };
    const found = spansOf(text, member, around, lines.startOf(at), { pairs, readBare });
    for (const span of found) spans.push(span);
    done = found.reduce((latest, { end }) => Math.max(latest, end), done);
    separators.lastIndex = Math.max(separators.lastIndex, done);
  }
  return [...spans, ...pairs.spans()];
};

/** What is kept while a text is read. */
interface ReaderState {
  readonly pairs: ReturnType<typeof createPairs>;
  readonly readBare: ReadBare;
}

const pairEnds = { line: /\s#|\n/, inline: /[\s,;}<"']/ } as const;

function spansOf(text: string, member: AssignedName, around: MemberContext, lineStart: number, { pairs, readBare }: ReaderState): readonly Span[] {
  const { limit } = around;
  if (isCredentialHeader(member.name)) return headerSpans(member.name, text, { at: member.valueAt, limit, certain: member.line !== undefined || around.isEnclosed }, readBare);
  if (!isPairMember(member.name) && !mayBeSecretName(member.name)) return [];
  const at = skipTag(text, afterSpaces(text, member.valueAt));
  if (isPairMember(member.name)) {
    pairs.add(member, quotedAt(text, at, limit) ?? readBare(at, limit, member.line === 'own' && member.separator === ':' ? pairEnds.line : pairEnds.inline));
    return [];
  }
  const below = yamlSpans(text, member, at, limit, member.start - lineStart);
  if (below) return below;
  if (at > limit) return [];
  const listed = member.separator === '>' || !isSecretName(member.name) ? [] : listedStrings(text, at, limit);
  if (listed.length > 0) return listed;
  const place = valueContextOf(member, around);
  const value = quotedAt(text, at, limit) ?? bareValue(text, at, member, member.separator === '>' ? 'inline' : place, limit, readBare);
  return isSecretValue(text, value, member, place, limit) ? [{ start: value.start, end: value.end }] : [];
}
