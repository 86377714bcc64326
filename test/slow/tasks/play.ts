import type { CallToolResult } from '@modelcontextprotocol/client';
import { metaKeys } from '../../../src/server/output/reply.ts';
import type { TestClient } from '../../support/mcp-clients.ts';

type Args = Record<string, unknown>;

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly properties?: Record<string, unknown> };
}

/** One thing that is done: something asked in a person's words, or a call that the last result proposed. */
export type Step =
  | { readonly ask: string; readonly with?: Args }
  /** Which of the proposed calls, by its tool or its place; with what is added to its arguments. */
  | { readonly follow: string | number; readonly with?: Args };

/** What playing a task took. */
export interface PlayResult {
  /** The tools that were called, in order. */
  readonly tools: readonly string[];
  readonly bytes: number;
}

const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

// The shortest of the usual endings, so that deploys, deployed and deploying are one word.
const stem = (word: string): string => word.replace(/(?:ments?|ings?|ed|es|s)$/, '');

/** The tool whose name and description say most of what is asked, rare words counting more. */
export function toolFor(ask: string, tools: readonly ListedTool[]): string {
  const texts = tools.map(({ name, description = '' }) => ({ name: new Set(words(name).map(stem)), text: new Set(words(description).map(stem)) }));
  const rarity = (word: string): number => Math.log(1 + tools.length / (1 + texts.filter(({ name, text }) => name.has(word) || text.has(word)).length));
  const asked = [...new Set(words(ask).map(stem))];
  const scores = texts.map(({ name, text }) => asked.reduce((sum, word) => sum + rarity(word) * ((name.has(word) ? 2 : 0) + (text.has(word) ? 1 : 0)), 0));
  return tools[scores.indexOf(Math.max(...scores))]!.name;
}

interface ProposedCall {
  readonly tool: string;
  readonly arguments: Args;
}

function proposedCall(step: Extract<Step, { follow: unknown }>, last: CallToolResult | undefined): ProposedCall {
  const open = (last?.structuredContent as { next_once_known?: readonly ProposedCall[] } | undefined)?.next_once_known ?? [];
  const proposed = [...((last?._meta?.[metaKeys.next] ?? []) as readonly ProposedCall[]), ...open];
  const found = typeof step.follow === 'number' ? proposed[step.follow] : proposed.find(({ tool }) => tool === step.follow);
  if (!found) throw new Error(`"${step.follow}" was not proposed, only ${proposed.map(({ tool }) => tool).join(', ') || 'nothing'}`);
  return found;
}

/** What is known of a thing fits the tool's argument, whether that ends in _id or not. */
function matchingArguments(facts: Args, { inputSchema: { properties = {} } }: ListedTool): Args {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [Object.hasOwn(properties, name) ? name : `${name}_id`, value]));
}

/**
 * Plays a task as a client that knows only what the server says: a tool is found by its text, a follow-up among what the
 * result before proposed.
 * @throws Error where a call fails or nothing fits.
 */
export async function play(steps: readonly Step[], client: TestClient): Promise<PlayResult> {
  const tools = (await client.list()) as ListedTool[];
  const called: string[] = [];
  let bytes = 0;
  let last: CallToolResult | undefined;
  for (const step of steps) {
    const name = 'ask' in step ? toolFor(step.ask, tools) : proposedCall(step, last).tool;
    const tool = tools.find((one) => one.name === name)!;
    const args = { ...('ask' in step ? {} : proposedCall(step, last).arguments), ...matchingArguments(step.with ?? {}, tool) };
    last = await client.call(name, args);
    called.push(name);
    bytes += JSON.stringify(args).length + JSON.stringify(last).length;
    if (last.isError) throw new Error(`${'ask' in step ? `"${step.ask}" became ` : ''}${name} ${JSON.stringify(args)}, which failed: ${JSON.stringify(last.content)}`);
  }
  return { tools: called, bytes };
}
