import { createHmac } from 'node:crypto';
import { toWire, type Method } from '../../contract/operation.ts';
import { clean } from '../fence.ts';
import type { Redactor } from '../redact.ts';
import { answerSchema, argumentSchema } from '../schema.ts';
import type { Tool } from '../tool.ts';
import { canonical, mapStrings, type JsonRecord } from '../values.ts';
import type { Preview } from './plan/preview.ts';
import { replacement } from './plan/replacement.ts';
import type { Read, Target } from './target.ts';
import type { Tier } from './tier.ts';

/** The request a call makes, as it may be shown. */
interface PlannedRequest {
  readonly method: Method;
  /** Path and query, relative to the platform's address. */
  readonly path: string;
  readonly body?: JsonRecord;
}

/** What a call would do, told before it does it. Holds nothing that may not be shown. */
export interface Plan {
  readonly tool: string;
  readonly tier: Tier;
  readonly target: Target;
  /** What the operation does, in one sentence. */
  readonly summary: string;
  readonly request: PlannedRequest;
  /** What it does to what is there now, one line each. */
  readonly effects: readonly string[];
  /** Stands for the exact call and everything the plan read: another call, or another state, has another one. */
  readonly digest: string;
}

/** What a plan is made from. */
export interface PlanSource {
  readonly tool: Tool;
  readonly args: JsonRecord;
  readonly target: Target;
  readonly tier: Tier;
  /** Reads the present state; absent where nobody has to agree, so that harmless calls stay cheap. */
  readonly read?: Read;
  readonly redactor: Redactor;
  /** What the digest is made with. */
  readonly key: Uint8Array;
}

/** What a tool tells of the present state; replacements always do. */
const previewOf = ({ preview, operation }: Tool): Preview | undefined => preview ?? (operation.method === 'PUT' ? replacement(operation) : undefined);

/** The same read, asked only once for the same thing. */
function once(read: Read): Read {
  const answers = new Map<string, Promise<unknown>>();
  return (operation, input) => {
    const asked = JSON.stringify([operation.name, input]);
    const answer = answers.get(asked) ?? read(operation, input);
    answers.set(asked, answer);
    return answer;
  };
}

/**
 * The plan of a call: the exact request and what it does to what is there now, read from the platform where `read` is
 * given.
 * @throws ApiError when the platform fails while it is read.
 */
export async function planOf({ tool, args, target, tier, read, redactor, key }: PlanSource): Promise<Plan> {
  const { operation } = tool;
  const shown = <Value>(value: Value): Value => mapStrings(value, (text) => clean(redactor.text(text))) as Value;
  const shownArgs = shown(redactor.value(args, argumentSchema(operation))) as JsonRecord;
  const { method, target: path, body } = toWire(operation, shownArgs);
  const preview = read && previewOf(tool);
  const raw = read && once(read);
  const seen = preview && raw ? await preview(args, { target, read: raw }) : [];
  const protectedRead: Read = async (one, input) => shown(redactor.value(await raw!(one, input), answerSchema(one)));
  const told = preview ? await preview(shownArgs, { target: shown(target), read: protectedRead }) : [];
  // Secrets count for the digest, though nobody sees them.
  const digest = createHmac('sha256', key).update(JSON.stringify(canonical([tool.name, tier, target, args, seen]))).digest('hex');
  return {
    tool: tool.name, tier, target: shown(target), summary: operation.summary,
    request: { method, path, ...(body && { body }) },
    effects: [...tool.plan(args), ...told].map((line) => shown(line).replaceAll('\n', String.raw`\n`)),
    digest,
  };
}

const longestLine = 300;
const mostLines = 40;

const cut = (line: string): string => (line.length > longestLine ? `${line.slice(0, longestLine)}… (${line.length - longestLine} more characters)` : line);

// One line each, so that no value can pass for a line of ours.
const oneLine = (value: unknown): string => (typeof value === 'string' && !value.includes('\n') ? value : JSON.stringify(value));

const modeText: Record<Target['mode'], string> = {
  DEVELOPMENT: ', DEVELOPMENT',
  STAGING: ', STAGING',
  PRODUCTION: ', PRODUCTION',
  unknown: ', of an environment whose mode could not be determined',
  none: '',
};

const targetText = ({ kind, id, name, environment, mode }: Target): string => {
  const called = name === undefined ? '' : ` "${oneLine(name)}"`;
  const where = kind === 'environment' || environment?.name === undefined ? '' : ` in environment "${oneLine(environment.name)}"`;
  const known = id === undefined ? '' : ` (id ${id})`;
  return `${kind.replaceAll('_', ' ')}${called}${where}${modeText[mode]}${known}`;
};

const shortened = (lines: readonly string[]): readonly string[] =>
  lines.length > mostLines ? [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more lines`] : lines;

/** A plan in words, one fact a line. @param whole whether long lines and long plans are told to their end. */
export function planText({ summary, target, request, effects }: Plan, { whole = false } = {}): string {
  const settings = Object.entries(request.body ?? {}).map(([name, value]) => `${name}: ${oneLine(value)}`);
  const lines = [summary, `On: ${targetText(target)}`, `Sends: ${request.method} ${request.path}`, ...settings, ...effects];
  return (whole ? lines : shortened(lines).map(cut)).join('\n');
}
