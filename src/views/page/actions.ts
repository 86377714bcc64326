import type { JsonRecord, ToolResult } from './mapping/result.ts';

/** The tools that views call by themselves. None of them changes anything. */
export const readingTools = [
  'get_organization_overview',
  'get_environment_overview',
  'diagnose_deployment',
  'search_logs',
  'compare_environments',
  'get_service',
  'list_services',
] as const;
export type ReadingTool = (typeof readingTools)[number];

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
