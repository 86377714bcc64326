import { snakeCase, type AnyOperation } from '../../contract/index.ts';
import { isRecord, omit, withoutNull, type JsonRecord, type JsonSchema } from '../json/index.ts';
import { mask } from '../redaction/index.ts';
import { answerSchema, argumentSchema } from './schema.ts';

/** What a replacement sends back of what was read. */
export interface SentBack {
  /** Members that the request declares. */
  readonly declared: JsonRecord;
  /** Members that the contract doesn't know, which are sent back as they are. */
  readonly carried: JsonRecord;
  /** Dotted paths of members that can't be sent back. */
  readonly lost: readonly string[];
  /** Dotted paths of secrets that the platform shows masked, and keeps where they are left out. */
  readonly kept: readonly string[];
}

/** The paths of what isn't sent back. */
interface LeftBehind {
  readonly lost: string[];
  readonly kept: string[];
}

/**
 * Members that only answers have, whoever answers: what identifies a resource, what it belongs to and what became of
 * it.
 */
const answerOnly =
  /^(?:id|\w+_at|(?:environment|project|organization|cluster|service|registry)(?:_id|_name|_type)?|job_type|maximu[mn]_\w+|host|disk_encrypted|state|status|associated_\w+_count|is_secret|secret_manager_access_id|(?:overridden|aliased)_\w+|\w+_set)$/;

/** Names that are sent. Others may be meant for whoever reads a plan. */
const plainName = /^[A-Za-z]\w{0,63}$/;

/** Members whose answer has more than their request, which declares all of it. */
const wholeInContract = ['git_repository'];

/** Optional members for which null is a value that requests take. */
const nullIsValue = ['auto_deploy', 'mount_path', 'git_token_id'];

/** Whether a record only points at something. */
const isPointer = ({ properties = {} }: JsonSchema): boolean => Object.keys(properties).join() === 'id';

const itemOf = (node: JsonSchema | undefined): JsonSchema | undefined => node && withoutNull(node).items;
const memberOf = (node: JsonSchema | undefined, name: string): JsonSchema | undefined =>
  node && withoutNull(node).properties?.[name];

/** One place of what was read, with its schemas in the request and in the answer. */
interface Place {
  readonly path: string;
  readonly request?: JsonSchema;
  readonly answer?: JsonSchema;
  /** Whether members that the request doesn't declare stay behind. */
  readonly isClosed?: boolean;
}

type Entry = readonly [name: string, value: unknown];

/** What of a value is sent back. Adds the paths of what isn't to `left`. */
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
  // Without declared members it is an open record, in which every member is the user's own.
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
  if (value === mask) return ((declared?.secret ? left.kept : left.lost).push(path), []);
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
 * What a replacement sends back of what was read, already in the shape of the request: all that the request declares,
 * and what the contract doesn't know, because a replacement loses what it leaves out. Members that only answers have
 * stay behind, as do nulls, which most requests don't take, and what the platform shows masked: sent back, the mask
 * would overwrite the real value.
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

/** Whether a value holds secrets, which replace what nobody is shown. */
export function givesSecret(value: unknown, node: JsonSchema | undefined): boolean {
  if (Array.isArray(value)) return value.some((item) => givesSecret(item, itemOf(node)));
  if (value === undefined || value === null || !node) return false;
  if (withoutNull(node).secret) return true;
  return isRecord(value) && Object.entries(value).some(([name, member]) => givesSecret(member, memberOf(node, name)));
}

/**
 * Dotted paths of secrets that a body leaves out where it may have them.
 * @param found what was read, which may say that there is none.
 */
export function missingSecrets(
  body: unknown,
  node: JsonSchema | undefined,
  found: JsonRecord = {},
  path = '',
): readonly string[] {
  if (Array.isArray(body))
    return [...new Set(body.flatMap((item) => missingSecrets(item, itemOf(node), {}, `${path}[]`)))];
  if (!isRecord(body) || !node) return [];
  return Object.entries(withoutNull(node).properties ?? {}).flatMap(([name, member]) => {
    const below = path ? `${path}.${name}` : name;
    if (!withoutNull(member).secret) return missingSecrets(body[name], member, {}, below);
    return body[name] === undefined && found[`${name}_set`] !== false ? [below] : [];
  });
}
