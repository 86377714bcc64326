import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { type ConfigFormat, type ConfigValue, type EntryPath, isObject, lineBreakOf } from './config-format.ts';

type Collection = YAMLMap | YAMLSeq;

/** The position of an entry: from its key or dash to the end of its last value. */
interface Place {
  readonly start: number;
  readonly value: unknown;
}

const oddlyWritten = (): Error => new Error("it is written in a way that can't be changed without changing more of it");

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
const lineEnd = (text: string, offset: number): number =>
  text.indexOf('\n', offset) < 0 ? text.length : text.indexOf('\n', offset) + 1;

/** The indentation before the first token of a line. */
function indentAt(text: string, offset: number): string {
  const before = text.slice(lineStart(text, offset), offset);
  if (before.trim() !== '') throw oddlyWritten();
  return before;
}

function documentOf(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error?.code === 'MULTIPLE_DOCS') throw new Error('it holds several documents');
  if (error) throw new Error(`line ${error.linePos?.[0].line} is not valid YAML`);
  return document;
}

/** A value of a document. @throws Error if it has an unresolved alias, or too many aliases. */
function valueIn(document: Document, node: unknown): unknown {
  try {
    return isNode(node) ? (node.toJS(document) as unknown) : undefined;
  } catch (error) {
    throw new Error('it is not valid YAML', { cause: error });
  }
}

const pairOf = (map: unknown, name: string): Pair<Node> | undefined =>
  isMap(map) ? (map.items as Pair<Node>[]).find(({ key }) => isScalar(key) && key.value === name) : undefined;

/** The offset of a list item's dash. */
function dashOf(text: string, item: unknown): number {
  const start = (item as Node).range![0];
  const dash = text.lastIndexOf('-', start);
  if (dash < 0 || text.slice(dash + 1, start).trim() !== '') throw oddlyWritten();
  return dash;
}

/** Servers of a list by their names. Servers without a name can't be this program's, and are numbered. */
function byName(member: string, servers: unknown): ConfigValue {
  if (!Array.isArray(servers)) throw new Error(`its ${member} is not a list`);
  let unnamed = 0;
  const named = servers.map((one: unknown): [string, unknown] => {
    const name = isObject(one) ? one['name'] : undefined;
    return [typeof name === 'string' ? name : `#${(unnamed += 1)}`, one];
  });
  if (new Set(named.map(([key]) => key)).size < named.length) throw new Error(`its ${member} has a name twice`);
  return Object.fromEntries(named);
}

/** The end of an entry's last value, without comments after it. */
function endOf(text: string, { start, value }: Place): number {
  let end = start + 1;
  if (isNode(value)) {
    visit(value, (_, node) => {
      if (isNode(node) && node.range && (isScalar(node) || isAlias(node) || (isCollection(node) && node.flow)))
        end = Math.max(end, node.range[1]);
    });
  }
  return lineEnd(text, text.slice(0, end).trimEnd().length);
}

/** A value as lines of YAML. */
const linesOf = (value: unknown, indent: string, br: string): string =>
  stringify(value, { lineWidth: 0 })
    .trimEnd()
    .split('\n')
    .map((line) => `${line === '' ? '' : indent}${line}${br}`)
    .join('');

/** Inserts lines below the line of an offset. */
const insertBelow = (text: string, offset: number, lines: string): string => {
  const end = lineEnd(text, offset);
  const start = text.slice(0, end);
  return `${start}${start.endsWith('\n') ? '' : lineBreakOf(text)}${lines}${text.slice(end)}`;
};

const afterColon = (text: string, { key }: Pair<Node>): number => text.indexOf(':', key.range![1]) + 1;

/** Adds a value to the servers of a member. @throws Error if they are in flow style. */
const addTo = (text: string, pair: Pair<Node>, value: unknown): string => {
  const br = lineBreakOf(text);
  const servers = pair.value as Collection | Node | null;
  const colon = afterColon(text, pair);
  if (isCollection(servers) && servers.items.length > 0) {
    if (servers.flow) throw oddlyWritten();
    const [first] = servers.items;
    const start = isMap(servers) ? (first as Pair<Node>).key.range![0] : dashOf(text, first);
    // Comments above the first entry belong to it.
    return insertBelow(text, colon, linesOf(value, indentAt(text, start), br));
  }
  const bare = text.slice(0, colon) + text.slice(Math.max(colon, servers?.range?.[1] ?? colon));
  return insertBelow(bare, colon, linesOf(value, `${indentAt(text, pair.key.range![0])}  `, br));
};

/**
 * YAML. Only whole lines of the entry are written or removed. Flow collections can't be changed unless they are empty.
 * @param list the member whose servers are a list, each with its name; default: servers are members of a mapping.
 */
export function yamlFormat(list?: string): ConfigFormat {
  const isList = (member: string): boolean => member === list;

  const written = ([member, name]: EntryPath, entry: ConfigValue): unknown =>
    isList(member) ? [entry] : { [name]: entry };

  const placeOf = (text: string, servers: unknown, [member, name]: EntryPath): Place | undefined => {
    if (!isList(member)) {
      const pair = pairOf(servers, name);
      return pair && { start: pair.key.range![0], value: pair.value };
    }
    const item = isSeq(servers)
      ? servers.items.find((one) => (pairOf(one, 'name')?.value as { value?: unknown } | undefined)?.value === name)
      : undefined;
    return item === undefined ? undefined : { start: dashOf(text, item), value: item };
  };

  const set = (text: string, path: EntryPath, entry: ConfigValue): string => {
    const document = documentOf(text);
    const root = document.contents;
    const pair = pairOf(root, path[0]);
    const place = placeOf(text, pair?.value, path);
    const br = lineBreakOf(text);
    if (place) {
      if (isDeepStrictEqual(valueIn(document, place.value), entry)) return text;
      const indent = indentAt(text, place.start);
      return (
        text.slice(0, lineStart(text, place.start)) +
        linesOf(written(path, entry), indent, br) +
        text.slice(endOf(text, place))
      );
    }
    if (pair) return addTo(text, pair, written(path, entry));
    if (isCollection(root) && root.flow) throw oddlyWritten();
    const indent = isMap(root) ? indentAt(text, (root.items[0] as Pair<Node>).key.range![0]) : '';
    return `${text}${text === '' || text.endsWith('\n') ? '' : br}${linesOf({ [path[0]]: written(path, entry) }, indent, br)}`;
  };

  return {
    set,
    parse: (text) => {
      const document = documentOf(text);
      const value = valueIn(document, document.contents) ?? {};
      if (!isObject(value)) throw new Error('it is not a mapping');
      return list === undefined || (value[list] ?? null) === null
        ? value
        : { ...value, [list]: byName(list, value[list]) };
    },
    remove: (text, path) => {
      const pair = pairOf(documentOf(text).contents, path[0]);
      const place = placeOf(text, pair?.value, path);
      if (!pair || !place) return text;
      const { items, flow } = pair.value as Collection;
      if (flow) throw oddlyWritten();
      const rest = text.slice(0, lineStart(text, place.start)) + text.slice(endOf(text, place));
      const colon = afterColon(text, pair);
      return items.length > 1 ? rest : `${rest.slice(0, colon)} ${isList(path[0]) ? '[]' : '{}'}${rest.slice(colon)}`;
    },
    show: (path, entry) => linesOf({ [path[0]]: written(path, entry) }, '', '\n').trimEnd(),
  };
}
