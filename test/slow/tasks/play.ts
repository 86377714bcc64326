import type { CallToolResult } from '@modelcontextprotocol/client';
import { isServiceKind } from '../../../src/contract/index.ts';
import { metaKeys } from '../../../src/server/output/index.ts';
import { textOf, type TestClient } from '../../support/mcp-clients.ts';

type Args = Record<string, unknown>;

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly properties?: Record<string, unknown>; readonly required?: readonly string[] };
}

/** One thing that is done: something asked in a person's words, or a call that the last result proposed. */
export type Step =
  | { readonly ask: string; readonly with?: Args; readonly take?: Taken; readonly isRefused?: true }
  /** Which of the calls that were proposed last, by its tool or its place; with what is added to its arguments. */
  | { readonly follow: string | number; readonly with?: Args; readonly take?: Taken };

/** Arguments that are read off the results so far: a pattern, and what becomes of its groups. */
type Taken = Readonly<Record<string, readonly [pattern: string, value: string]>>;

/** What playing a task took. */
export interface PlayResult {
  /** The tools that were called, in order. */
  readonly tools: readonly string[];
  readonly bytes: number;
  /** What the results said, in order. */
  readonly texts: readonly string[];
}

const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

// The shortest of the usual endings, so that deploys, deployed and deploying are one word.
const stem = (word: string): string => word.replace(/(?:ments?|ings?|ed|es|s)$/, '');

/** The name that a tool has for an argument, whether that ends in _id or not; what is of one kind is a service, too. */
const argumentName = (name: string, { inputSchema: { properties = {} } }: ListedTool): string =>
  [name, `${name}_id`, ...(isServiceKind(name) ? ['service'] : [])].find((one) => Object.hasOwn(properties, one)) ??
  name;

/** Whether a tool takes all that is known, and needs nothing else. */
function takes(facts: Args, tool: ListedTool): boolean {
  const { properties = {}, required = [] } = tool.inputSchema;
  const given = Object.keys(facts).map((name) => argumentName(name, tool));
  return given.every((name) => Object.hasOwn(properties, name)) && required.every((name) => given.includes(name));
}

/**
 * Of the tools that what is known fits, the one whose name and description say most of what is asked, rare words
 * counting more.
 */
function toolFor(ask: string, facts: Args, all: readonly ListedTool[]): ListedTool {
  const fitting = all.filter((tool) => takes(facts, tool));
  // A tool for the kind comes before one for services of every kind.
  const ofKind = fitting.filter((tool) =>
    Object.keys(facts).every((name) => name === 'service' || argumentName(name, tool) !== 'service'),
  );
  const tools = ofKind.length > 0 ? ofKind : fitting;
  if (tools.length === 0) throw new Error(`"${ask}": no tool takes ${Object.keys(facts).join(', ')} and nothing else`);
  const texts = tools.map(({ name, description = '' }) => ({
    name: new Set(words(name).map(stem)),
    text: new Set(words(description).map(stem)),
  }));
  const rarity = (word: string): number =>
    Math.log(1 + tools.length / (1 + texts.filter(({ name, text }) => name.has(word) || text.has(word)).length));
  const asked = [...new Set(words(ask).map(stem))];
  const scores = texts.map(({ name, text }) =>
    asked.reduce((sum, word) => sum + rarity(word) * ((name.has(word) ? 2 : 0) + (text.has(word) ? 1 : 0)), 0),
  );
  return tools[scores.indexOf(Math.max(...scores))]!;
}

interface ProposedCall {
  readonly tool: string;
  readonly arguments: Args;
}

/** The newest of the proposed calls that a step follows. */
function proposedCall(follow: string | number, results: readonly CallToolResult[]): ProposedCall {
  const proposals = results
    .map(({ _meta: meta, structuredContent }) => [
      ...((meta?.[metaKeys.next] ?? []) as readonly ProposedCall[]),
      ...((structuredContent as { next_once_known?: readonly ProposedCall[] } | undefined)?.next_once_known ?? []),
    ])
    .filter((calls) => calls.length > 0);
  const found = proposals
    .map((calls) => (typeof follow === 'number' ? calls[follow] : calls.find(({ tool }) => tool === follow)))
    .findLast((call) => call !== undefined);
  if (!found)
    throw new Error(
      `"${follow}" was not proposed, only ${
        proposals
          .flat()
          .map(({ tool }) => tool)
          .join(', ') || 'nothing'
      }`,
    );
  return found;
}

/** What is read off the results, by argument. */
function takenFrom(results: readonly CallToolResult[], taken: Taken = {}): Args {
  return Object.fromEntries(
    Object.entries(taken).map(([name, [pattern, value]]) => {
      const match = results.map((result) => new RegExp(pattern).exec(textOf(result))).findLast((one) => one !== null);
      if (!match) throw new Error(`no result has ${pattern}`);
      return [name, value.replaceAll(/\$(\d)/g, (_, group: string) => match[Number(group)]!)];
    }),
  );
}

/**
 * Plays a task as a client that knows only what the server says: a tool is found by its text and arguments, a follow-up
 * among what results proposed.
 * @param onCall called before each call
 * @throws Error where a call fails that is not expected to be refused, or the reverse, or nothing fits.
 */
export async function play(
  steps: readonly Step[],
  client: TestClient,
  onCall: () => void = () => undefined,
): Promise<PlayResult> {
  const tools = (await client.list()) as ListedTool[];
  const called: string[] = [];
  const results: CallToolResult[] = [];
  let bytes = 0;
  for (const step of steps) {
    const facts = { ...step.with, ...takenFrom(results, step.take) };
    const proposed = 'ask' in step ? undefined : proposedCall(step.follow, results);
    const tool = proposed
      ? tools.find(({ name }) => name === proposed.tool)!
      : toolFor((step as { ask: string }).ask, facts, tools);
    const args = {
      ...proposed?.arguments,
      ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [argumentName(name, tool), value])),
    };
    onCall();
    const result = await client.call(tool.name, args);
    results.push(result);
    called.push(tool.name);
    bytes += JSON.stringify(args).length + JSON.stringify(result).length;
    if (Boolean(result.isError) !== 'isRefused' in step)
      throw new Error(
        `${'ask' in step ? `"${step.ask}" became ` : ''}${tool.name} ${JSON.stringify(args)}, which ${result.isError ? 'failed' : 'succeeded'}: ${JSON.stringify(result.content)}`,
      );
  }
  return { tools: called, bytes, texts: results.map(textOf) };
}
