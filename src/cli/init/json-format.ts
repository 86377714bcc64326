import { isDeepStrictEqual } from 'node:util';
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  parse,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type ConfigFormat, type ConfigValue, lineBreakOf } from './config-format.ts';

/** The scanner's kinds of tokens that can be between two members. */
const comma = 5;
const [lineComment, blockComment, lineBreak, whitespace] = [12, 13, 14, 15];
const between = [lineComment, blockComment, lineBreak, whitespace];

const parseOptions = { allowTrailingComma: true, allowEmptyContent: true };

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** The indentation of a text; undefined if everything is on one line. */
const indentationOf = (text: string): string | undefined =>
  text.trim() === ''
    ? '  '
    : (/^([ \t]+)\S/m.exec(text)?.[1] ?? (text.trim().includes('\n') ? '  ' : text.trim() === '{}' ? '  ' : undefined));

/** A value as JSON, in the indentation of the text. @param depth of its member. */
function written(text: string, value: unknown, depth: number): string {
  const unit = indentationOf(text);
  if (unit === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, unit)
    .split('\n')
    .join(lineBreakOf(text) + unit.repeat(depth));
}

const replace = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to);

/** Adds a member as the first of an object, so that the rest stays unchanged. */
function addFirst(text: string, object: Node, depth: number, name: string, value: unknown): string {
  const unit = indentationOf(text);
  const start = object.offset + 1;
  const member = `${JSON.stringify(name)}:${unit === undefined ? '' : ' '}${written(text, value, depth)}`;
  const hasOthers = (object.children ?? []).length > 0;
  if (unit === undefined) return replace(text, start, start, `${member}${hasOthers ? ',' : ''}`);
  const onOwnLine = `${lineBreakOf(text)}${unit.repeat(depth)}${member}`;
  const rest = text.slice(start, object.offset + object.length - 1);
  const ending = rest.includes('\n') ? '' : `${lineBreakOf(text)}${unit.repeat(hasOthers ? depth : depth - 1)}`;
  if (hasOthers)
    return ending === ''
      ? replace(text, start, start, `${onOwnLine},`)
      : replace(text, start, start + (rest.length - rest.trimStart().length), `${onOwnLine},${ending}`);
  return replace(text, start, start, `${onOwnLine}${ending}`);
}

/** Sets a value at a path, and creates missing parent objects. */
function setAt(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text, [], parseOptions);
  if (!root)
    return `${text}${text.trim() === '' ? '' : lineBreakOf(text)}${written(
      '',
      path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value),
      0,
    ).replaceAll('\n', lineBreakOf(text))}${lineBreakOf(text)}`;
  const existing = findNodeAtLocation(root, [...path]);
  if (existing)
    return replace(text, existing.offset, existing.offset + existing.length, written(text, value, path.length));
  const known = path.findLastIndex((_, index) => findNodeAtLocation(root, path.slice(0, index)) !== undefined);
  const parent = findNodeAtLocation(root, path.slice(0, known))!;
  const missing = path.slice(known + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return addFirst(text, parent, known + 1, path[known]!, missing);
}

/** Offset of the comma between this one and the next token that isn't a comment; undefined if there is none. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let kind: number = scanner.scan();
  while (between.includes(kind)) kind = scanner.scan();
  return kind === comma ? scanner.getTokenOffset() : undefined;
}

/** Removes the member at a path, with its comma and the white space before it. */
function removeAt(text: string, path: readonly string[]): string {
  const property = findNodeAtLocation(parseTree(text, [], parseOptions)!, [...path])?.parent;
  if (!property) return text;
  const siblings = property.parent!.children!;
  const before = siblings[siblings.indexOf(property) - 1];
  const end = property.offset + property.length;
  const start = text.slice(0, property.offset).trimEnd().length;
  const after = commaAfter(text, end);
  if (after !== undefined) return replace(replace(text, after, after + 1, ''), start, end, '');
  const own = before && commaAfter(text, before.offset + before.length);
  const rest = replace(text, start, end, '');
  return own === undefined ? rest : replace(rest, own, own + 1, '');
}

function parseJson(text: string): ConfigValue {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, parseOptions);
  const [error] = errors;
  if (error)
    throw new Error(`line ${lineOf(text, error.offset)} is not valid JSON (${printParseErrorCode(error.error)})`);
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not a JSON object');
  return value as ConfigValue;
}

/** Members of an entry that are set one by one, so that the others, and comments, stay. */
const leaves = (entry: ConfigValue, at: readonly string[]): (readonly [readonly string[], unknown])[] =>
  Object.entries(entry).flatMap(([name, value]) =>
    name === 'env' ? leaves(value as ConfigValue, [...at, name]) : [[[...at, name], value] as const],
  );

/** JSON, including comments and trailing commas. */
export const jsonFormat: ConfigFormat = {
  parse: parseJson,
  set: (text, path, entry) => {
    const root = parseTree(text, [], parseOptions);
    const existing = root && findNodeAtLocation(root, [...path]);
    if (!existing) return setAt(text, path, entry);
    return leaves(entry, path).reduce((changed, [at, value]) => {
      const node = findNodeAtLocation(parseTree(changed, [], parseOptions)!, [...at]);
      const isSame =
        node !== undefined && isDeepStrictEqual(parse(changed.slice(node.offset, node.offset + node.length)), value);
      return isSame ? changed : setAt(changed, at, value);
    }, text);
  },
  remove: (text, path, withMember) => {
    const rest = removeAt(text, path);
    const member = findNodeAtLocation(parseTree(rest, [], parseOptions)!, [path[0]]);
    return withMember && member?.children?.length === 0 ? removeAt(rest, [path[0]]) : rest;
  },
  show: ([member, name], entry) => JSON.stringify({ [member]: { [name]: entry } }, null, 2),
};
