import * as z from 'zod';
import { inputShape, snakeCase, type AnyOperation } from '../../contract/index.ts';
import { changes } from './preview/changes.ts';
import { leftOut, replacement } from './preview/replacement.ts';
import type { ToolText } from './tool-text.ts';
import { readPresent } from './present-state.ts';
import { bodySchema, sentBack, type SentBack } from './send-back.ts';
import type { ToolContext } from './tool-context.ts';
import type { PlannedOperation, Shape } from './tool.ts';
import { isRecord, pick, type JsonRecord } from '../json/index.ts';

const below = (path: string, name: string): string => (path ? `${path}.${name}` : name);

/** Members that are merged in a special way, by dotted path. */
export interface MergeRules {
  /** Records that keep only the members that are given. */
  readonly exclusive?: readonly string[];
  /** Required members that can be null: for them, null is a value and doesn't remove the member. */
  readonly nullable?: readonly string[];
}

function mergeMember(current: unknown, patch: unknown, rules: MergeRules, path: string): unknown {
  if (!isRecord(patch)) return patch;
  // If there was no record, null has nothing to remove, and is dropped.
  const merged = mergeInto(isRecord(current) ? current : {}, patch, rules, path);
  return rules.exclusive?.includes(path) ? Object.fromEntries(Object.entries(merged).filter(([name]) => patch[name] !== undefined)) : merged;
}

/** Applies a JSON merge patch (RFC 7396): null removes a member, records are merged, everything else is replaced. */
export function mergeInto(current: JsonRecord, patch: JsonRecord, rules: MergeRules = {}, path = ''): JsonRecord {
  const removes = (name: string): boolean => patch[name] === null && !rules.nullable?.includes(below(path, name));
  const changed = Object.entries(patch)
    .filter(([name, value]) => value !== undefined && !removes(name))
    .map(([name, value]) => [name, mergeMember(current[name], value, rules, below(path, name))]);
  const remaining = Object.entries(current).filter(([name]) => !removes(name));
  return { ...Object.fromEntries(remaining), ...Object.fromEntries(changed) };
}

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap() as z.ZodType) : schema;

function partialMember(schema: z.ZodType): z.ZodType {
  const inner = unwrapped(schema);
  const description = schema.description ?? inner.description;
  const changed = inner instanceof z.ZodObject ? z.object(partialShape(inner.shape as Record<string, z.ZodType>)) : inner;
  return (description === undefined || changed.description !== undefined ? changed : changed.describe(description)).nullish();
}

/** The shape of a partial update: each member may be left out, or be null to remove it. Items of lists are not partial. */
export const partialShape = (shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, partialMember(schema)]));

/** Dotted paths of required members that can be null. */
export const nullableIn = (shape: Readonly<Record<string, z.ZodType>>, path = ''): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const inner = unwrapped(schema);
    const own = schema.safeParse(null).success && !schema.safeParse(undefined).success ? [below(path, name)] : [];
    return [...own, ...(inner instanceof z.ZodObject ? nullableIn(inner.shape, below(path, name)) : [])];
  });

/** How a replacement's request differs from what can be read, and what it may not change. */
export interface PartialUpdate {
  /** Members, by dotted path, that hold exactly one of several alternatives: giving another one replaces the present one. */
  readonly exclusive?: readonly string[];
  /** Converts what was read to the shape of the request. */
  readonly asRequest?: (found: JsonRecord) => JsonRecord;
  /** Why this change isn't possible, and what to do instead; undefined if it is. `changed` has the given members that differ or may differ. */
  readonly fixed?: (found: JsonRecord, changed: JsonRecord) => { readonly what: string; readonly next: ToolText } | undefined;
}

const bodyOf = (operation: AnyOperation): Shape => (operation.body as z.ZodObject<Shape> | undefined)?.shape ?? {};

const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;

/** The operation if nothing can be read back. All required members have to be given, since the replacement drops what isn't. */
function requireAll(operation: AnyOperation, args: JsonRecord, context: ToolContext): PlannedOperation {
  const shape = bodyOf(operation);
  const [missing, lost] = [true, false].map((required) => leftOut(operation, args).filter((name) => isRequired(shape[name]!) === required)) as [string[], string[]];
  if (missing.length > 0) {
    context.refuse(
      `the platform doesn't show what it replaces, or not where the call says that it is, so everything has to be given; missing: ${missing.join(', ')}`,
      ['Where it has a path of names, give that instead of its id; otherwise give those too.', ...(lost.length > 0 ? [`What else is set now and is not given is lost or goes back to its default: ${lost.join(', ')}.`] : [])].join(' '),
    );
  }
  return { operation, input: args };
}

/**
 * Lets a tool of a PUT take only what changes: the rest is read and sent back unchanged. A member given as null is
 * removed (RFC 7396), records are merged, lists replaced. If nothing would change, no request is sent, and the answer
 * is what was read.
 */
export function partialUpdate(operation: AnyOperation, { exclusive = [], asRequest = (found) => found, fixed }: PartialUpdate = {}) {
  const schema = bodySchema(operation);
  const requestFrom = (present: JsonRecord): SentBack => sentBack(operation, asRequest(present));
  const ids = operation.params.map(snakeCase);
  const body = bodyOf(operation);
  const members = Object.keys(body);
  const mergeRules = { exclusive, nullable: nullableIn(body) };

  async function expand(args: JsonRecord, context: ToolContext): Promise<readonly PlannedOperation[]> {
    const given = pick(args, members);
    const present = await readPresent(operation, args, context);
    if (!present) return [requireAll(operation, args, context)];
    const { declared: current, carried } = requestFrom(present);
    const merged = mergeInto(current, given, mergeRules);
    // Members that the caller may not see count as changed: otherwise the answer would confirm a guessed value.
    const hidden = context.hiddenIn(current, schema);
    const changed = Object.keys(given).filter((name) => hidden.includes(name) || changes(pick(current, [name]), pick(merged, [name]), schema).length > 0);
    const reason = fixed?.(present, pick(given, changed));
    if (reason) context.refuse(reason.what, reason.next);
    if (changed.length === 0) return [];
    const input = { ...pick(args, ids), ...merged };
    return [{ operation, input, ...(Object.keys(carried).length > 0 && { carried }), unchanged: Object.keys(current).filter((name) => given[name] === undefined) }];
  }

  const answer = async (args: JsonRecord, context: ToolContext, [first]: readonly JsonRecord[]): Promise<JsonRecord> =>
    first ?? (await readPresent(operation, args, context)) ?? {};

  return { input: { ...pick(inputShape(operation), ids), ...partialShape(body) } as Shape, expand, answer, preview: replacement(operation, requestFrom) };
}
