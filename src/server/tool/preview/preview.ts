import { operations } from '../../../contract/operations.ts';
import type { JsonRecord } from '../../json/values.ts';
import type { Target } from '../../context/target.ts';
import type { Reader } from '../../context/reader.ts';
import { rowsIn } from '../../context/reads.ts';

/** What a preview may look at. */
export interface PreviewContext {
  readonly target: Target;
  /** Reads of the platform's present state; what they answer may be shown. */
  readonly reader: Reader;
}

/**
 * One fact of a plan. Whoever agrees to the plan agrees to the whole text, or, where `agreed` is given, to that much of it:
 * states and times go on changing while a person reads.
 */
export type PlanLine = string | { readonly text: string; readonly agreed: string };

/** A fact that agreement doesn't hold to. */
export const notAgreedTo = (text: string): PlanLine => ({ text, agreed: '' });

export const lineText = (line: PlanLine): string => (typeof line === 'string' ? line : line.text);
export const lineAgreed = (line: PlanLine): string => (typeof line === 'string' ? line : line.agreed);

/**
 * What a call would do to what is there now, one fact a line. Gets the arguments as they may be shown. What the platform
 * doesn't tell is said, never guessed.
 * @throws ApiError when the platform fails.
 */
export type Preview = (args: JsonRecord, context: PreviewContext) => Promise<readonly PlanLine[]>;

/** Why a change needs not be made: what it is to bring about is so already. */
export interface NoOp {
  /** In words of our own, as the end of a sentence. */
  readonly why: string;
  /** What the platform shows of it, one fact a line. */
  readonly seen?: readonly string[];
}

/**
 * Whether a change needs not be made, read where somebody would be asked to agree; undefined where it has to be, or the
 * platform doesn't tell.
 * @throws ApiError when the platform fails.
 */
export type NoOpCheck = (args: JsonRecord, context: PreviewContext) => Promise<NoOp | undefined>;

/** Said where something could not be read. */
export const notKnown = (what: string): string => `Not known: ${what}. The platform does not tell, or the token may not read it.`;

/** A value on one line. */
export const show = (value: unknown): string => (typeof value === 'string' && /^[^\n"]+$/.test(value) ? value : (JSON.stringify(value) ?? 'nothing'));

const plainName = /^[\p{L}\p{N}._-]+(?: [\p{L}\p{N}._-]+)*$/u;

/** A name on one line; in quotes where it could pass for words around it. */
export const showName = (name: string): string => (plainName.test(name) ? name : JSON.stringify(name));

/** The text of a member; undefined where there is none. */
export const textOf = (record: JsonRecord | undefined, name: string): string | undefined => {
  const text = record?.[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
};

/** The id of the token's organization; undefined where the platform doesn't tell. */
export const organizationOf = async (reader: Reader): Promise<string | undefined> => textOf(await reader.attempt(operations.get_organization, {}), 'id');

/** The row with this id. */
export const rowWith = (answer: JsonRecord | undefined, id: unknown): JsonRecord | undefined => rowsIn(answer).find((row) => row['id'] === id);
