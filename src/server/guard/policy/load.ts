import { readFile } from 'node:fs/promises';
import type { Document, LineCounter } from 'yaml';
import type * as z from 'zod';
import { decodedText, issuesIn, printPath, unreadableBecause, type ValuePath } from '../../../contract/index.ts';
import type { Tool } from '../../tool/index.ts';
import { isRecord, pick } from '../../json/index.ts';
import {
  millisecondsOf,
  policyFileFor,
  conditionOrder,
  type Conditions,
  type DeniedAction,
  type Freeze,
  type Rule,
  type Rules,
  type Unattended,
} from './rules.ts';
import { reasonIdle, reasonUnreachable } from './unreachable-rules.ts';

/**
 * Freeze windows that start at each time of a cron expression.
 * @param duration of each window, in milliseconds.
 * @throws Error if the expression or the time zone is invalid.
 */
export async function freezeWindows(
  expression: string,
  timezone: string,
  duration: number,
): Promise<Freeze['activeUntil']> {
  const { Cron } = await import('croner');
  const cron = new Cron(expression, { timezone, paused: true });
  const activeUntil: Freeze['activeUntil'] = (now) => {
    // Croner works in whole seconds, and previousRuns excludes the given time.
    const [latest] = cron.previousRuns(1, new Date((Math.floor(now / 1000) + 1) * 1000));
    const end = latest && latest.getTime() + duration;
    return end !== undefined && end > now ? end : undefined;
  };
  // Croner reports an invalid time zone only when it computes a time.
  activeUntil(0);
  return activeUntil;
}

/** A fault in a policy file, with its line if known. */
interface Fault {
  readonly line?: number;
  readonly what: string;
}

const failure = (path: string, faults: readonly Fault[]): Error =>
  new Error(
    [
      'The policy can not be used:',
      ...faults.map(({ line, what }) => `${path}${line === undefined ? '' : `:${line}`}: ${what}`),
    ].join('\n'),
  );

const isNode = (value: unknown): value is { range: [number, number, number] } =>
  isRecord(value) && Array.isArray(value['range']);

/** The line of the node at a path, or of the nearest node around it. */
function lineOf(document: Document, lines: LineCounter, path: ValuePath): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node)) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

const label = (path: string, key: string, index: number, name: string | undefined): string =>
  `${path}, ${key}[${index}]${name === undefined ? '' : ` "${name}"`}`;

type RuleInFile = Conditions & { readonly name?: string };

/**
 * The operations that are a tool's purpose: all operations by which it changes something, or the reads that it is meant
 * to show.
 */
function ownOperationsOf({ operation, operations, equivalentOperations = [] }: Tool): readonly string[] {
  const own =
    operation.effect === 'read'
      ? equivalentOperations
      : [...operations, ...equivalentOperations].filter(({ effect }) => effect !== 'read');
  return own.map(({ name }) => name);
}

/** The effects of the named tools that also come from operations of other names. */
const deniedActionsOf = ({ tool: names = [] }: RuleInFile, tools: readonly Tool[]): DeniedAction[] =>
  tools.flatMap((tool) => {
    const own = ownOperationsOf(tool);
    return names.includes(tool.name) && own.some((operation) => operation !== tool.name)
      ? [{ tool: tool.name, operations: own, isDone: tool.matchesAction }]
      : [];
  });

function conditionsOf(rule: RuleInFile, tools: readonly Tool[]): Conditions {
  const actions = deniedActionsOf(rule, tools);
  return { ...pick(rule, conditionOrder), ...(actions.length > 0 && { actions }) };
}

const ruleOf = (path: string, key: string, rule: RuleInFile, index: number, tools: readonly Tool[]): Rule => ({
  conditions: conditionsOf(rule, tools),
  setBy: label(path, key, index, rule.name),
});

type Window = NonNullable<z.infer<ReturnType<typeof policyFileFor>>['freeze']>[number];

const freezeOf = async (window: Window, setBy: string, tools: readonly Tool[]): Promise<Freeze> => ({
  conditions: conditionsOf(window, tools),
  setBy,
  activeUntil: await freezeWindows(window.cron, window.time_zone, millisecondsOf(window.duration)!),
});

const unattendedOf = (entries: NonNullable<z.infer<ReturnType<typeof policyFileFor>>['unattended']>): Unattended => ({
  tiers: entries.filter((entry) => typeof entry === 'string'),
  tools: entries.flatMap((entry) => (typeof entry === 'string' ? [] : entry.tool)),
});

/**
 * Parses a policy file in YAML or JSON.
 * @param path the file's name in denials and errors.
 * @throws Error that lists every fault with its line.
 */
export async function parsePolicy(path: string, text: string, tools: readonly Tool[]): Promise<Rules> {
  // The default export is the only export of a CommonJS package that the bundler keeps.
  const { LineCounter: Lines, parseDocument } = (await import('yaml')).default;
  const lines = new Lines();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    throw failure(
      path,
      document.errors.map(({ message, pos }) => ({ line: lines.linePos(pos[0]).line, what: message })),
    );
  const content = document.toJS() as unknown;
  if (!isRecord(content)) throw failure(path, [{ what: 'holds no policy; write for instance "read_only: true"' }]);
  const schema = policyFileFor(tools);
  const result = schema.safeParse(content);
  if (!result.success) {
    throw failure(
      path,
      issuesIn(result.error, schema).map(({ path: at, text: what }) => ({
        line: lineOf(document, lines, at),
        what: at.length > 0 ? `${printPath(at)}: ${what}` : what,
      })),
    );
  }
  const {
    read_only,
    allow,
    deny = [],
    freeze = [],
    max_disruptive_per_hour: most,
    unattended,
    operator_only,
    two_person: twoPerson = [],
    value_from_env,
  } = result.data;
  const unreachable = Object.entries({ allow: allow ?? [], deny, freeze, two_person: twoPerson }).flatMap(
    ([key, rules]) =>
      rules.flatMap((rule, index) =>
        reasonUnreachable(conditionsOf(rule, tools), tools, key === 'allow' ? 'tool' : 'action').map((why) => ({
          line: lineOf(document, lines, [key, index]),
          what: `${key}[${index}] ${why}`,
        })),
      ),
  );
  const idle = (unattended ?? []).flatMap((entry, index) => {
    const why = typeof entry === 'string' ? undefined : reasonIdle(entry.tool, operator_only, tools);
    return why === undefined
      ? []
      : [{ line: lineOf(document, lines, ['unattended', index]), what: `unattended[${index}] ${why}` }];
  });
  if (unreachable.length + idle.length > 0) throw failure(path, [...unreachable, ...idle]);
  const freezes = freeze.map((window, index) =>
    freezeOf(window, label(path, 'freeze', index, window.name), tools).catch((error: unknown) => {
      throw failure(path, [
        { line: lineOf(document, lines, ['freeze', index]), what: `freeze[${index}]: ${(error as Error).message}` },
      ]);
    }),
  );
  return {
    ...(read_only && { readOnly: `${path}, read_only` }),
    ...(allow && { allow: { rules: allow.map((rule) => conditionsOf(rule, tools)), setBy: `${path}, allow` } }),
    deny: deny.map((rule, index) => ruleOf(path, 'deny', rule, index, tools)),
    freezes: await Promise.all(freezes),
    ...(most !== undefined && { limit: { most, setBy: `${path}, max_disruptive_per_hour` } }),
    unattended: unattended && unattendedOf(unattended),
    operatorOnly: operator_only,
    twoPerson: twoPerson.map(({ approvals = 1, of, ...rule }, index) => ({
      ...ruleOf(path, 'two_person', rule, index, tools),
      approvals,
      of,
    })),
    valueFromEnv: value_from_env,
  };
}

/**
 * Reads and parses a policy file.
 * @throws Error if it can't be read, or that lists its faults.
 */
export async function loadPolicy(path: string, tools: readonly Tool[]): Promise<Rules> {
  const text = await readFile(path)
    .then(decodedText)
    .catch((error: unknown) => {
      throw new Error(`The policy can't be read from ${path}: ${unreadableBecause(error)}.`);
    });
  return parsePolicy(path, text, tools);
}
