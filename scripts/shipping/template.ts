/**
 * Implements the part of Helm's template language that our chart uses: values, `include`, `if` with `else`, `range`,
 * and the functions of template-functions.ts. Anything else in a template is an error.
 */
import { isTrue, templateFunctions } from './template-functions.ts';

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly words: string }
  | {
      readonly kind: 'choice';
      readonly condition: string;
      readonly holds: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | {
      readonly kind: 'range';
      readonly key: string;
      readonly value: string;
      readonly over: string;
      readonly body: readonly Node[];
    }
  | { readonly kind: 'define'; readonly name: string; readonly body: readonly Node[] };

/**
 * Values of names in a template: objects such as `.Values` by their first part, variables with their dollar sign. `$`
 * is the scope of the whole template.
 */
export type TemplateScope = Readonly<Record<string, unknown>>;

const range = /^range (?<key>\$\w+), (?<value>\$\w+) := (?<over>\S+)$/;
const define = /^define "(?<name>[^"]+)"$/;
const choice = /^if (?<condition>.+)$/s;
const otherChoice = /^else (?<action>if .+)$/s;

/** An action. A dash inside its braces trims the white space on that side. */
const braces = /(?:\s*\{\{-|\{\{)\s*(.*?)\s*(?:-\}\}\s*|\}\})/s;

type Part = { readonly text: string; readonly action?: string };

/** Splits a template into texts, each with the action that follows it. */
const splitTemplate = (template: string): Part[] => {
  const split = template.split(braces);
  return split.flatMap((text, index) => (index % 2 === 0 ? [{ text, action: split[index + 1] }] : []));
};

/** Parses nodes up to the end of their block, and says which action ended it. */
function blockOf(rest: Part[]): { readonly nodes: Node[]; readonly endedBy?: string } {
  const nodes: Node[] = [];
  for (let part = rest.shift(); part; part = rest.shift()) {
    nodes.push({ kind: 'text', text: part.text });
    const { action } = part;
    if (action === 'end' || action?.startsWith('else')) return { nodes, endedBy: action };
    if (action !== undefined) nodes.push(nodeOf(action, rest));
  }
  return { nodes };
}

function nodeOf(action: string, rest: Part[]): Node {
  const [looped, defined, chosen] = [range, define, choice].map((pattern) => pattern.exec(action)?.groups);
  if (looped)
    return {
      kind: 'range',
      key: looped['key']!,
      value: looped['value']!,
      over: looped['over']!,
      body: blockOf(rest).nodes,
    };
  if (defined) return { kind: 'define', name: defined['name']!, body: blockOf(rest).nodes };
  if (!chosen) return { kind: 'value', words: action };
  const { nodes, endedBy = '' } = blockOf(rest);
  const next = otherChoice.exec(endedBy)?.groups?.['action'];
  const otherwise = next !== undefined ? [nodeOf(next, rest)] : endedBy === 'else' ? blockOf(rest).nodes : [];
  return { kind: 'choice', condition: chosen['condition']!, holds: nodes, otherwise };
}

/** The value of a word: the dot, a quoted string, a number, a variable, or the path of a value. */
const valueOf = (word: string, scope: TemplateScope): unknown => {
  if (word === '.' || (word === '$' && !('$' in scope))) return scope;
  if (/^["\d]/.test(word)) return JSON.parse(word);
  const names = word.startsWith('$') ? [word] : word.split('.').slice(1);
  const value = names.reduce<unknown>((current, name) => (current as TemplateScope | undefined)?.[name], scope);
  if (value === undefined) throw new Error(`The template uses ${word}, which has no value.`);
  return value;
};

type Definitions = ReadonlyMap<string, readonly Node[]>;

/**
 * Evaluates an action: words, functions with arguments, parentheses, and pipes, which pass a result on as the last
 * argument.
 */
function run(action: string, defined: Definitions, scope: TemplateScope): unknown {
  const tokens = action.match(/"[^"]*"|[()|]|[^\s()|"]+/g) ?? [];
  const include = (name: string, own: TemplateScope): string => {
    const body = defined.get(name);
    if (!body) throw new Error(`The template includes ${name}, which is not defined.`);
    return textOf(body, defined, own);
  };
  const functions: typeof templateFunctions = { ...templateFunctions, include };
  const term = (): unknown => {
    const token = tokens.shift()!;
    if (token !== '(') return valueOf(token, scope);
    const value = pipeline();
    tokens.shift();
    return value;
  };
  const argumentsLeft = (): unknown[] => {
    const values: unknown[] = [];
    while (tokens[0] !== undefined && tokens[0] !== '|' && tokens[0] !== ')') values.push(term());
    return values;
  };
  const step = (piped: readonly unknown[]): unknown => {
    const name = tokens[0] ?? '';
    if (Object.hasOwn(functions, name)) {
      tokens.shift();
      return functions[name]!(...([...argumentsLeft(), ...piped] as never[]));
    }
    const values = argumentsLeft();
    if (values.length !== 1 || piped.length > 0) throw new Error(`The template uses ${name}, which is not known here.`);
    return values[0];
  };
  const pipeline = (): unknown => {
    let value = step([]);
    while (tokens[0] === '|') {
      tokens.shift();
      value = step([value]);
    }
    return value;
  };
  return pipeline();
}

function textOf(nodes: readonly Node[], defined: Definitions, scope: TemplateScope): string {
  const text = (node: Node): string => {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'value') return String(run(node.words, defined, scope));
    if (node.kind === 'define') return '';
    if (node.kind === 'choice')
      return textOf(isTrue(run(node.condition, defined, scope)) ? node.holds : node.otherwise, defined, scope);
    const over = valueOf(node.over, scope) as TemplateScope | readonly unknown[];
    const entries = Array.isArray(over)
      ? [...over.entries()]
      : Object.entries(over).toSorted(([a], [b]) => (a < b ? -1 : 1));
    // As in Go, the dot is another one in here.
    const root = valueOf('$', scope);
    return entries
      .map(([key, value]) => textOf(node.body, defined, { $: root, [node.key]: key, [node.value]: value as unknown }))
      .join('');
  };
  return nodes.map(text).join('');
}

/**
 * Renders templates. Each can use the definitions of all of them.
 * @throws Error that names an unknown value, function or definition.
 */
export function fillIn(templates: readonly string[], scope: TemplateScope): string[] {
  const read = templates.map((template) => blockOf(splitTemplate(template)).nodes);
  const defined = new Map(
    read.flat().flatMap((node) => (node.kind === 'define' ? [[node.name, node.body] as const] : [])),
  );
  return read.map((nodes) => textOf(nodes, defined, scope));
}
