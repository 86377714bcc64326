import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { parseSync } from 'oxc-parser';

/** A node of a syntax tree, with its place in the source. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** How the MCP library names schemas, and what has several of them. */
const schema = /^[A-Z]\w*Schema(?:\$\d+)?$/;
const table = /^\w*Schemas\d*(?:\$\d+)?$/;
/** How it names the functions that make all schemas of a protocol version. */
const builder = /^build(?:\$\d+)?$/;

const helpers = `
const lazily$ = (make) => { let made; return () => (made ??= make()); };
const kept$ = (table, name, value) => { Object.defineProperty(table, name, { value, enumerable: true }); return value; };
`;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
const isFunction = ({ type }: Node): boolean => type.endsWith('FunctionExpression') || type === 'FunctionDeclaration';
const nameOf = (node: unknown): string => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '');

/** The parts of a node in the order of the source, each with the member that has it. */
const partsOf = (node: Node): (readonly [member: string, part: Node])[] =>
  Object.entries(node['shorthand'] === true ? { value: node['value'] } : node)
    .flatMap(([member, value]) => [value].flat().flatMap((part) => (isNode(part) ? [[member, part] as const] : [])))
    .toSorted(([, a], [, b]) => a.start - b.start);

/** Whether an identifier names a member of something, and no variable. */
const isMemberName = (parent: Node, member: string): boolean =>
  parent['computed'] !== true &&
  ((parent.type === 'MemberExpression' && member === 'property') ||
    (/^(?:Property|PropertyDefinition|MethodDefinition)$/.test(parent.type) && member === 'key'));

/** Whether code names a schema where it runs at once, and not in a function or for an instance of a class. */
const needsSchema = (node: Node): boolean =>
  partsOf(node).some(([member, part]) =>
    part.type === 'Identifier'
      ? schema.test(nameOf(part)) && !isMemberName(node, member)
      : !isFunction(part) && part.type !== 'ClassBody' && needsSchema(part),
  );

const variablesOf = (statements: unknown): Node[] =>
  (statements as Node[])
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap((one) => one['declarations'] as Node[]);

/** Whether the members of an object literal become getters. */
const isTable = (parent: Node, member: string, isInBuilder: boolean): boolean =>
  (parent.type === 'VariableDeclarator' && table.test(nameOf(parent['id']))) ||
  (parent.type === 'Property' && member === 'value' && table.test(nameOf(parent['key']))) ||
  (parent.type === 'ReturnStatement' && isInBuilder);

/** Writes code with schemas that are made when they are first used. */
function lazyCode(code: string, program: Node): string {
  /** Whether a variable is made when it is first used. */
  const isLazy = ({ id, init }: Node, isInBuilder: boolean): boolean =>
    isNode(init) &&
    !isFunction(init) &&
    !(init.type === 'ObjectExpression' && table.test(nameOf(id))) &&
    (isInBuilder || schema.test(nameOf(id)) || needsSchema(init));
  const lazyNames = (statements: unknown, isInBuilder: boolean): string[] =>
    variablesOf(statements)
      .filter((one) => isLazy(one, isInBuilder))
      .map(({ id }) => nameOf(id));

  interface Place {
    readonly parent: Node;
    readonly member: string;
    /** Names of variables that are functions now. */
    readonly lazy: ReadonlySet<string>;
    /** The declarations that are changed. */
    readonly declared: ReadonlySet<unknown>;
    readonly isInBuilder: boolean;
  }

  const inParts = (node: Node, place: Omit<Place, 'parent' | 'member'>): string => {
    let text = '';
    let at = node.start;
    for (const [member, part] of partsOf(node)) {
      text += code.slice(at, part.start) + written(part, { ...place, parent: node, member });
      at = part.end;
    }
    return text + code.slice(at, node.end);
  };

  function written(node: Node, place: Place): string {
    const { parent, member, lazy, declared, isInBuilder } = place;
    const isChanged = (name: string): boolean => schema.test(name) || lazy.has(name);
    if (/^(?:Import|Export)/.test(node.type)) return code.slice(node.start, node.end);
    if (node.type === 'Identifier') {
      const name = nameOf(node);
      const isDeclared = parent.type === 'VariableDeclarator' && member === 'id';
      if (!isChanged(name) || isDeclared || isMemberName(parent, member)) return name;
      if ((isFunction(parent) && member !== 'body') || parent.type.endsWith('Pattern') || parent.type === 'CatchClause')
        throw new Error(`${name} is also a name of something else.`);
      return `${name}()`;
    }
    if (node.type === 'Property' && node['shorthand'] === true && parent.type === 'ObjectExpression') {
      const name = nameOf(node['key']);
      return isChanged(name) ? `${name}: ${name}()` : name;
    }
    if (node.type === 'VariableDeclarator' && declared.has(node)) {
      const init = written(node['init'] as Node, { ...place, parent: node, member: 'init' });
      return `${nameOf(node['id'])} = /* @__PURE__ */ lazily$(() => (${init}))`;
    }
    if (node.type === 'ObjectExpression' && isTable(parent, member, isInBuilder)) {
      const members = (node['properties'] as Node[]).map((property) => {
        const key = property['key'] as Node;
        const name = code.slice(key.start, key.end);
        const value = written(property['value'] as Node, { ...place, parent: property, member: 'value' });
        return `get ${name}() { return kept$(this, ${key.type === 'Identifier' ? `'${name}'` : name}, ${value}); }`;
      });
      return `{ ${members.join(',\n')} }`;
    }
    if (node.type === 'FunctionDeclaration' && builder.test(nameOf(node['id']))) {
      const { body } = node['body'] as Node;
      const own = variablesOf(body).filter((one) => isLazy(one, true));
      return inParts(node, {
        lazy: new Set([...lazy, ...lazyNames(body, true)]),
        declared: new Set(own),
        isInBuilder: true,
      });
    }
    return inParts(node, isFunction(node) ? { ...place, isInBuilder: false } : place);
  }

  const { body } = program;
  return inParts(program, {
    lazy: new Set(lazyNames(body, false)),
    declared: new Set(variablesOf(body).filter((one) => isLazy(one, false))),
    isInBuilder: false,
  });
}

/** The library's public table of schemas, which nothing here uses, needs them all when it is made. */
const eagerTable = [
  [
    '_specTypeSchemas[name] = schema;',
    'Object.defineProperty(_specTypeSchemas, name, { get: schema, enumerable: true });',
  ],
  ['schema.safeParse(v).success', 'schema().safeParse(v).success'],
  ['register(key, schemas_exports[key]);', 'register(key, () => schemas_exports[key]);'],
  [
    'for (const [key, schema] of Object.entries(authSchemas)) register(key, schema);',
    'for (const key of Object.keys(authSchemas)) register(key, () => authSchemas[key]);',
  ],
] as const;

/** Makes the entries of the public table getters. @throws Error if the library's code has changed */
function withLazyTable(code: string): string {
  if (!code.includes('const _specTypeSchemas = ')) return code;
  return eagerTable.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`The MCP library has "${from}" ${parts.length - 1} times, and not once.`);
    return parts.join(to);
  }, code);
}

/**
 * Makes the schemas in a module of the MCP library when they are first used: of some 470, a start needs 43. A variable
 * with a schema becomes a function that makes it once, and each use of it a call. So exports of such a module are
 * functions too, and only other modules that are changed in the same way can import them.
 * @throws Error if the code can't be changed without another meaning.
 */
export function withLazySchemas(file: string, code: string): string {
  const source = withLazyTable(code);
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} can't be read: ${errors[0]!.message}`);
  return helpers + lazyCode(source, program as unknown as Node);
}

/** Bundles the MCP library with schemas that are made when they are first used. */
export const lazySchemas: Plugin = {
  name: 'lazy schemas',
  setup: (bundle) => {
    bundle.onLoad(
      { filter: /[\\/]@modelcontextprotocol[\\/](?:core|server)[\\/]dist[\\/].*\.mjs$/ },
      async ({ path }) => ({ contents: withLazySchemas(path, await readFile(path, 'utf8')) }),
    );
  },
};
