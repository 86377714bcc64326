import type * as z from 'zod';
import {
  permissionLevels,
  type AnyOperation,
  type Holder,
  type InputOf,
  type PermissionLevel,
} from '../../contract/index.ts';
import type { NoOpCheck, Preview } from './preview/preview.ts';
import type { ReadUse } from './reads.ts';
import type { ToolText } from './tool-text.ts';
import type { NextCall } from './next-calls.ts';
import type { Renderer } from './render.ts';
import type { ToolContext } from './tool-context.ts';
import type { JsonRecord } from '../json/index.ts';
import type { Reader } from '../context/index.ts';

/** Groups of tools that can be chosen together. */
export const toolsets = [
  'projects',
  'environments',
  'services',
  'variables',
  'clusters',
  'alerts',
  'organization',
  'webhooks',
  'administration',
] as const;
export type Toolset = (typeof toolsets)[number];

/** The toolsets whose tools are offered only where a toolset or tool is chosen by name: they are rarely needed. */
const chosenToolsets: readonly Toolset[] = ['administration'];

/** Whether a tool is offered if nothing is chosen. */
export const isOfferedByDefault = ({ toolset }: Pick<Tool, 'toolset'>): boolean => !chosenToolsets.includes(toolset);

/** Members of an input, by name. */
export type Shape = Readonly<Record<string, z.ZodType>>;

/** The validated arguments of a tool, with names replaced by ids. */
export type ArgumentsOf<Input extends Shape> = z.output<z.ZodObject<Input>>;

/** An operation that a call is going to send. */
export interface PlannedOperation {
  readonly operation: AnyOperation;
  /** The complete flat input of the operation. */
  readonly input: JsonRecord;
  /** Members that are sent back as the platform returned them; they aren't validated. */
  readonly unchanged?: readonly string[];
  /** The platform's present record in the form of the input; absent if all of the input is the caller's. */
  readonly present?: JsonRecord;
  /** The caller's part of the input, in its form. Only used together with `present`. */
  readonly given?: JsonRecord;
  /** Members of the body that the contract doesn't know, sent back as the platform returned them. */
  readonly carried?: JsonRecord;
  /**
   * The service inside the target that owns the changed record: if the platform has the record only there, the request
   * is sent to the service's path.
   */
  readonly heldBy?: Holder;
  /** The service whose own list shows the changed record, which may be inherited there. */
  readonly shownBy?: Holder;
  /**
   * Issues that the platform's present record has as well: a platform may have values that the contract doesn't know.
   */
  readonly accepted?: readonly string[];
  /**
   * Whether its plan shows everything that it replaces, and nothing is lost. In doubt it doesn't: see the contract's
   * `effectIfHidden`.
   */
  readonly showsAll?: boolean;
  /** The replaced record, as the platform returned it. */
  readonly replaces?: JsonRecord;
  /**
   * The part of the target that it changes, in the caller's words. Reported if only some of several operations were
   * executed.
   */
  readonly about?: string;
}

/** A planned operation with an input of the operation's type. */
export const planOperation = <Op extends AnyOperation>(operation: Op, input: InputOf<Op>): PlannedOperation => ({
  operation,
  input,
});

/** The common part of all tool definitions. */
interface CommonDefinition<Args> extends SchemaPrinting {
  readonly toolset: Toolset;
  /** The user's intention, in a few words. Hosts show it instead of the name. */
  readonly title?: string;
  /** The first sentence says when to use the tool. Under 1,000 characters, in everyday words. */
  readonly description: ToolText;
  /** Effects of the call beyond the operation's own summary, one line each. */
  readonly plan?: (args: Args) => readonly ToolText[];
  /** The changes of the call to the present state, read before confirmation. Every PUT has one by default. */
  readonly preview?: Preview;
  /** Whether the call would change nothing: then no confirmation is requested and nothing is sent. */
  readonly noOpCheck?: NoOpCheck;
  /**
   * Reads in addition to its operations, or operations that it could do without. Those of its preview and no-op check
   * are declared there.
   */
  readonly reads?: readonly ReadUse[];
  /** True if it reports the remaining requests, which not every platform does. */
  readonly needsBudget?: true;
  readonly render: Renderer;
  /** The usual next step: a text, or calls whose arguments come from the answer's view. */
  readonly next?: Tool['next'];
  /** See Tool.mostNext. */
  readonly mostNext?: number;
}

/** Definition of a tool of one operation. */
export interface ToolDefinition<Op extends AnyOperation> extends CommonDefinition<InputOf<Op>> {
  /** Members that are added to the operation's own or replace them; undefined removes one. */
  readonly input?: Readonly<Record<string, z.ZodType | undefined>>;
  /** Checks across members, in addition to those of the operation's body. */
  readonly rules?: (args: JsonRecord) => readonly string[];
  /**
   * Turns the arguments into planned operations, if they are not the operation's input themselves. May read; the data
   * read isn't shown.
   */
  readonly expand?: (args: JsonRecord, context: ToolContext) => Promise<readonly PlannedOperation[]>;
  /** Schema of the answer, if it is not the operation's own. */
  readonly output?: z.ZodType;
  /** See Tool.equivalentOperations. */
  readonly equivalentOperations?: readonly AnyOperation[];
  /**
   * Creates the answer, if it is not the operation's. With it and without `expand`, a tool that only reads sends the
   * read itself, here.
   */
  readonly answer?: Tool['answer'];
}

/** Definition of a tool of several operations. */
export interface CompositionDefinition<Input extends Shape> extends CommonDefinition<ArgumentsOf<Input>> {
  readonly name: string;
  readonly input: Input;
  /** See Tool.needsOneOf. */
  readonly needsOneOf?: readonly string[];
  /** See Tool.mayBeGone. */
  readonly mayBeGone?: readonly string[];
  /** Checks across members. */
  readonly rules?: (args: ArgumentsOf<Input>) => readonly string[];
  /** All operations that it may plan; for a tool that only reads, the reads that it requires. */
  readonly operations: readonly [AnyOperation, ...AnyOperation[]];
  /**
   * Turns the arguments into planned operations. May read; the data read isn't shown. Absent if the tool only reads.
   */
  readonly expand?: (args: ArgumentsOf<Input>, context: ToolContext) => Promise<readonly PlannedOperation[]>;
  readonly matchesAction?: Tool['matchesAction'];
  readonly whyNothing?: Tool['whyNothing'];
  /** See Tool.equivalentOperations. For a tool that only reads, everything that it is meant to show. */
  readonly equivalentOperations?: readonly AnyOperation[];
  /** See Tool.spansEnvironments. */
  readonly spansEnvironments?: true;
  /** Schema of the answer. */
  readonly output: z.ZodObject;
  /** Builds the answer from the operations' answers and current reads, both already redacted. */
  readonly answer: (
    args: ArgumentsOf<Input>,
    context: ToolContext,
    answers: readonly JsonRecord[],
  ) => Promise<JsonRecord>;
}

/** A tool as data. It has no access to server or client: only the pipeline executes it. */
export interface Tool {
  readonly name: string;
  readonly toolset: Toolset;
  readonly title?: string;
  readonly description: ToolText;
  readonly printing: SchemaPrinting;
  /** Arguments of which a call must give one; its rules check that. Descriptions say it, because schemas can't. */
  readonly needsOneOf?: readonly string[];
  /**
   * Arguments of a tool that only reads, widest first. In the narrowest one that is given, a name that nothing has is no
   * error yet: the tool looks for what had it. See ToolContext.notFound.
   */
  readonly mayBeGone?: readonly string[];
  /** Schemas of its arguments. */
  readonly input: Shape;
  /** Issues across members, for arguments whose members are each valid. */
  readonly rules: (args: JsonRecord) => readonly string[];
  /** All operations that it may execute. */
  readonly operations: readonly AnyOperation[];
  /** The one of them with the highest effect. It represents the tool if one operation is needed. */
  readonly operation: AnyOperation;
  /** Turns the arguments into planned operations; undefined for a tool that only reads, in `answer`. */
  readonly expand?: (args: JsonRecord, context: ToolContext) => Promise<readonly PlannedOperation[]>;
  /**
   * Operations of other tools with the same effect, on resources that this tool doesn't accept, or that show the same
   * data. A rule that denies this tool denies them in every tool.
   */
  readonly equivalentOperations?: readonly AnyOperation[];
  /**
   * Whether an operation that any tool plans is this tool's action, for rules that deny the tool. Absent if every call
   * of its operations is.
   * @throws ApiError if the platform fails.
   */
  readonly matchesAction?: (planned: PlannedOperation, reader: Reader) => Promise<RuleMatch>;
  /**
   * True if one call may change several environments, each by a separate operation on that environment. The resources
   * that each operation names are checked to be in its environment. With several targets, the user confirms by typing
   * their number.
   */
  readonly spansEnvironments?: true;
  readonly output: z.ZodType | undefined;
  readonly answer?: (args: JsonRecord, context: ToolContext, answers: readonly JsonRecord[]) => Promise<JsonRecord>;
  readonly plan: (args: JsonRecord) => readonly ToolText[];
  readonly preview?: Preview;
  readonly noOpCheck?: NoOpCheck;
  /**
   * Why a call that plans no operation changes nothing, from its answer, as a clause; undefined if all that was given is
   * so already, as it is for tools without it.
   */
  readonly whyNothing?: (answer: JsonRecord) => string | undefined;
  /**
   * Reads in addition to its operations, or operations that it could do without, with the reads of its preview and
   * no-op check.
   */
  readonly reads?: readonly ReadUse[];
  readonly needsBudget?: true;
  readonly render: Renderer;
  /** Whether it is an MCP resource, which is read instead of called. Error texts differ. */
  readonly isResource?: true;
  readonly next?: ToolText | ((view: JsonRecord, args: JsonRecord) => readonly NextCall[]);
  /** Maximum number of next calls, if it isn't that of most tools: where each row leads to another one. */
  readonly mostNext?: number;
}

/** The highest token permission that a tool may need. */
export const permissionOf = ({ operations }: Tool): PermissionLevel =>
  permissionLevels.findLast((level) => operations.some(({ permission }) => permission === level)) ?? 'read';

/** Whether at least one of a tool's operations is in the API document. */
export const isDocumented = ({ operations }: Tool): boolean => operations.some(({ documented }) => documented);

/** Whether a rule holds; unknown if a fact on which it depends could not be determined. */
export type RuleMatch = 'yes' | 'no' | 'unknown';

/**
 * Changes to the printed input schema, if that of the contract doesn't fit. Members are given by path: `ports[].name`.
 */
export interface SchemaPrinting {
  /** Descriptions that replace the contract's for this tool. */
  readonly fields?: Readonly<Record<string, string>>;
  /**
   * Members whose schema is printed without its content, because it is long and another tool prints it. It is still
   * validated.
   */
  readonly folded?: readonly string[];
  /** Members that are accepted but not printed: rarely needed, and named in a description if they matter. */
  readonly hidden?: readonly string[];
}
