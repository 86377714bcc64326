import type { ReadingTool } from '../index.ts';
import type { JsonRecord, ToolResult } from './mapping/result.ts';

export { readingTools, type ReadingTool } from '../index.ts';

/** What a view can do. It changes nothing by itself. */
export interface ViewActions {
  /** Reads something again, or more of it. A failed call is a result with `isError`. Rejects if nobody could be asked. */
  readonly read: (tool: ReadingTool, args: JsonRecord) => Promise<ToolResult>;
  /** Writes a message for the assistant, in the user's name. Rejects if it was not taken. */
  readonly propose: (text: string) => Promise<void>;
}

/** What every view gets: the result of a tool, and what it can do. */
export interface ViewProps {
  /** The tool whose result it is; undefined if the host doesn't say. */
  readonly tool?: string;
  /** The arguments of the call. */
  readonly args: JsonRecord;
  readonly result: ToolResult;
  readonly actions: ViewActions;
}
