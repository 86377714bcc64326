import * as z from 'zod';
import { effects, inputShape, permissionLevels, type AnyOperation, type InputOf, type PermissionLevel } from '../../contract/operation.ts';
import type { Need, Preview } from './preview/preview.ts';
import type { Holding } from '../guard/policy/match.ts';
import type { Read } from '../guard/target.ts';
import type { ToolText } from './mentions.ts';
import type { Next } from './next.ts';
import type { Renderer } from './render.ts';
import type { Printing } from './schema.ts';
import type { Sight } from './sight.ts';
import { pick, type JsonRecord } from '../json/values.ts';

export { amending } from './amend.ts';
export { clusterLock, clusterUpgrade, lockedAlready, notLocked } from './preview/cluster.ts';
export { deployment } from './preview/deployment.ts';
export { deedLines, environmentDeployment } from './preview/environment-deployment.ts';
export type { Preview } from './preview/preview.ts';
export { knownAlready, role } from './preview/role.ts';
export { allDown, nothingUnderWay, services, underWay } from './preview/services.ts';
export { override } from './preview/variable.ts';
export { attempt } from '../context/reads.ts';
export { naming, type ToolText } from './mentions.ts';
export type { Next } from './next.ts';
export { nearest } from './nearest.ts';
export { containsMark, hasUserinfo, nameTells } from '../redaction/index.ts';
export { anyService } from './references.ts';
export { parseEnv } from 'node:util';
export { compact, logLines, record, table, tableText, wholeTable, type Renderer } from './render.ts';
export type { Sight } from './sight.ts';
export { isRecord, omit, pick, pickPaths, pruneRecord, type JsonRecord } from '../json/values.ts';

/** Groups of tools that can be chosen together. */
export const toolsets = ['projects', 'environments', 'services', 'variables', 'clusters', 'alerts', 'organization', 'webhooks'] as const;
export type Toolset = (typeof toolsets)[number];

/** Members of an input, by name. */
export type Shape = Readonly<Record<string, z.ZodType>>;

/** The arguments of a tool once checked, with ids where names were given. */
export type ArgumentsOf<Input extends Shape> = z.output<z.ZodObject<Input>>;

/** One request that a call makes of the platform to change something. */
export interface Act {
  readonly operation: AnyOperation;
  /** The whole flat input of the operation. */
  readonly input: JsonRecord;
  /** Members that are sent back as the platform gave them, and so are not ours to check. */
  readonly kept?: readonly string[];
  /** What of its target it is about, as the caller named it: told where only some of several acts were carried out. */
  readonly about?: string;
}

/** Makes an act whose input fits its operation. */
export const act = <Op extends AnyOperation>(operation: Op, input: InputOf<Op>): Act => ({ operation, input });

/** What every tool says of itself. */
interface Described<Args> extends Printing {
  readonly toolset: Toolset;
  /** The first sentence says when to use the tool; under 1,000 characters, in words that people use. */
  readonly description: ToolText;
  /** What carrying it out would do to this target, beyond the operation's own summary; one line each. */
  readonly plan?: (args: Args) => readonly string[];
  /** What it would do to what is there now, read before anyone is asked. Replacements have one anyway. */
  readonly preview?: Preview;
  /** Whether it needs not be done, because it is so already: then nobody is asked, and nothing is sent. */
  readonly need?: Need;
  readonly render: Renderer;
  /** What is usually done next: a text, or calls with their arguments made from what was shown. */
  readonly next?: Tool['next'];
}

/** What a tool is, beside the one operation it carries out. */
export interface ToolDefinition<Op extends AnyOperation> extends Described<InputOf<Op>> {
  /** Members it takes beside the operation's own, or in their place; undefined takes one away. */
  readonly input?: Readonly<Record<string, z.ZodType | undefined>>;
  /** The acts, where they are not the arguments themselves. May read, without telling what it read. */
  readonly acts?: (args: JsonRecord, sight: Sight) => Promise<readonly Act[]>;
  /** The answer, where it is not the operation's own. */
  readonly answer?: z.ZodType;
  readonly answerOf?: Tool['answerOf'];
}

/** What a tool is that is made of several operations. */
export interface CompositionDefinition<Input extends Shape> extends Described<ArgumentsOf<Input>> {
  readonly name: string;
  readonly input: Input;
  /** Checks across members. */
  readonly rules?: (args: ArgumentsOf<Input>) => readonly string[];
  /** All that it may carry out; of a tool that only reads, the reads it can't do without. */
  readonly operations: readonly [AnyOperation, ...AnyOperation[]];
  /** What the arguments come to. Reads what it needs; whatever it reads stays unseen. Absent where the tool only reads. */
  readonly acts?: (args: ArgumentsOf<Input>, sight: Sight) => Promise<readonly Act[]>;
  readonly isDone?: Tool['isDone'];
  /** Shape of the answer. */
  readonly answer: z.ZodObject;
  /** Makes the answer, from what the acts answered and what it reads now: protected, fit to be shown. */
  readonly answerOf: (args: ArgumentsOf<Input>, sight: Sight, answers: readonly JsonRecord[]) => Promise<JsonRecord>;
}

/** A tool as data. It holds no server and no client: only the pipeline carries it out. */
export interface Tool {
  readonly name: string;
  readonly toolset: Toolset;
  readonly description: ToolText;
  readonly printing: Printing;
  /** What clients give. */
  readonly input: Shape;
  /** What is wrong between members that are each right. */
  readonly rules: (args: JsonRecord) => readonly string[];
  /** All operations it may carry out. */
  readonly operations: readonly AnyOperation[];
  /** The gravest of them: what stands for the tool where one has to. */
  readonly operation: AnyOperation;
  /** What the arguments come to; undefined for a tool that reads by `answerOf` alone. */
  readonly acts?: (args: JsonRecord, sight: Sight) => Promise<readonly Act[]>;
  /**
   * Whether a request is what the tool does, whoever makes it: for rules that deny the tool. Absent where every call of its
   * operations is. @throws ApiError as the platform fails.
   */
  readonly isDone?: (request: Act, read: Read) => Promise<Holding>;
  readonly answer: z.ZodType | undefined;
  readonly answerOf?: (args: JsonRecord, sight: Sight, answers: readonly JsonRecord[]) => Promise<JsonRecord>;
  readonly plan: (args: JsonRecord) => readonly string[];
  readonly preview?: Preview;
  readonly need?: Need;
  readonly render: Renderer;
  /** Whether it is read at an address instead of called: errors speak of it so. */
  readonly isResource?: true;
  readonly next?: ToolText | ((view: JsonRecord, args: JsonRecord) => readonly Next[]);
}

/** The token level that a tool needs at most. */
export const permissionOf = ({ operations }: Tool): PermissionLevel =>
  permissionLevels.findLast((level) => operations.some(({ permission }) => permission === level)) ?? 'read';

/** Whether a tool can do without operations outside the document. */
export const isDocumented = ({ operations }: Tool): boolean => operations.some(({ documented }) => documented);

const gravest = (operations: readonly AnyOperation[]): AnyOperation =>
  operations.toSorted((one, other) => effects.indexOf(other.effect) - effects.indexOf(one.effect))[0]!;

// The token's own organization is the only one there is, so nobody has to name it.
const optionalOrganization = (shape: Shape): Shape =>
  shape['organization_id'] ? { ...shape, organization_id: shape['organization_id'].optional() } : shape;

const present = (shape: Readonly<Record<string, z.ZodType | undefined>>): Shape =>
  Object.fromEntries(Object.entries(shape).flatMap(([name, schema]) => (schema ? [[name, schema]] : [])));

/** What is wrong with a body as a whole: the contract's rules across members. */
const bodyRules = ({ body }: AnyOperation) => (args: JsonRecord): readonly string[] => {
  const checked = (body as z.ZodObject | undefined)?.safeParse(args);
  return checked?.error?.issues.map(({ path, message }) => (path.length > 0 ? `"${path.join('.')}": ${message}` : message)) ?? [];
};

/** What a tool takes beside its own members when there are columns to choose from. */
const choosing = ({ only }: Renderer): Shape => (only ? { fields: z.array(z.string()).optional().describe('Columns to show.') } : {});

/** Columns that were chosen and aren't there. */
const columnRules = ({ columns, only }: Renderer) => ({ fields }: JsonRecord): readonly string[] => {
  const strange = only && columns && Array.isArray(fields) ? fields.map(String).filter((field) => !columns.includes(field)) : [];
  return strange.length > 0 && columns ? [`"fields": there is no column ${strange.join(', ')}; there are ${columns.join(', ')}`] : [];
};

/** Makes a tool of one operation. The tool has the operation's name. */
export function defineTool<Op extends AnyOperation>(operation: Op, definition: ToolDefinition<Op>): Tool {
  const { toolset, description, fields, folded, hidden, input = {}, acts, answer, answerOf, plan, preview, need, render, next } = definition;
  const own = Object.keys(inputShape(operation));
  return {
    name: operation.name,
    toolset,
    description,
    printing: { fields, folded, hidden },
    input: { ...optionalOrganization(present({ ...inputShape(operation), ...input })), ...choosing(render) },
    // What is merged into the present state is checked once it is whole.
    rules: (args) => [...(acts ? [] : bodyRules(operation)(args)), ...columnRules(render)(args)],
    operations: [operation],
    operation,
    acts: acts ?? (async (args) => [{ operation, input: pick(args, own) }]),
    answer: answer ?? operation.response,
    answerOf,
    plan: (args) => plan?.(args as InputOf<Op>) ?? [],
    preview,
    need,
    render,
    next,
  };
}

/** Makes a tool of several operations. */
export function composeTool<const Input extends Shape>(definition: CompositionDefinition<Input>): Tool {
  const { name, toolset, description, fields, folded, hidden, input, rules, operations, acts, isDone, answer, answerOf, plan, preview, need, render, next } = definition;
  const members = z.object(input);
  // Arguments were checked; what they leave out gets its default.
  const whole = (args: JsonRecord): ArgumentsOf<Input> => members.parse(args);
  return {
    name,
    toolset,
    description,
    printing: { fields, folded, hidden },
    input: { ...input, ...choosing(render) },
    rules: (args) => [...(rules?.(args as ArgumentsOf<Input>) ?? []), ...columnRules(render)(args)],
    operations,
    operation: gravest(operations),
    acts: acts && ((args, sight) => acts(whole(args), sight)),
    isDone,
    answer,
    answerOf: (args, sight, answers) => answerOf(whole(args), sight, answers),
    plan: (args) => plan?.(whole(args)) ?? [],
    preview,
    need,
    render,
    next,
  };
}
