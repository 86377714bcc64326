import { createHmac } from 'node:crypto';
import { toWire, type AnyOperation, type Method } from '../../contract/operation.ts';
import type { Redactor } from '../redaction/index.ts';
import { answerSchema, argumentSchema, toolArgumentSchema } from '../tool/schema.ts';
import type { Tool } from '../tool/tool.ts';
import { canonical, omit, type JsonRecord } from '../json/values.ts';
import { lineAgreed, lineText, type PlanLine, type Preview } from '../tool/preview/preview.ts';
import { replacement } from '../tool/preview/replacement.ts';
import { touchedLines } from '../tool/preview/touched-environments.ts';
import { namedTarget, targetText, type NamedTarget } from './risk/named-target.ts';
import type { Target } from '../context/target.ts';
import type { Risk } from './risk/risk.ts';
import type { TargetedOperation } from './guarded-call.ts';
import type { Reader } from '../context/reader.ts';

/** The request a call makes, as it may be shown. */
interface PlannedRequest {
  readonly method: Method;
  /** Path and query, relative to the platform's address. */
  readonly path: string;
  readonly body?: JsonRecord;
  /** Members that are sent back as they are, without their values. */
  readonly unchanged?: readonly string[];
}

/** What a call would do, told before it does it. Holds nothing that may not be shown. */
export interface Plan {
  readonly tool: string;
  readonly tier: Risk;
  /** What the gravest of its requests acts on. */
  readonly target: NamedTarget;
  /** What its operations do, a sentence each. */
  readonly summary: string;
  readonly requests: readonly PlannedRequest[];
  /** What it does to what is there now, one line each. */
  readonly effects: readonly string[];
  /**
   * Stands for what is agreed to: the exact call, the identity and mode of what it acts on, and what it does to what is
   * there now. States and times have no part in it, for they change while a person reads.
   */
  readonly digest: string;
}

/** What a plan is made from. */
export interface PlanSource {
  readonly tool: Tool;
  readonly args: JsonRecord;
  readonly operations: readonly TargetedOperation[];
  readonly target: Target;
  readonly risk: Risk;
  /** Reads the present state; absent where nobody has to agree, so that harmless calls stay cheap. */
  readonly reader?: Reader;
  readonly redactor: Redactor;
  /** What the digest is made with. */
  readonly key: Uint8Array;
}

/** What a tool tells of the present state; replacements always do. */
const previewOf = ({ preview }: Tool, operation: AnyOperation): Preview | undefined => preview ?? (operation.method === 'PUT' ? replacement(operation) : undefined);

interface PlannedEffects {
  readonly request: PlannedRequest;
  readonly seen: readonly PlanLine[];
  readonly told: readonly PlanLine[];
}

/** What one act sends, and what it does to what is there now: as it is, and as it may be told. */
async function planRequest({ operation, input, unchanged: amended, target }: TargetedOperation, { tool, args, reader, redactor: { agreement } }: PlanSource): Promise<PlannedEffects> {
  const shownInput = agreement.sent(input, argumentSchema(operation), amended && args) as JsonRecord;
  const kept = amended ?? [];
  const { method, target: path, body } = toWire(operation, shownInput);
  const unchanged = kept.filter((name) => body && Object.hasOwn(body, name));
  const request = { method, path, ...(body && { body: omit(body, kept) }), ...(unchanged.length > 0 && { unchanged }) };
  const preview = reader && previewOf(tool, operation);
  if (!preview) return { request, seen: [], told: [] };
  return {
    request,
    seen: await preview(input, { target, reader }),
    told: await preview(shownInput, { target: agreement.called(target) as Target, reader: reader.under({ view: (one, answer) => agreement.present(answer, answerSchema(one)) }) }),
  };
}

/**
 * The plan of a call: the exact requests and what they do to what is there now, read from the platform where a reader
 * is given.
 * @throws ApiError when the platform fails while it is read.
 */
export async function planOf(source: PlanSource): Promise<Plan> {
  const { tool, args, operations: acts, target, risk: tier, redactor: { agreement }, key } = source;
  const named = await namedTarget(target, source.reader);
  const planned: PlannedEffects[] = [];
  for (const one of acts) planned.push(await planRequest(one, source));
  const inputs = acts.map(({ operation, input }) => [operation.name, input]);
  // Secrets count for the digest, though nobody sees them.
  const digest = createHmac('sha256', key).update(JSON.stringify(canonical([tool.name, tier, named, args, inputs, planned.map(({ seen }) => seen.map(lineAgreed))]))).digest('hex');
  return {
    tool: tool.name, tier, target: agreement.called(named) as NamedTarget, summary: [...new Set(acts.map(({ operation }) => operation.summary))].join(' '),
    requests: planned.map(({ request }) => request),
    effects: [
      ...touchedLines(acts.map((one) => agreement.called(one.target) as Target)),
      ...tool.plan(agreement.sent(args, toolArgumentSchema(tool)) as JsonRecord),
      ...planned.flatMap(({ told }) => told.map(lineText)),
    ].map((line) => line.replaceAll('\n', String.raw`\n`)),
    digest,
  };
}

const longestLine = 300;
const mostLines = 40;

const cut = (line: string): string => (line.length > longestLine ? `${line.slice(0, longestLine)}… (${line.length - longestLine} more characters)` : line);

// One line each, so that no value can pass for a line of ours.
// In quotes where spaces in a row, or at an end, could make the rest look like a line of its own once it is wrapped.
const oneLine = (value: unknown): string => (typeof value === 'string' && !/\n|[^\S ]|[\s\u3000\u2800]{3}|^\s|\s$/.test(value) ? value : JSON.stringify(value));

const modeText: Record<Target['mode'], string> = {
  DEVELOPMENT: ', DEVELOPMENT',
  STAGING: ', STAGING',
  PRODUCTION: ', PRODUCTION',
  unknown: ', whose mode could not be determined',
  none: '',
};

const aboutText = (target: NamedTarget): string => {
  const { kind, id, mode } = target;
  const place = kind !== 'environment' && mode === 'unknown' ? ', of an environment' : '';
  return `${targetText(target)}${place}${modeText[mode]}${id === undefined ? '' : ` (id ${id})`}`;
};

const shortened = (lines: readonly string[]): readonly string[] =>
  lines.length > mostLines ? [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more lines`] : lines;

const requestLines = ({ method, path, body = {}, unchanged = [] }: PlannedRequest): string[] => [
  `Sends: ${method} ${path}`,
  ...Object.entries(body).map(([name, value]) => `${name}: ${oneLine(value)}`),
  ...(unchanged.length > 0 ? [`As it is: ${unchanged.join(', ')}`] : []),
];

/** A plan in words, one fact a line. @param whole whether long lines and long plans are told to their end. */
export function planText({ summary, target, requests, effects }: Plan, { whole = false } = {}): string {
  const lines = [summary, `On: ${aboutText(target)}`, ...requests.flatMap(requestLines), ...effects];
  return (whole ? lines : shortened(lines).map(cut)).join('\n');
}
