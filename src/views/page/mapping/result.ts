import { metaKeys } from '../../index.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** The result of a tool, as the protocol has it. */
export interface ToolResult {
  readonly content?: readonly JsonRecord[];
  readonly structuredContent?: JsonRecord;
  readonly _meta?: JsonRecord;
  readonly isError?: boolean;
}

/** A call that a result proposes. */
export interface ProposedCall {
  readonly tool: string;
  readonly arguments: JsonRecord;
  readonly why?: string;
  /** What is missing to make the call. */
  readonly needs?: string;
  /** The call that has to be made before. */
  readonly after?: string;
}

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as text: text and numbers as they are, nothing as an empty text, everything else as JSON. */
export const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** A text that is there; undefined if there is none. */
export const someText = (value: unknown): string | undefined => textOf(value) || undefined;

export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The records of a list; none if it is no list. */
export const recordsIn = (value: unknown): readonly JsonRecord[] =>
  Array.isArray(value) ? value.filter((one) => isRecord(one)) : [];

/** The texts of a list, or the one text that it is. */
export const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map(textOf).filter((text) => text !== '');

/** What a result says as structured content; empty if it says nothing. */
export const answerIn = ({ structuredContent }: ToolResult): JsonRecord => structuredContent ?? {};

/** What a result has for views only. */
export const figuresIn = ({ _meta: meta }: ToolResult): JsonRecord => {
  const figures = meta?.[metaKeys.view];
  return isRecord(figures) ? figures : {};
};

/** What a result says as text. */
export const wordsIn = ({ content = [] }: ToolResult): string => content.map(({ text }) => textOf(text)).join('\n');

/** The calls that a result proposes, most useful first. */
export const proposedIn = ({ _meta: meta }: ToolResult): readonly ProposedCall[] =>
  recordsIn(meta?.[metaKeys.next]).map(({ tool, arguments: args, why, needs, after }) => ({
    tool: textOf(tool),
    arguments: isRecord(args) ? args : {},
    why: someText(why),
    needs: someText(needs),
    after: someText(after),
  }));

/** What could not be read for a result. */
export const notReadIn = (result: ToolResult): readonly string[] => textsIn(answerIn(result)['not_read']);

/** Counts by name, as they are: the order of an answer tells what is worst. */
export const countsIn = (value: unknown): readonly (readonly [string, number])[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, count]) => (numberIn(count) ? [[name, Number(count)]] : []))
    : [];

/** The names in a path such as `shop/staging/api`. Where a name has a slash, the path has it escaped. */
export const namesIn = (path: string): readonly string[] =>
  path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
