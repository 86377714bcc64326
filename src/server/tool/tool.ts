import type * as z from 'zod';
import { permissionLevels, type AnyOperation, type InputOf, type PermissionLevel } from '../../contract/operation.ts';
import type { NoOpCheck, Preview } from './preview/preview.ts';
import type { ToolText } from './tool-text.ts';
import type { NextCall } from './next-calls.ts';
import type { Renderer } from './render.ts';
import type { ToolContext } from './tool-context.ts';
import type { JsonRecord } from '../json/values.ts';
import type { Reader } from '../context/reader.ts';

/** Groups of tools that can be chosen together. */
export const toolsets = ['projects', 'environments', 'services', 'variables', 'clusters', 'alerts', 'organization', 'webhooks'] as const;
export type Toolset = (typeof toolsets)[number];

/** Members of an input, by name. */
export type Shape = Readonly<Record<string, z.ZodType>>;

/** The arguments of a tool once checked, with ids where names were given. */
export type ArgumentsOf<Input extends Shape> = z.output<z.ZodObject<Input>>;

/** One request that a call makes of the platform to change something. */
export interface PlannedOperation {
  readonly operation: AnyOperation;
  /** The whole flat input of the operation. */
  readonly input: JsonRecord;
  /** Members that are sent back as the platform gave them, and so are not ours to check. */
  readonly unchanged?: readonly string[];
  /** What of its target it is about, as the caller named it: told where only some of several acts were carried out. */
  readonly about?: string;
}

/** Makes an act whose input fits its operation. */
export const planOperation = <Op extends AnyOperation>(operation: Op, input: InputOf<Op>): PlannedOperation => ({ operation, input });

/** What every tool says of itself. */
interface CommonDefinition<Args> extends SchemaPrinting {
  readonly toolset: Toolset;
  /** The first sentence says when to use the tool; under 1,000 characters, in words that people use. */
  readonly description: ToolText;
  /** What carrying it out would do to this target, beyond the operation's own summary; one line each. */
  readonly plan?: (args: Args) => readonly string[];
  /** What it would do to what is there now, read before anyone is asked. Replacements have one anyway. */
  readonly preview?: Preview;
  /** Whether it needs not be done, because it is so already: then nobody is asked, and nothing is sent. */
  readonly noOpCheck?: NoOpCheck;
  readonly render: Renderer;
  /** What is usually done next: a text, or calls with their arguments made from what was shown. */
  readonly next?: Tool['next'];
}

/** What a tool is, beside the one operation it carries out. */
export interface ToolDefinition<Op extends AnyOperation> extends CommonDefinition<InputOf<Op>> {
  /** Members it takes beside the operation's own, or in their place; undefined takes one away. */
  readonly input?: Readonly<Record<string, z.ZodType | undefined>>;
  /** The acts, where they are not the arguments themselves. May read, without telling what it read. */
  readonly expand?: (args: JsonRecord, context: ToolContext) => Promise<readonly PlannedOperation[]>;
  /** The answer, where it is not the operation's own. */
  readonly output?: z.ZodType;
  readonly answer?: Tool['answer'];
}

/** What a tool is that is made of several operations. */
export interface CompositionDefinition<Input extends Shape> extends CommonDefinition<ArgumentsOf<Input>> {
  readonly name: string;
  readonly input: Input;
  /** Checks across members. */
  readonly rules?: (args: ArgumentsOf<Input>) => readonly string[];
  /** All that it may carry out; of a tool that only reads, the reads it can't do without. */
  readonly operations: readonly [AnyOperation, ...AnyOperation[]];
  /** What the arguments come to. Reads what it needs; whatever it reads stays unseen. Absent where the tool only reads. */
  readonly expand?: (args: ArgumentsOf<Input>, context: ToolContext) => Promise<readonly PlannedOperation[]>;
  readonly isDone?: Tool['isDone'];
  /** Shape of the answer. */
  readonly output: z.ZodObject;
  /** Makes the answer, from what the acts answered and what it reads now: protected, fit to be shown. */
  readonly answer: (args: ArgumentsOf<Input>, context: ToolContext, answers: readonly JsonRecord[]) => Promise<JsonRecord>;
}

/** A tool as data. It holds no server and no client: only the pipeline carries it out. */
export interface Tool {
  readonly name: string;
  readonly toolset: Toolset;
  readonly description: ToolText;
  readonly printing: SchemaPrinting;
  /** What clients give. */
  readonly input: Shape;
  /** What is wrong between members that are each right. */
  readonly rules: (args: JsonRecord) => readonly string[];
  /** All operations it may carry out. */
  readonly operations: readonly AnyOperation[];
  /** The gravest of them: what stands for the tool where one has to. */
  readonly operation: AnyOperation;
  /** What the arguments come to; undefined for a tool that reads by `answer` alone. */
  readonly expand?: (args: JsonRecord, context: ToolContext) => Promise<readonly PlannedOperation[]>;
  /**
   * Whether a request is what the tool does, whoever makes it: for rules that deny the tool. Absent where every call of its
   * operations is. @throws ApiError as the platform fails.
   */
  readonly isDone?: (request: PlannedOperation, reader: Reader) => Promise<RuleMatch>;
  readonly output: z.ZodType | undefined;
  readonly answer?: (args: JsonRecord, context: ToolContext, answers: readonly JsonRecord[]) => Promise<JsonRecord>;
  readonly plan: (args: JsonRecord) => readonly string[];
  readonly preview?: Preview;
  readonly noOpCheck?: NoOpCheck;
  readonly render: Renderer;
  /** Whether it is read at an address instead of called: errors speak of it so. */
  readonly isResource?: true;
  readonly next?: ToolText | ((view: JsonRecord, args: JsonRecord) => readonly NextCall[]);
}

/** The token level that a tool needs at most. */
export const permissionOf = ({ operations }: Tool): PermissionLevel =>
  permissionLevels.findLast((level) => operations.some(({ permission }) => permission === level)) ?? 'read';

/** Whether a tool can do without operations outside the document. */
export const isDocumented = ({ operations }: Tool): boolean => operations.some(({ documented }) => documented);

/** Whether a rule holds; unknown where what it asks for could not be found out. */
export type RuleMatch = 'yes' | 'no' | 'unknown';

/** How a tool prints its arguments where the contract's own print doesn't fit. Members go by path: `ports[].name`. */
export interface SchemaPrinting {
  /** Descriptions that say it better for this tool. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Members whose inside is left to the description, because it is long and printed by another tool. It is validated all the same. */
  readonly folded?: readonly string[];
  /** Members that are taken but not printed: rarely needed, and named in the description where they matter. */
  readonly hidden?: readonly string[];
}
