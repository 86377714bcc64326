import * as z from 'zod';
import { inputShape, snakeCase, type AnyOperation } from '../../contract/operation.ts';
import { changes, declaredIn } from './preview/changes.ts';
import { leftOut, replacement } from './preview/replacement.ts';
import type { ToolText } from './tool-text.ts';
import { readPresent } from './present-state.ts';
import { mask } from '../redaction/index.ts';
import { argumentSchema } from './schema.ts';
import type { ToolContext } from './tool-context.ts';
import type { PlannedOperation, Shape } from './tool.ts';
import { isRecord, omit, pick, type JsonRecord } from '../json/values.ts';

const below = (path: string, name: string): string => (path ? `${path}.${name}` : name);

/** What holds for some members, by dotted path. */
export interface MergeRules {
  /** Records of which only the members that are given stay. */
  readonly exclusive?: readonly string[];
  /** Members that can be null and can't be left out: of them null is a value. */
  readonly nullable?: readonly string[];
}

function mergeMember(now: unknown, given: unknown, merging: MergeRules, path: string): unknown {
  if (!isRecord(given)) return given;
  // Where there was no record, null has nothing to remove, and says nothing.
  const merged = mergeInto(isRecord(now) ? now : {}, given, merging, path);
  return merging.exclusive?.includes(path) ? Object.fromEntries(Object.entries(merged).filter(([name]) => given[name] !== undefined)) : merged;
}

/** A record changed by another, as RFC 7396 says: null removes a member, records are merged, everything else replaces. */
export function mergeInto(now: JsonRecord, given: JsonRecord, merging: MergeRules = {}, path = ''): JsonRecord {
  const removes = (name: string): boolean => given[name] === null && !merging.nullable?.includes(below(path, name));
  const changed = Object.entries(given)
    .filter(([name, value]) => value !== undefined && !removes(name))
    .map(([name, value]) => [name, mergeMember(now[name], value, merging, below(path, name))]);
  const stays = Object.entries(now).filter(([name]) => !removes(name));
  return { ...Object.fromEntries(stays), ...Object.fromEntries(changed) };
}

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault ? unwrapped(schema.unwrap() as z.ZodType) : schema;

function partlyMember(schema: z.ZodType): z.ZodType {
  const inner = unwrapped(schema);
  const description = schema.description ?? inner.description;
  const changed = inner instanceof z.ZodObject ? z.object(partialShape(inner.shape as Record<string, z.ZodType>)) : inner;
  return (description === undefined || changed.description !== undefined ? changed : changed.describe(description)).nullish();
}

/** The members of a change: each may be left out, or be null to be removed. What stands in lists stays whole. */
export const partialShape = (shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, partlyMember(schema)]));

/** Dotted paths of the members that can be null and can't be left out. */
export const nullableIn = (shape: Readonly<Record<string, z.ZodType>>, path = ''): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const inner = unwrapped(schema);
    const own = schema.safeParse(null).success && !schema.safeParse(undefined).success ? [below(path, name)] : [];
    return [...own, ...(inner instanceof z.ZodObject ? nullableIn(inner.shape, below(path, name)) : [])];
  });

/** How the request of a replacement differs from what is read back. */
export interface PartialUpdate {
  /** Members, by dotted path, that hold exactly one of several: giving another one takes the present one's place. */
  readonly exclusive?: readonly string[];
  /** What was read, in the request's own shape. */
  readonly asRequest?: (found: JsonRecord) => JsonRecord;
  /** Why this may not be changed in this way, and what to do instead; undefined where it may. `changed` is what was given and may differ. */
  readonly fixed?: (found: JsonRecord, changed: JsonRecord) => { readonly what: string; readonly next: ToolText } | undefined;
}

const bodyOf = (operation: AnyOperation): Shape => (operation.body as z.ZodObject<Shape> | undefined)?.shape ?? {};

const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;

/** Without what a platform only shows a mask of: sent back, the mask would take the place of what it stands for. */
function withoutMasks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMasks);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === mask ? [] : [[name, withoutMasks(member)]])));
}

/** What has to be given where nothing can be read back: everything, since whatever isn't given is lost. */
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
 * Makes a replacement take only what changes: the rest is read and sent back as it is. A member given as null is removed
 * (RFC 7396), records are merged, lists replaced. What is so already comes to no request; the answer is then what was read.
 */
export function partialUpdate(operation: AnyOperation, { exclusive = [], asRequest = (found) => found, fixed }: PartialUpdate = {}) {
  const asSent = (found: JsonRecord): JsonRecord => withoutMasks(asRequest(found)) as JsonRecord;
  const ids = operation.params.map(snakeCase);
  const body = bodyOf(operation);
  const members = Object.keys(body);
  const merging = { exclusive, nullable: nullableIn(body) };

  async function acts(args: JsonRecord, context: ToolContext): Promise<readonly PlannedOperation[]> {
    const given = pick(args, members);
    const found = await readPresent(operation, args, context);
    if (!found) return [requireAll(operation, args, context)];
    const { properties = {} } = argumentSchema(operation);
    const schema = { properties: omit(properties, ids) as typeof properties };
    const now = declaredIn(asSent(found), schema) as JsonRecord;
    const merged = mergeInto(now, given, merging);
    // What the caller may not see counts as changed, or the answer would tell whether it was guessed.
    const hidden = context.hiddenIn(now, schema);
    const changed = Object.keys(given).filter((name) => hidden.includes(name) || changes(pick(now, [name]), pick(merged, [name]), schema).length > 0);
    const reason = fixed?.(found, pick(given, changed));
    if (reason) context.refuse(reason.what, reason.next);
    if (changed.length === 0) return [];
    const input = { ...pick(args, ids), ...merged };
    return [{ operation, input, unchanged: Object.keys(now).filter((name) => given[name] === undefined) }];
  }

  const answerOf = async (args: JsonRecord, context: ToolContext, [answer]: readonly JsonRecord[]): Promise<JsonRecord> =>
    answer ?? (await readPresent(operation, args, context)) ?? {};

  return { input: { ...pick(inputShape(operation), ids), ...partialShape(body) } as Shape, expand: acts, answer: answerOf, preview: replacement(operation, asSent) };
}
