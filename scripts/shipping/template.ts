/**
 * Implements the part of Helm's template language that our chart uses: values, `include`, `range` over a map, `default`,
 * `quote`, `toYaml` and `nindent`. Anything else in a template is an error.
 */
import { stringify } from 'yaml';

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly words: string }
  | { readonly kind: 'range'; readonly key: string; readonly value: string; readonly over: string; readonly body: readonly Node[] }
  | { readonly kind: 'define'; readonly name: string; readonly body: readonly Node[] };

/** Values of names in a template: objects such as `.Values` by their first part, variables with their dollar sign. */
export type TemplateScope = Readonly<Record<string, unknown>>;

const range = /^range (?<key>\$\w+), (?<value>\$\w+) := (?<over>\S+)$/;
const define = /^define "(?<name>[^"]+)"$/;

/** An action. A dash inside its braces trims the white space on that side. */
const braces = /(?:\s*\{\{-|\{\{)\s*(.*?)\s*(?:-\}\}\s*|\}\})/s;

/** Splits a template into texts, each with the action that follows it. */
const splitTemplate = (template: string): { readonly text: string; readonly action?: string }[] => {
  const split = template.split(braces);
  return split.flatMap((text, index) => (index % 2 === 0 ? [{ text, action: split[index + 1] }] : []));
};

/** Parses nodes up to the `end` of their block. */
function nodesOf(rest: ReturnType<typeof splitTemplate>): Node[] {
  const nodes: Node[] = [];
  for (let part = rest.shift(); part; part = rest.shift()) {
    nodes.push({ kind: 'text', text: part.text });
    const { action } = part;
    if (action === 'end') return nodes;
    if (action === undefined) continue;
    const [looped, defined] = [range.exec(action)?.groups, define.exec(action)?.groups];
    if (looped) nodes.push({ kind: 'range', key: looped['key']!, value: looped['value']!, over: looped['over']!, body: nodesOf(rest) });
    else if (defined) nodes.push({ kind: 'define', name: defined['name']!, body: nodesOf(rest) });
    else nodes.push({ kind: 'value', words: action });
  }
  return nodes;
}

/** The value of a word: the dot, a quoted string, a number, a variable, or the path of a value. */
const valueOf = (word: string, scope: TemplateScope): unknown => {
  if (word === '.') return scope;
  if (/^["\d]/.test(word)) return JSON.parse(word);
  const names = word.startsWith('$') ? [word] : word.split('.').slice(1);
  const value = names.reduce<unknown>((current, name) => (current as TemplateScope | undefined)?.[name], scope);
  if (value === undefined) throw new Error(`The template uses ${word}, which has no value.`);
  return value;
};

const indented = (spaces: number, text: string): string => `\n${text.split('\n').map((line) => (line === '' ? line : ' '.repeat(spaces) + line)).join('\n')}`;

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

const functionsWith = (defined: ReadonlyMap<string, readonly Node[]>, scope: TemplateScope): Functions => ({
  include: (name: string) => {
    const body = defined.get(name);
    if (!body) throw new Error(`The template includes ${name}, which is not defined.`);
    return textOf(body, defined, scope);
  },
  default: (fallback: unknown, value: unknown) => value || fallback,
  quote: (value: unknown) => JSON.stringify(String(value)),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  nindent: (spaces: number, text: string) => indented(spaces, text),
});

/** Evaluates a pipeline: the result of each step is the last argument of the next one. */
function run(words: string, defined: ReadonlyMap<string, readonly Node[]>, scope: TemplateScope): unknown {
  const functions = functionsWith(defined, scope);
  return words.split('|').reduce<unknown>((previous, step, index) => {
    const [name = '', ...args] = step.trim().match(/"[^"]*"|\S+/g) ?? [];
    const implementation = functions[name];
    if (!implementation) {
      if (index > 0 || args.length > 0) throw new Error(`The template uses ${name}, which is not known here.`);
      return valueOf(name, scope);
    }
    return implementation(...([...args.map((word) => valueOf(word, scope)), ...(index > 0 ? [previous] : [])] as never[]));
  }, undefined);
}

function textOf(nodes: readonly Node[], defined: ReadonlyMap<string, readonly Node[]>, scope: TemplateScope): string {
  const text = (node: Node): string => {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'value') return String(run(node.words, defined, scope));
    if (node.kind === 'define') return '';
    const over = Object.entries(valueOf(node.over, scope) as TemplateScope).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return over.map(([key, value]) => textOf(node.body, defined, { ...scope, [node.key]: key, [node.value]: value })).join('');
  };
  return nodes.map(text).join('');
}

/**
 * Renders templates. Each can use the definitions of all of them.
 * @throws Error that names an unknown value, function or definition.
 */
export function fillIn(templates: readonly string[], scope: TemplateScope): string[] {
  const read = templates.map((template) => nodesOf(splitTemplate(template)));
  const defined = new Map(read.flat().flatMap((node) => (node.kind === 'define' ? [[node.name, node.body] as const] : [])));
  return read.map((nodes) => textOf(nodes, defined, scope));
}
