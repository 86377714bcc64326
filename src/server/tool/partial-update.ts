import * as z from 'zod';
import { identifyingMembers, inputShape, type AnyOperation, type Holder } from '../../contract/index.ts';
import { changes } from './preview/changes.ts';
import { leftOut, replacement } from './preview/replacement.ts';
import type { ToolText } from './tool-text.ts';
import { issuesOfPlanned } from './arguments.ts';
import { below, mergeInto, UnclearPatch, type MergeRules, removal } from './merge-patch.ts';
import { readPresent } from './present-state.ts';
import { changeRecord } from './render.ts';
import {
  bodySchema,
  givesSecret,
  missingSecrets,
  sentBack,
  storedSecrets,
  type MissingSecret,
  type SentBack,
} from './send-back.ts';
import type { ToolContext } from './tool-context.ts';
import type { PlannedOperation, Shape } from './tool.ts';
import { pick, rootOf, type JsonRecord } from '../json/index.ts';

/** The inner schema of an optional or nullable one, or one with a default. */
const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;

function changedSchema(inner: z.ZodType): z.ZodType {
  if (inner instanceof z.ZodObject) return z.object(partialShape(inner.shape));
  const item = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined;
  if (!(item instanceof z.ZodObject)) return inner;
  return z.array(z.object({ ...partialShape(item.shape), [removal]: z.boolean().nullish() }));
}

function partialMember(schema: z.ZodType): z.ZodType {
  const inner = unwrapped(schema);
  const description = schema.description ?? inner.description;
  const changed = changedSchema(inner);
  return (
    description === undefined || changed.description !== undefined ? changed : changed.describe(description)
  ).nullish();
}

/**
 * The shape of a partial update: each member may be left out, or be null to remove it, including in the items of lists
 * of records.
 */
export const partialShape = (shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, partialMember(schema)]));

/** Dotted paths of required members that can be null. */
export const nullableIn = (shape: Readonly<Record<string, z.ZodType>>, path = ''): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const inner = unwrapped(schema);
    const own = schema.safeParse(null).success && !schema.safeParse(undefined).success ? [below(path, name)] : [];
    return [...own, ...(inner instanceof z.ZodObject ? nullableIn(inner.shape, below(path, name)) : [])];
  });

/** How a replacement's request differs from the data that can be read, and what it may not change. */
export interface PartialUpdate extends Pick<MergeRules, 'exclusive' | 'kinds'> {
  /**
   * The service whose own list shows the replaced record; undefined if it isn't known, or the record isn't a service's.
   */
  readonly shownBy?: (context: ToolContext) => Holder | undefined;
  /** Converts data that was read to the shape of the request. */
  readonly asRequest?: (found: JsonRecord) => JsonRecord;
  /**
   * Why this change isn't possible, and what to do instead; undefined if it is. `changed` contains the given members
   * that differ or may differ.
   */
  readonly fixed?: (
    found: JsonRecord,
    changed: JsonRecord,
  ) => { readonly what: string; readonly next: ToolText } | undefined;
}

const bodyOf = (operation: AnyOperation): Shape => (operation.body as z.ZodObject<Shape> | undefined)?.shape ?? {};

const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success;

/** Another way to read the replaced record. If the service is known, its own list has been read. */
const otherWay = (operation: AnyOperation, shownBy: Holder | undefined): readonly string[] =>
  operation.elsewhere && !shownBy
    ? [
        'Where a service has it, give its path of names instead of its id: then it is read there; otherwise give those too.',
      ]
    : ['Give those too.'];

/**
 * The operation if nothing can be read back. All required members must be given, because the replacement drops those
 * that aren't.
 */
function requireAll(
  operation: AnyOperation,
  args: JsonRecord,
  context: ToolContext,
  shownBy: Holder | undefined,
): PlannedOperation {
  const shape = bodyOf(operation);
  const [missing, lost] = [true, false].map((required) =>
    leftOut(operation, args).filter((name) => isRequired(shape[name]!) === required),
  ) as [string[], string[]];
  if (missing.length > 0) {
    context.refuse(
      `the platform doesn't show what it replaces${shownBy ? `, neither at its ${shownBy.kind} nor where the call says that it is` : ', or not where the call says that it is'}, so everything has to be given; missing: ${missing.join(', ')}`,
      [
        ...otherWay(operation, shownBy),
        ...(lost.length > 0
          ? [`What else is set now and is not given is lost or goes back to its default: ${lost.join(', ')}.`]
          : []),
      ].join(' '),
    );
  }
  return { operation, input: args, shownBy };
}

/**
 * Whether something may be lost. A secret that the platform shows masked is kept, unless the member that contains it is
 * changed.
 */
const mayLose = ({ lost, kept }: SentBack, given: JsonRecord, secrets: readonly MissingSecret[]): boolean =>
  lost.length > 0 || secrets.some(({ path }) => !kept.includes(path) || given[rootOf(path)] !== undefined);

/** What became of stored secrets that a change could not send, if the platform shows that. */
const secretOutcomes = (operation: AnyOperation, given: JsonRecord, before: JsonRecord, after: JsonRecord): string[] =>
  storedSecrets(given, bodySchema(operation), before).flatMap((name) => {
    const [was, is] = [before[`${name}_set`], after[`${name}_set`]];
    if (was === true && is === false) return [`Lost, because the platform doesn't keep it: ${name}. Give it again.`];
    return was === true && is === true && !operation.keepsSecrets ? [`Still stored: ${name}.`] : [];
  });

/** Members with which an answer identifies the changed resource. */
const identity = ['name', 'key', 'id'];

/**
 * Lets a tool of a PUT accept only the members to change: the rest is read and sent back unchanged. A member given as
 * null is removed (RFC 7396), records are merged, and so are lists of records, item by item. If nothing would change,
 * no request is sent. The answer lists the changes.
 */
export function partialUpdate(
  operation: AnyOperation,
  { exclusive, kinds, asRequest = (found) => found, fixed, shownBy = () => undefined }: PartialUpdate = {},
) {
  const schema = bodySchema(operation);
  const requestFrom = (present: JsonRecord): SentBack => sentBack(operation, asRequest(present));
  const ids = identifyingMembers(operation);
  const body = bodyOf(operation);
  const members = Object.keys(body);
  const mergeRules: MergeRules = { exclusive, kinds, nullable: nullableIn(body) };

  function merge(current: JsonRecord, given: JsonRecord, context: ToolContext): JsonRecord {
    try {
      return mergeInto(current, given, mergeRules);
    } catch (error) {
      if (!(error instanceof UnclearPatch)) throw error;
      return context.refuse(error.message, 'Read it, and name the item as it is there, by id or else by name.');
    }
  }

  async function expand(args: JsonRecord, context: ToolContext): Promise<readonly PlannedOperation[]> {
    const given = pick(args, members);
    const holder = shownBy(context);
    const present = await readPresent(operation, args, context, holder);
    if (!present) return [requireAll(operation, { ...pick(args, ids), ...merge({}, given, context) }, context, holder)];
    const sent = requestFrom(present);
    const { declared: current, carried } = sent;
    const merged = merge(current, given, context);
    // Members that the caller may not see count as changed: otherwise the answer would confirm a guessed value.
    const hidden = context.hiddenIn(current, schema);
    const changed = Object.keys(given).filter(
      (name) => hidden.includes(name) || changes(pick(current, [name]), pick(merged, [name]), schema).length > 0,
    );
    const reason = fixed?.(present, pick(given, changed));
    if (reason) context.refuse(reason.what, reason.next);
    if (changed.length === 0) return [];
    return [
      {
        operation,
        input: { ...pick(args, ids), ...merged },
        shownBy: holder,
        accepted: issuesOfPlanned({ operation, input: { ...pick(args, ids), ...current } }),
        replaces: present,
        showsAll:
          !changed.some((name) => hidden.includes(name)) &&
          !mayLose(sent, given, missingSecrets(merged, schema, present)) &&
          !givesSecret(given, schema),
        ...(Object.keys(carried).length > 0 && { carried }),
        unchanged: Object.keys(current).filter((name) => given[name] === undefined),
        present: current,
        given,
      },
    ];
  }

  /** The changes; if there was nothing to change, the given members with their present values. */
  async function answer(args: JsonRecord, context: ToolContext, answers: readonly JsonRecord[]): Promise<JsonRecord> {
    const given = Object.keys(pick(args, members));
    const [replaced] = context.replacements();
    if (!replaced) {
      const found = answers[0] ?? (await readPresent(operation, args, context, shownBy(context))) ?? {};
      return answers.length > 0 ? found : pick(found, [...identity, ...given]);
    }
    const { before, after } = replaced;
    if (Object.keys(after).length === 0) return {};
    const [was, is] = [before, after].map((one) => requestFrom(one).declared) as [JsonRecord, JsonRecord];
    const lines = changes(pick(was, given), pick(is, given), schema, { reason: '' });
    return {
      ...pick(after, identity),
      changes: [
        ...(lines.length > 0
          ? lines
          : ['The platform accepted it. What it shows is as before; it never shows secrets.']),
        ...secretOutcomes(operation, pick(args, given), before, after),
      ],
    };
  }

  const shownAnswer = (operation.response as z.ZodObject).extend({ changes: z.array(z.string()).optional() });

  return {
    input: { ...pick(inputShape(operation), ids), ...partialShape(body) } as Shape,
    expand,
    output: shownAnswer,
    answer,
    preview: replacement(operation, requestFrom),
    render: changeRecord([...identity, 'changes']),
  };
}
