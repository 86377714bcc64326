import type { RequestBudget } from '../../client/index.ts';
import { age } from '../../contract/index.ts';
import { metaKeys } from '../../views/index.ts';
import type { CallContext } from '../context/index.ts';
import type { FailureCode } from '../failure/index.ts';
import type { Question, Registry } from '../guard/index.ts';
import {
  columnName,
  nextText,
  proposable,
  visibleText,
  withKinds,
  withOwnNames,
  withProposable,
  withShownNames,
  figuresMember,
  type NextCall,
  type NoOp,
  type Renderer,
  type Tool,
} from '../tool/index.ts';
import { delimited } from '../redaction/index.ts';
import { fit } from './fit.ts';
import type { CallOutcome } from '../audit/index.ts';
import { at, recordsIn, type JsonRecord } from '../json/index.ts';

const timestamp = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)(?!\w)/g;

/**
 * Adds its age to every timestamp in a text, because models are poor at computing it.
 * @param now milliseconds since 1970.
 */
export const withAges = (text: string, now: number): string =>
  text.replaceAll(timestamp, (stamp) => `${stamp} (${age(Date.parse(stamp), now)})`);

/** The result of a call. */
export type Reply =
  /** `meta` is for the client: suggested next calls, and the request budget. */
  | { readonly kind: 'answer'; readonly text: string; readonly data: JsonRecord; readonly meta?: JsonRecord }
  /** `why`: the recorded reason, as one word. `code`: the call waits for the operator under this code. */
  | {
      readonly kind: 'failure';
      readonly text: string;
      readonly failure: FailureCode;
      readonly why?: string;
      readonly code?: string;
    }
  | { readonly kind: 'ask'; readonly question: Question; readonly state: string };

/** A reply with its outcome for the audit record. */
export interface EndedCall {
  readonly reply: Reply;
  readonly outcome: Pick<CallOutcome, 'outcome' | 'why'>;
}

/** The call that an answer belongs to. */
export interface AnsweredCall {
  readonly tool: Tool;
  readonly args: JsonRecord;
  readonly context: CallContext;
  /** The tools that clients see; if absent, any tool may be suggested and named. */
  readonly registry?: Pick<Registry, 'find' | 'offers' | 'hidden'>;
}

/** The share of a budget at or below which the model is warned, so that it sends fewer requests. */
const lowPart = 0.25;

/** The share of a budget from which on a call that takes it is costly, so that the model knows what it costs. */
const costlyPart = 0.02;

/** What a call took and what is left, if it took much or little is left. */
function budgetText({ budget, requests }: CallContext): string | undefined {
  const found = budget();
  if (!found) return undefined;
  const { remaining, limit, resetAt } = found;
  const [sent, isLow] = [requests?.sent() ?? 0, remaining <= limit * lowPart];
  if (!isLow && sent < limit * costlyPart) return undefined;
  const took = sent > 0 ? `This call took ${sent} of ${limit} requests to the platform` : undefined;
  const left = `${isLow ? 'only ' : ''}${remaining} ${took === undefined ? `of ${limit} requests to the platform ` : ''}are left until ${new Date(resetAt).toISOString()}`;
  return `${sentenceOf(took, left)}${isLow ? ': make few and wide ones' : ''}.`;
}

/** Clauses as one sentence, without its end. */
const sentenceOf = (...clauses: readonly (string | undefined)[]): string => {
  const text = clauses.filter((clause) => clause !== undefined).join('; ');
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
};

const budgetMeta = ({ remaining, limit, resetAt }: RequestBudget): JsonRecord => ({
  remaining,
  limit,
  reset_at: new Date(resetAt).toISOString(),
});

const joinParts = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join('\n');

/** A renderer limited to the columns that the caller chose, if any. */
const withChosenColumns = (render: Renderer, { fields }: JsonRecord): Renderer =>
  Array.isArray(fields) && fields.length > 0 && render.only
    ? render.only(fields.map((field) => columnName(String(field))))
    : render;

/** The chosen columns of which no row has anything: it isn't an answer's silence, but the platform's. */
function emptyColumns({ only }: Renderer, { fields }: JsonRecord, view: JsonRecord): readonly string[] {
  const rows = recordsIn(view['results']);
  if (!only || !Array.isArray(fields) || rows.length === 0) return [];
  return fields
    .map((field) => columnName(String(field)))
    .filter((field) => rows.every((row) => at(row, field) === undefined));
}

/** The line before what the plan said of a change, in its answer. */
const effectsHeading = 'As the plan said:';

/** What is said in place of an answer without content. */
const nothingShown = { read: 'The answer is empty.', change: 'The platform accepted it and sent nothing more.' };

const noOpText = (why: string): string => `There is nothing to change: ${why}. No change was sent.`;

/** The answer to a call that would change nothing. `seen` must be redacted. */
export function noOpReply({ context }: Pick<AnsweredCall, 'context'>, { why, seen = [] }: NoOp): Reply {
  const budget = context.budget();
  return {
    kind: 'answer',
    text: joinParts(noOpText(why), seen.length > 0 ? delimited(seen.join('\n')) : undefined, budgetText(context)),
    data: { nothing_to_change: why, ...(seen.length > 0 && { seen }) },
    ...(budget && { meta: { [metaKeys.budget]: budgetMeta(budget) } }),
  };
}

/**
 * The answer of a call as text and as structured content, both from the same view. Data in the text is delimited.
 * @param given what the tool answers. Its member `figures` has facts that views draw and the answer has only as text: they
 *   are metadata of the result, for clients that show views.
 * @param missing what could not be read, and why.
 * @param isNoOp whether the call was a no-op.
 * @param facts what its plan said of its effects: the answer repeats what it doesn't say by itself.
 */
export function answerReply(
  { tool, args, context, registry }: AnsweredCall,
  given: JsonRecord,
  missing: readonly string[],
  { isNoOp = false, facts = [] }: { readonly isNoOp?: boolean; readonly facts?: readonly string[] } = {},
): Reply {
  const { [figuresMember]: figures, ...answer } = given;
  const budget = context.budget();
  const isEmpty = Object.keys(answer).length === 0;
  const render = withChosenColumns(tool.render, args);
  const offers = (name: string): boolean => registry?.offers(name) ?? true;
  const asShown = (call: NextCall): NextCall => {
    const its = registry?.find(call.tool);
    return its ? { ...call, arguments: withShownNames(its, withOwnNames(its, call.arguments).args) } : call;
  };
  const hidden = registry?.hidden ?? [];
  const { view, text, omission } = isEmpty
    ? { view: {}, text: '', omission: undefined }
    : fit(render.view(withKinds(answer)), render, {
        hidden,
        hasPages: 'page' in tool.input && answer['without_pages'] !== true,
      });
  const shown = render.plainTimes ? text : withAges(text, context.clock.now());
  const next = proposable(
    typeof tool.next === 'function' && !isNoOp ? tool.next(view, args) : [],
    offers,
    asShown,
    tool.mostNext,
  );
  const advice =
    tool.next !== undefined && typeof tool.next !== 'function' && !isNoOp
      ? visibleText(tool.next, hidden)
      : nextText(next);
  const empty = emptyColumns(tool.render, args, view);
  const told = joinParts(shown, advice, ...missing);
  const effects = isNoOp ? [] : facts.filter((line) => !told.includes(line));
  const content = joinParts(shown, ...(effects.length > 0 ? [effectsHeading, ...effects] : []));
  const body = content === '' ? undefined : delimited(content);
  const heading = isNoOp
    ? noOpText(tool.whyNothing?.(answer) ?? 'all that was given is so already')
    : isEmpty || shown === ''
      ? nothingShown[tool.operation.effect === 'read' ? 'read' : 'change']
      : undefined;
  return {
    kind: 'answer',
    text: joinParts(
      heading,
      body,
      empty.length > 0 ? `No row has anything in ${empty.join(', ')}.` : undefined,
      omission,
      ...missing,
      advice,
      budgetText(context),
    ),
    data: {
      ...withProposable(view, offers, asShown),
      ...(effects.length > 0 && { effects }),
      ...(empty.length > 0 && { empty_columns: empty }),
      ...(missing.length > 0 && { not_read: missing }),
    },
    meta: {
      ...(next.calls.length > 0 && { [metaKeys.next]: next.calls }),
      ...(budget && { [metaKeys.budget]: budgetMeta(budget) }),
      ...(context.showsViews === true && figures !== undefined && { [metaKeys.view]: figures }),
    },
  };
}
