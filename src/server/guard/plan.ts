import { createHmac } from 'node:crypto';
import {
  elsewhereOf,
  isTakenBack,
  oneByOneOf,
  redeployOf,
  timeOfDay,
  toWire,
  type AnyOperation,
} from '../../contract/index.ts';
import type { Redactor } from '../redaction/index.ts';
import {
  answerSchema,
  argumentSchema,
  lineAgreed,
  lineTexts,
  nothingWouldChange,
  partSentBack,
  replacement,
  textsAfter,
  toolArgumentSchema,
  touchedLines,
  visibleText,
  warningsIn,
  type PlanLine,
  type Preview,
  type Tool,
} from '../tool/index.ts';
import { canonical, memberOf, omit, type JsonRecord } from '../json/index.ts';
import { idsNamed } from './risk/find-target.ts';
import { namedTarget, type NamedTarget } from './risk/named-target.ts';
import type { Reader, Target } from '../context/index.ts';
import type { Risk } from './risk/risk.ts';
import type { TargetedOperation } from './guarded-call.ts';
import { planText } from './plan-text.ts';
import type { PlannedRequest, Plan } from './planned-call.ts';

/** Input of `planOf`. */
export interface PlanSource {
  readonly tool: Tool;
  readonly args: JsonRecord;
  readonly operations: readonly TargetedOperation[];
  readonly target: Target;
  readonly risk: Risk;
  /** Reads the present state; absent if no confirmation is needed, so that harmless calls stay cheap. */
  readonly reader?: Reader;
  /** Notes on the rows that the reader hid from the caller, once the plan is written. */
  readonly leftOut?: ReadonlySet<string>;
  readonly redactor: Redactor;
  /** Facts that the earlier checks could not determine, one line each. A confirmation doesn't cover them. */
  readonly notKnown?: readonly string[];
  /** The time, in milliseconds since 1970; default: that of the machine. */
  readonly now?: number;
  /** Names of tools that clients don't see. Default: none. */
  readonly hidden?: readonly string[];
  /** Key of the digest. */
  readonly key: Uint8Array;
}

/** The preview of an operation: the tool's own, or that of a replacement for every PUT. */
const previewOf = ({ preview }: Tool, operation: AnyOperation): Preview | undefined =>
  preview ?? (operation.method === 'PUT' ? replacement(operation) : undefined);

interface PlannedEffects {
  readonly request: PlannedRequest;
  /** From the unredacted arguments and state: for the digest only. */
  readonly effects: readonly PlanLine[];
  /** The same, redacted. */
  readonly shownEffects: readonly PlanLine[];
}

/**
 * Requests that differ only in the kind of service, in short form: a question that shows a plan has little room. The
 * kinds are named where their order counts; those of the services stand in the lines about these.
 */
function formsInShort(forms: readonly string[], isOrder: boolean): string {
  const parts = forms.map((form) => /^(?<method>\w+) \/(?<kind>\w+)\/\{\w+\}(?<rest>.*)$/.exec(form)?.groups);
  const [first] = parts;
  const isAlike =
    first !== undefined &&
    parts.every((part) => part?.['method'] === first['method'] && part?.['rest'] === first['rest']);
  if (!isAlike || parts.length === 1) return forms.join(', ');
  const kinds = isOrder ? `, for KIND ${parts.map((part) => part!['kind']).join(', ')}` : '';
  return `${first['method']} /KIND/{id}${first['rest']}${kinds}`;
}

/**
 * The requests by which services are changed if the platform doesn't accept several at once; empty if there are none.
 */
function oneByOneLine(operations: readonly TargetedOperation[]): readonly string[] {
  const perOperation = operations.flatMap(({ operation, input }) => {
    const forms = (oneByOneOf(operation, input) ?? []).map(
      (single) => `${single.operation.method} ${single.operation.path}`,
    );
    return forms.length === 0 ? [] : [forms.filter((form, index) => form !== forms[index - 1])];
  });
  const all = [...new Set(perOperation.flat())];
  if (all.length === 0) return [];
  const isOrder = perOperation.every((forms) => forms.join() === all.join());
  return [
    `If it takes only one service at a time, for each${isOrder ? ', in this order' : ''}: ${formsInShort(all, isOrder)}.`,
  ];
}

/** The request that may replace one that the platform refuses as it is. */
function standInLine({ operation, input, heldBy }: TargetedOperation): readonly string[] {
  const redeploy = redeployOf(operation, input);
  if (redeploy) {
    const { method, target } = toWire(redeploy, input);
    return [
      `If the platform refuses that without a version: ${method} ${target} instead, which deploys its present version again.`,
    ];
  }
  const elsewhere = elsewhereOf(operation, input, heldBy);
  if (!elsewhere) return [];
  const { method, target } = toWire(elsewhere.operation, elsewhere.input);
  return [
    `If the platform has it only at its ${elsewhere.operation.target}: ${method} ${target} instead, with the same body.`,
  ];
}

/** That no operation takes back what one creates. */
function notTakenBackLine(operation: AnyOperation): readonly string[] {
  const what = operation.creates?.kind.replaceAll('_', ' ');
  return isTakenBack(operation) ? [] : [`There is no tool here that deletes the ${what} again, or takes it back.`];
}

const onOneLine = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replaceAll('\n', String.raw`\n`));

/** What agreement to effects covers. A line that it doesn't cover may come and go: somebody else may do the same meanwhile. */
const agreedParts = (effects: readonly PlanLine[]): readonly string[] =>
  effects.map(lineAgreed).filter((agreed) => agreed !== '');

/** The line of a plan for changes that may not be shown. */
const hiddenChange = 'What changes is hidden here, before and after.';

/** A body with the time of day in place of times whose date doesn't count. */
function withClockTimes(body: JsonRecord, operation: AnyOperation): JsonRecord {
  const schema = argumentSchema(operation);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' && memberOf(schema, name)?.clockTime === true ? timeOfDay(value) : value,
    ]),
  );
}

/** The request of one operation and its changes to the present state, both in full and redacted. */
async function planRequest(
  planned: TargetedOperation,
  { tool, reader, redactor: { agreement }, now }: PlanSource,
): Promise<PlannedEffects> {
  const {
    operation,
    input,
    carried = {},
    unchanged: unchangedMembers,
    present,
    given,
    target,
    heldBy,
    shownBy = heldBy,
  } = planned;
  const shownInput = agreement.sent(
    input,
    argumentSchema(operation),
    partSentBack(input, present, given),
  ) as JsonRecord;
  const { method, target: path, body } = toWire(operation, shownInput, carried);
  const shownBody = body && withClockTimes(body, operation);
  const unchanged = [...(unchangedMembers ?? []), ...Object.keys(carried)].filter(
    (name) => body && Object.hasOwn(body, name),
  );
  const request = {
    method,
    path,
    ...(shownBody && { body: omit(shownBody, unchanged) }),
    ...(unchanged.length > 0 && { unchanged }),
  };
  const preview = reader && previewOf(tool, operation);
  if (!preview) return { request, effects: [], shownEffects: [] };
  const effects = await preview(input, { target, operation, reader, shownBy, now });
  const redactedReader = reader.under({ view: async (one, answer) => agreement.present(answer, answerSchema(one)) });
  const shownEffects = await preview(shownInput, {
    target: agreement.called(target) as Target,
    operation,
    shownBy,
    reader: redactedReader,
    now,
  });
  // Values that are hidden both before and after look the same.
  const reportedEffects = shownEffects.map((line) =>
    line === nothingWouldChange && !effects.includes(line) ? hiddenChange : line,
  );
  return { request, effects, shownEffects: reportedEffects };
}

/**
 * Reads what the plan of a call will show, for all its operations at once. The reader keeps the answers for `planOf`.
 * @throws ApiError if the platform fails.
 */
export async function readForPlan({
  tool,
  operations,
  target,
  reader,
  now,
}: Pick<PlanSource, 'tool' | 'operations' | 'target' | 'now'> & { readonly reader: Reader }): Promise<void> {
  await Promise.all([
    namedTarget(target, reader),
    ...operations.map(({ operation, input, target: own, heldBy, shownBy = heldBy }) =>
      previewOf(tool, operation)?.(input, { target: own, operation, reader, shownBy, now }),
    ),
  ]);
}

/**
 * The plan of a call: the exact requests and, if the source has a reader, their changes to the present state.
 * @throws ApiError if the platform fails while its state is read.
 */
export async function planOf(source: PlanSource): Promise<Plan> {
  const {
    tool,
    args,
    operations,
    target,
    risk,
    redactor: { agreement },
    notKnown = [],
    leftOut = new Set(),
    hidden = [],
    key,
  } = source;
  const named = await namedTarget(target, source.reader);
  const count = tool.spansEnvironments
    ? operations.reduce((sum, { operation, input }) => sum + idsNamed(operation, input).length, 0)
    : 0;
  const planned: PlannedEffects[] = [];
  for (const one of operations) planned.push(await planRequest(one, source));
  const inputs = operations.map(({ operation, input, carried, heldBy }) => [
    operation.name,
    input,
    ...(carried ? [carried] : []),
    ...(heldBy ? [heldBy] : []),
  ]);
  // The digest covers secrets too, although the plan doesn't show them.
  const digest = createHmac('sha256', key)
    .update(
      JSON.stringify(
        canonical([tool.name, risk, named, args, inputs, planned.map(({ effects }) => agreedParts(effects))]),
      ),
    )
    .digest('hex');
  const ofCall = onOneLine([
    ...notKnown.map((line) => String(agreement.called(line))),
    ...touchedLines(operations.map((one) => agreement.called(one.target) as Target)),
    ...tool
      .plan(agreement.sent(args, toolArgumentSchema(tool)) as JsonRecord)
      .map((line) => visibleText(line, hidden))
      .filter((line) => line !== ''),
    ...new Set(operations.flatMap(({ operation }) => notTakenBackLine(operation))),
  ]);
  const substitutes = onOneLine([...operations.flatMap(standInLine), ...oneByOneLine(operations)]);
  const lines = planned.flatMap(({ shownEffects }) => shownEffects);
  const warnings = warningsIn(lines);
  const plan: Plan = {
    tool: tool.name,
    tier: risk,
    target: agreement.called(named) as NamedTarget,
    ...(count > 1 && { several: count }),
    summary: [...new Set(operations.map(({ operation }, index) => summaryOf(operation, planned[index]!.request)))].join(
      ' ',
    ),
    requests: planned.map(({ request }) => request),
    effects: [...ofCall, ...substitutes, ...onOneLine(lineTexts(lines)), ...leftOut],
    // Which requests replace a refused one says nothing afterwards.
    afterwards: [...ofCall, ...onOneLine(textsAfter(lines)), ...leftOut],
    ...(warnings.length > 0 && { warnings }),
    digest,
  };
  const oddities = odditiesIn(plan, agreement.oddities());
  return oddities.length > 0 ? { ...plan, oddities } : plan;
}

/** Maximum number of letters and words in a plan that are explained because they don't look like what they are. */
const mostOddities = 20;

/** The noted oddities that occur in a plan's text; more was read than the plan shows. */
function odditiesIn(plan: Plan, noted: ReadonlyMap<string, string>): readonly string[] {
  const text = noted.size === 0 ? '' : planText(plan, { whole: true });
  const told = [...noted]
    .filter(([what]) => text.includes(what))
    .map(([what, meaning]) => `${what.startsWith('<') ? what : JSON.stringify(what)} ${meaning}`);
  return told.length > mostOddities
    ? [...told.slice(0, mostOddities), `${told.length - mostOddities} others are not what they look like either`]
    : told;
}

const firstLower = (text: string): string => `${text[0]!.toLowerCase()}${text.slice(1)}`;

/**
 * The summary of a request: the members that it changes if the rest is sent back, so that a replacement doesn't look
 * like a larger change.
 */
function summaryOf({ summary }: AnyOperation, { body = {}, unchanged = [] }: PlannedRequest): string {
  const given = Object.keys(body);
  return unchanged.length === 0 || given.length === 0
    ? summary
    : `Change ${given.join(', ')}; the rest is sent back as it is. The platform's request for that: ${firstLower(summary)}`;
}

// Characters that could make a part of a value look like a line of the plan when the text is wrapped: line feeds, runs
// of spaces, spaces at an end, a quote that seems to be the plan's, and words that start a line of the plan. A value
// stays on one line, so that no part of it can be mistaken for a line of the plan.
