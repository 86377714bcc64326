import { hiddenSecret, snakeCase, type AnyOperation } from '../../contract/index.ts';
import { isRecord, omit, withoutNull, type JsonRecord, type JsonSchema } from '../json/index.ts';
import { answerSchema, argumentSchema } from './schema.ts';

/** The part of the data read that a replacement sends back. */
export interface SentBack {
  /** Members that the request declares. */
  readonly declared: JsonRecord;
  /** Members that the contract doesn't know, which are sent back unchanged. */
  readonly carried: JsonRecord;
  /** Dotted paths of members that can't be sent back. */
  readonly lost: readonly string[];
  /** Dotted paths of secrets that the platform shows masked, and keeps if they are left out. */
  readonly kept: readonly string[];
}

/** The paths of members that aren't sent back. */
interface LeftBehind {
  readonly lost: string[];
  readonly kept: string[];
}

/** Members that only answers have, on any platform: those that identify a resource, its owner and its state. */
const answerOnly =
  /^(?:id|\w+_at|(?:environment|project|organization|cluster|service|registry)(?:_id|_name|_type)?|job_type|maximu[mn]_\w+|host|disk_encrypted|state|status|associated_\w+_count|is_secret|secret_manager_access_id|(?:overridden|aliased)_\w+|\w+_set)$/;

/** Names that are sent. Others may be meant to mislead readers of a plan. */
const plainName = /^[A-Za-z]\w{0,63}$/;

/** Members whose answer has more members than their request, which is declared completely. */
const wholeInContract = ['git_repository'];

/** Optional members for which requests accept null as a value. */
const nullIsValue = ['auto_deploy', 'mount_path', 'git_token_id', 'webhook_url', 'auth_password'];

/** Whether a record is only a reference. */
const isPointer = ({ properties = {} }: JsonSchema): boolean => Object.keys(properties).join() === 'id';

const itemOf = (node: JsonSchema | undefined): JsonSchema | undefined => node && withoutNull(node).items;
const memberOf = (node: JsonSchema | undefined, name: string): JsonSchema | undefined =>
  node && withoutNull(node).properties?.[name];

/** A place in the data read, with its schemas in the request and in the answer. */
interface Place {
  readonly path: string;
  readonly request?: JsonSchema;
  readonly answer?: JsonSchema;
  /** Whether members that the request doesn't declare are left out. */
  readonly isClosed?: boolean;
}

type Entry = readonly [name: string, value: unknown];

/** The part of a value that is sent back. Adds the paths of other members to `left`. */
function sentBackOf(value: unknown, place: Place, left: LeftBehind): unknown {
  if (Array.isArray(value))
    return value.map((item) =>
      sentBackOf(
        item,
        { ...place, path: `${place.path}[]`, request: itemOf(place.request), answer: itemOf(place.answer) },
        left,
      ),
    );
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap((entry) => entryOf(entry, place, left)));
}

function entryOf([name, value]: Entry, place: Place, left: LeftBehind): readonly Entry[] {
  const { request: node, answer, isClosed = false } = place;
  const request = node && withoutNull(node);
  const path = place.path ? `${place.path}.${name}` : name;
  const declared = memberOf(node, name);
  const inner: Place = {
    path,
    request: declared,
    answer: memberOf(answer, name),
    isClosed: isClosed || wholeInContract.includes(name),
  };
  // Without declared members it is an open record, in which every member belongs to the user.
  if (request?.properties && !declared) {
    if (isClosed || isPointer(request) || memberOf(answer, name) || answerOnly.test(name) || value === null) return [];
    if (!plainName.test(name))
      return (
        left.lost.push(
          place.path
            ? `${place.path}, a member whose name is none of a field`
            : 'a member whose name is none of a field',
        ),
        []
      );
  }
  if (value === hiddenSecret) return ((declared?.secret ? left.kept : left.lost).push(path), []);
  if (value === null && declared && !request?.required?.includes(name) && !nullIsValue.includes(name)) return [];
  return [[name, sentBackOf(value, inner, left)]];
}

/** The schema of an operation's body. */
export const bodySchema = (operation: AnyOperation): JsonSchema => {
  const { properties = {}, required } = argumentSchema(operation);
  const ids = operation.params.map(snakeCase);
  return { properties: omit(properties, ids) as typeof properties, required };
};

/**
 * The part of the data read that a replacement sends back, already in the shape of the request: everything that the
 * request declares, and members that the contract doesn't know, because a replacement drops members that are left out.
 * Not sent back are members that only answers have, nulls, which most requests don't accept, and masked values: the
 * mask would overwrite the real value.
 */
export function sentBack(operation: AnyOperation, found: JsonRecord): SentBack {
  const request = bodySchema(operation);
  const left: LeftBehind = { lost: [], kept: [] };
  const all = sentBackOf(found, { path: '', request, answer: answerSchema(operation) }, left) as JsonRecord;
  const known = Object.keys(request.properties ?? {});
  return {
    declared: Object.fromEntries(Object.entries(all).filter(([name]) => known.includes(name))),
    carried: omit(all, known),
    lost: [...new Set(left.lost)],
    kept: left.kept,
  };
}

/** Whether a value contains secrets, which replace ones that can't be shown. */
export function givesSecret(value: unknown, node: JsonSchema | undefined): boolean {
  if (Array.isArray(value)) return value.some((item) => givesSecret(item, itemOf(node)));
  if (value === undefined || value === null || !node) return false;
  if (withoutNull(node).secret) return true;
  return isRecord(value) && Object.entries(value).some(([name, member]) => givesSecret(member, memberOf(node, name)));
}

/** A secret that a request may have and doesn't give. */
export interface MissingSecret {
  /** Its dotted path; that of the record around it if it isn't known which of its secrets are stored. */
  readonly path: string;
  /** Whether the platform shows that one is stored; undefined if it doesn't tell. */
  readonly isStored: boolean | undefined;
}

/** Whether the platform says that a secret is stored: such answers have a member of its name with `_set`. */
const isStored = (found: JsonRecord, name: string): boolean | undefined => {
  const told = found[`${name}_set`];
  return typeof told === 'boolean' ? told : undefined;
};

/**
 * Whether a record gives one of its own secrets, also one that its schema doesn't name.
 * @param before the record as it was read: what is sent back as it was is not given
 */
const givesOwnSecret = (
  body: JsonRecord,
  { properties = {}, additionalProperties: others }: JsonSchema,
  before: unknown,
): boolean =>
  Object.entries(body).some(([name, value]) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : others;
    const isGiven = value !== undefined && value !== null && !(isRecord(before) && before[name] === value);
    return isGiven && typeof member === 'object' && withoutNull(member).secret === true;
  });

/**
 * The secrets among the missing members of a record that belong to a member that it has. If none does, and it gives no
 * other secret, the record stands for whichever it has.
 */
function ofTheKind(
  missing: readonly (readonly [name: string, schema: JsonSchema])[],
  body: JsonRecord,
  node: JsonSchema,
  { path, before }: { readonly path: string; readonly before: unknown },
): readonly string[] {
  const own = missing.filter(([, { belongsTo }]) => belongsTo === undefined || body[belongsTo] !== undefined);
  return own.length > 0 || missing.length === 0 || givesOwnSecret(body, node, before)
    ? own.map(([name]) => (path ? `${path}.${name}` : name))
    : [`the secrets of ${path}`];
}

/**
 * The secrets that a body may have but leaves out, except those that the platform says it doesn't have.
 * @param found the data read
 * @param before the data read of this part of the body
 */
export function missingSecrets(
  body: unknown,
  node: JsonSchema | undefined,
  found: JsonRecord = {},
  path = '',
  before: unknown = found,
): readonly MissingSecret[] {
  if (Array.isArray(body)) {
    const all = body.flatMap((item) => missingSecrets(item, itemOf(node), {}, `${path}[]`));
    return [...new Map(all.map((one) => [one.path, one])).values()];
  }
  if (!isRecord(body) || !node) return [];
  const members = Object.entries(withoutNull(node).properties ?? {}).map(
    ([name, member]) => [name, withoutNull(member)] as const,
  );
  const missing = members.filter(
    ([name, { secret }]) => secret && body[name] === undefined && isStored(found, name) !== false,
  );
  const known = missing.filter(([name]) => isStored(found, name));
  return [
    ...known.map(([name]) => ({ path: path ? `${path}.${name}` : name, isStored: true })),
    ...ofTheKind(
      missing.filter((one) => !known.includes(one)),
      body,
      withoutNull(node),
      { path, before },
    ).map((one) => ({ path: one, isStored: undefined })),
    ...members.flatMap(([name, member]) =>
      member.secret
        ? []
        : missingSecrets(
            body[name],
            member,
            {},
            path ? `${path}.${name}` : name,
            isRecord(before) ? before[name] : undefined,
          ),
    ),
  ];
}

/** The secrets of a body that are stored and that it neither gives nor removes, by name. */
export const storedSecrets = (body: JsonRecord, node: JsonSchema, found: JsonRecord): readonly string[] =>
  Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const stored = isStored(found, name);
    const given = body[name];
    const isUnsent = given === undefined ? stored !== false : given === null && stored === true;
    return withoutNull(member).secret && isUnsent ? [name] : [];
  });
