import type { ReadsFor } from '../reads.ts';
import type { ToolText } from '../tool-text.ts';
import { joinPath, operations, type AnyOperation, type Holder } from '../../../contract/index.ts';
import { at, type JsonRecord } from '../../json/index.ts';
import type { PlanWarning } from './warnings.ts';
import { rowsIn, type Reader, type Target } from '../../context/index.ts';

/** The context of a preview or no-op check. */
export interface PreviewContext {
  readonly target: Target;
  /** The operation that the call would send. */
  readonly operation?: AnyOperation;
  /** Reads the platform's present state. Answers are redacted for display, except when computing a plan's digest. */
  readonly reader: Reader;
  /** The service whose own list shows the changed record. */
  readonly shownBy?: Holder;
  /** The time at which the plan is made, in milliseconds since 1970. Default: now. */
  readonly now?: number;
}

/**
 * One fact of a plan. A confirmation covers the whole text or, if `agreed` is given, only that: states and times change
 * while a person reads.
 */
export type PlanLine =
  | string
  | {
      readonly text: string;
      readonly agreed: string;
      readonly once?: true;
      /** What the answer tells in its place, once the change is made; empty if the answer tells it by itself. */
      readonly after?: string;
      /** The warning that it tells, for programs. */
      readonly warning?: PlanWarning;
    };

/** A fact that several operations of a call have in common. A plan contains it once. */
export const toldOnce = (text: string): PlanLine => ({ text, agreed: text, once: true });

const withoutRepeated = (lines: readonly PlanLine[]): readonly PlanLine[] =>
  lines.filter(
    (line, index) =>
      typeof line === 'string' || !line.once || lines.findIndex((one) => lineText(one) === line.text) === index,
  );

/** The texts of lines; those marked `once` only at their first place. */
export const lineTexts = (lines: readonly PlanLine[]): readonly string[] => withoutRepeated(lines).map(lineText);

/** What is left to tell of lines once the change is made. */
export const textsAfter = (lines: readonly PlanLine[]): readonly string[] =>
  withoutRepeated(lines)
    .map((line) => (typeof line === 'string' ? line : (line.after ?? line.text)))
    .filter((text) => text !== '');

/** The warnings that lines tell. */
export const warningsIn = (lines: readonly PlanLine[]): readonly PlanWarning[] =>
  lines.flatMap((line) => (typeof line === 'string' ? [] : (line.warning ?? [])));

/** A fact that the confirmation doesn't cover. */
export const notAgreedTo = (text: string): PlanLine => ({ text, agreed: '' });

/** A state before the change. The confirmation doesn't cover it, and the answer doesn't tell it: it is over by then. */
export const stateBefore = (text: string): PlanLine => ({ text, agreed: '', after: '' });

/** A fact that the answer tells in its own form. */
export const toldByAnswer = (text: string): PlanLine => ({ text, agreed: text, after: '' });

export const lineText = (line: PlanLine): string => (typeof line === 'string' ? line : line.text);
export const lineAgreed = (line: PlanLine): string => (typeof line === 'string' ? line : line.agreed);

/**
 * The changes of a call to the present state, one fact per line. Reports what can't be read, and never guesses. Runs
 * twice: with redacted arguments for display, and with the real ones for the plan's digest.
 * @throws ApiError if the platform fails.
 */
export type Preview = ((args: JsonRecord, context: PreviewContext) => Promise<readonly PlanLine[]>) & {
  readonly reads?: ReadsFor;
};

/** Why a change would have no effect, or can't have it. */
export interface NoOp {
  /** A text of this server, as the end of a sentence. */
  readonly why: string;
  /** Related data from the platform, one fact per line. */
  readonly seen?: readonly string[];
  /**
   * What to do where the present state is not what was asked for, and the change can't make it so: then the call is
   * refused. Absent if all is so already.
   */
  readonly instead?: ToolText;
}

/**
 * Checks whether a change would have no effect, before confirmation is requested; undefined if it would have one, or if
 * that can't be read.
 * @throws ApiError if the platform fails.
 */
export type NoOpCheck = ((args: JsonRecord, context: PreviewContext) => Promise<NoOp | undefined>) & {
  readonly reads?: ReadsFor;
};

/** The line for something that could not be read. */
export const notKnown = (what: string): string =>
  `Not known: ${what}. The platform does not tell, or the token may not read it.`;

/** A value on one line. */
export const show = (value: unknown): string =>
  typeof value === 'string' && /^[^\n"]+$/.test(value) ? value : (JSON.stringify(value) ?? 'nothing');

const plainName = /^[\p{L}\p{N}._-]+(?: [\p{L}\p{N}._-]+)*$/u;

/** A name on one line, in quotes if it could be confused with the words around it. */
export const showName = (name: string): string => (plainName.test(name) ? name : JSON.stringify(name));

/** A path on one line, in quotes if one of its names would be. */
export const showPath = (names: readonly string[]): string =>
  names.every((name) => plainName.test(name)) ? joinPath(names) : JSON.stringify(joinPath(names));

/** A member's text; undefined if it isn't a string or is empty. */
export const textOf = (record: JsonRecord | undefined, name: string): string | undefined => {
  const text = record?.[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
};

/** The text at a dotted path; undefined if there is none, or it is empty. */
export const textAt = (record: JsonRecord | undefined, path: string): string | undefined => {
  const text = at(record, path);
  return typeof text === 'string' && text !== '' ? text : undefined;
};

/** The id of the token's organization; undefined if it can't be read. */
export const organizationOf = async (reader: Pick<Reader, 'attempt'>): Promise<string | undefined> =>
  textOf(await reader.attempt(operations.get_organization, {}), 'id');

/** The row with this id. */
export const rowWith = (answer: JsonRecord | undefined, id: unknown): JsonRecord | undefined =>
  rowsIn(answer).find((row) => row['id'] === id);
