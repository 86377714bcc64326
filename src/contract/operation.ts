import * as z from 'zod';
import { declarationFaults, type TargetDeclaration, type MemberRole } from './target-declaration.ts';
import { kindPointedAt, reference, type ReferenceKind } from './primitives.ts';

/** HTTP methods that the contract uses. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * The effects of operations on the platform, from least to most severe. Annotations, confirmation and read-only mode
 * are derived from it.
 */
export const effects = ['read', 'write', 'disruptive', 'destructive', 'sensitive'] as const;
export type Effect = (typeof effects)[number];

/**
 * The effects of replacing a service's configuration: the confirmation shows the changes; if it can't, the replacement
 * counts as destructive.
 */
export const shownReplacement = { effect: 'disruptive', effectIfHidden: 'destructive' } as const satisfies Record<
  string,
  Effect
>;

/** Permission levels of tokens. Each includes those before it. */
export const permissionLevels = ['read', 'deploy', 'write', 'admin'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

/** Whether permission `level` includes `needed`. */
export const includesPermission = (level: PermissionLevel, needed: PermissionLevel): boolean =>
  permissionLevels.indexOf(level) >= permissionLevels.indexOf(needed);

type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never;

type SnakeCase<Text extends string> = Text extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Text;

type SnakeCaseKeys<T> = { [K in keyof T as K extends string ? SnakeCase<K> : never]: T[K] };

type Shape = Readonly<Record<string, z.ZodType>>;
// The query of an operation that takes no query parameters.
type NoShape = Record<never, never>;

/** Definition of an operation, as the contract declares it. Everything else is derived from it. */
interface Definition<
  Name extends string,
  Path extends string,
  Query extends Shape,
  Body extends z.ZodObject | undefined,
  Response extends z.ZodType | undefined,
> extends TargetDeclaration {
  /** Unique, verb_noun, snake_case. Also the name of its tool, if there is one. */
  readonly name: Name;
  readonly method: Method;
  /** Path as in the API document, with parameters in braces. Each parameter is the id of the resource that it names. */
  readonly path: Path;
  /** Query parameters, by their names on the wire. */
  readonly query?: Query;
  /** Schema of the JSON body. Requests may omit a body whose members are all optional. */
  readonly body?: Body;
  /**
   * Other names of body members: alias → name. Servers accept either; clients send both, because some servers know only
   * one of them.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Schema of a successful response; absent if it has no body (204). */
  readonly response?: Response;
  readonly effect: Effect;
  /** The effect of a call whose plan can't show everything that it replaces or deletes. Default: `effect`. */
  readonly effectIfHidden?: Effect;
  /** Lowest permission level of a token that may call it. Default: `read` for GET, otherwise `write`. */
  readonly permission?: PermissionLevel;
  /** Whether it changes what runs in an environment, so that deployment windows refuse it. */
  readonly changesWhatRuns?: true;
  /** Whether secrets that a request leaves out, or sends as null, stay as they are stored. By default that isn't known. */
  readonly keepsSecrets?: true;
  /**
   * The member of the answer with a secret that the platform shows only this once. It is for a person: servers take it
   * out of the answer as soon as it arrives.
   */
  readonly shownOnce?: string;
  /** False for operations that aren't in the API document. Default: true. */
  readonly documented?: boolean;
  /** One short line for generated documentation. */
  readonly summary: string;
}

/** An operation of the API, as data. */
export interface Operation<
  Name extends string = string,
  Path extends string = string,
  Query extends Shape = Shape,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
  Response extends z.ZodType | undefined = z.ZodType | undefined,
> extends TargetDeclaration {
  readonly name: Name;
  readonly method: Method;
  readonly path: Path;
  readonly params: readonly PathParam<Path>[];
  readonly query: Query;
  readonly body: Body;
  readonly aliases: Readonly<Record<string, string>>;
  readonly response: Response;
  readonly effect: Effect;
  readonly effectIfHidden: Effect;
  readonly target: ReferenceKind;
  readonly roles: Readonly<Record<string, MemberRole>>;
  readonly permission: PermissionLevel;
  readonly status: 200 | 201 | 204;
  readonly shownOnce?: string | undefined;
  readonly keepsSecrets?: true | undefined;
  readonly changesWhatRuns?: true | undefined;
  readonly documented: boolean;
  readonly summary: string;
}

// Any operation. Type arguments are `any` where variance would reject a concrete operation.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyOperation = Operation<string, any, any, any, any>;

// Without members, zod infers a record that allows none, which path ids would contradict.
type HasMembers<Body> =
  Body extends z.ZodObject<infer Members> ? ([keyof Members] extends [never] ? false : true) : false;
type BodyInput<Op extends AnyOperation> =
  HasMembers<Op['body']> extends false ? unknown : z.input<NonNullable<Op['body']>>;
type QueryInput<Op extends AnyOperation> = [keyof Op['query']] extends [never]
  ? unknown
  : SnakeCaseKeys<z.input<z.ZodObject<Op['query']>>>;
type PathInput<Op extends AnyOperation> = { [K in Op['params'][number] as SnakeCase<K>]: string };

/** The flat input of an operation: path, query and body members in one object, in snake_case. */
export type InputOf<Op extends AnyOperation> = PathInput<Op> & QueryInput<Op> & BodyInput<Op>;

/** The flat input after a server validated it: defaults are filled in, unknown members removed. */
export type ValidInputOf<Op extends AnyOperation> = PathInput<Op> &
  ([keyof Op['query']] extends [never] ? unknown : SnakeCaseKeys<z.output<z.ZodObject<Op['query']>>>) &
  (HasMembers<Op['body']> extends false ? unknown : z.output<NonNullable<Op['body']>>);

/** The response body of a server that implements the contract. */
export type ResponseOf<Op extends AnyOperation> = Op['response'] extends z.ZodType
  ? z.output<Op['response']>
  : undefined;

/** `environmentVariableId` → `environment_variable_id`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `environmentVariableId` → `environment_variable`: the kind of resource that a path parameter names. */
export const parameterKind = (param: string): ReferenceKind => snakeCase(param).replace(/_id$/, '') as ReferenceKind;

/**
 * Members nested in `schema`, by dotted path, each with the kind of resource it refers to. Includes members of lists,
 * unions and records.
 */
function membersWithin(path: string, schema: unknown): readonly (readonly [string, ReferenceKind | undefined])[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return membersWithin(path, schema.unwrap());
  if (schema instanceof z.ZodArray) return membersWithin(path, schema.element);
  if (schema instanceof z.ZodRecord) return membersWithin(path, schema.valueType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => membersWithin(path, option));
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.shape).flatMap(([name, inner]) => [
    [`${path}.${name}`, kindPointedAt(inner)] as const,
    ...membersWithin(`${path}.${name}`, inner),
  ]);
}

/**
 * Defines an operation.
 * @throws Error if two of its path, query and body members have the same name in the flat, snake_case input, or if its
 *   target declaration is missing, incomplete or wrong: the guard relies on it and must never guess.
 */
export function operation<
  const Name extends string,
  const Path extends string,
  Query extends Shape = NoShape,
  Body extends z.ZodObject | undefined = undefined,
  Response extends z.ZodType | undefined = undefined,
>(definition: Definition<Name, Path, Query, Body, Response>): Operation<Name, Path, Query, Body, Response> {
  const params = [...definition.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]) as PathParam<Path>[];
  const query = (definition.query ?? {}) as Query;
  const named = (params as string[]).map(parameterKind);
  const members = [
    ...Object.entries<z.ZodType>(query).map(([name, schema]) => [snakeCase(name), schema] as const),
    ...Object.entries<z.ZodType>(definition.body?.shape ?? {}),
  ];
  const flat = [...(params as string[]).map(snakeCase), ...members.map(([name]) => name)];
  const {
    aliases = {},
    target,
    targetBy,
    reachesEnvironments,
    changed,
    creates,
    renames,
    moves,
    roles = {},
    carriesOut,
    redeploy,
    elsewhere,
    oneByOne,
    onEachService,
    showsEnvironments,
    placedRows,
  } = definition;
  const duplicate = flat.find((name, index) => flat.indexOf(name) !== index);
  if (duplicate) throw new Error(`${definition.name}: "${duplicate}" is given twice by path, query and body`);
  const references = Object.fromEntries(
    members.flatMap(([name, schema]) => [[name, kindPointedAt(schema)] as const, ...membersWithin(name, schema)]),
  );
  const faults = declarationFaults({
    changes: definition.effect !== 'read',
    named,
    members: references,
    aliases,
    target,
    targetBy,
    changed,
    creates,
    moves,
    roles,
    carriesOut,
    onEachService,
    showsEnvironments,
    placedRows,
  });
  if (faults.length > 0) throw new Error(faults.map((fault) => `${definition.name}: ${fault}`).join('\n'));
  return {
    name: definition.name,
    method: definition.method,
    path: definition.path,
    params,
    query,
    body: definition.body as Body,
    aliases,
    response: definition.response as Response,
    effect: definition.effect,
    effectIfHidden: definition.effectIfHidden ?? definition.effect,
    target: target ?? named[0] ?? 'organization',
    targetBy,
    reachesEnvironments,
    changed,
    creates,
    renames,
    moves,
    roles,
    carriesOut,
    redeploy,
    elsewhere,
    oneByOne,
    onEachService,
    showsEnvironments,
    placedRows,
    permission: definition.permission ?? (definition.method === 'GET' ? 'read' : 'write'),
    status: creates ? 201 : definition.response ? 200 : 204,
    shownOnce: definition.shownOnce,
    keepsSecrets: definition.keepsSecrets,
    changesWhatRuns: definition.changesWhatRuns,
    documented: definition.documented ?? true,
    summary: definition.summary,
  };
}

/** The flat input as a zod shape: path ids first, then query, then body. */
export function inputShape(op: AnyOperation): Record<string, z.ZodType> {
  const ids = op.params.map((param) => [snakeCase(param), reference(parameterKind(param))]);
  const query = Object.entries(op.query as Shape).map(([name, schema]) => [snakeCase(name), schema]);
  return Object.fromEntries([...ids, ...query, ...Object.entries(op.body?.shape ?? {})]);
}

/** The HTTP request of a call. */
export interface WireRequest {
  readonly method: Method;
  /** Path and query string, percent-encoded, relative to the base URL. */
  readonly target: string;
  /** The JSON body; absent if the operation takes none or the input has none of its members. */
  readonly body?: Record<string, unknown>;
}

/**
 * Splits a flat input into path, query and body. Members that are undefined are omitted; those with an alias are sent
 * under both names. An operation whose body declares no members sends an empty one.
 * @param carried more members of the body, which the contract doesn't have.
 * @throws Error if a path id is missing; callers validate first.
 */
export function toWire(
  op: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  carried: Readonly<Record<string, unknown>> = {},
): WireRequest {
  const path = op.path.replace(/\{(\w+)\}/g, (_: string, param: string) => {
    const value = input[snakeCase(param)];
    if (typeof value !== 'string' || value === '') throw new Error(`${op.name}: "${snakeCase(param)}" is missing`);
    return encodeURIComponent(value.toWellFormed());
  });
  const query = new URLSearchParams();
  for (const name of Object.keys(op.query as Shape)) {
    const value = input[snakeCase(name)];
    if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value));
  }
  const declared = Object.keys(op.body?.shape ?? {});
  const members = declared.filter((name) => input[name] !== undefined);
  const aliased = Object.entries(op.aliases).filter(([, name]) => members.includes(name));
  const body = {
    ...carried,
    ...Object.fromEntries(
      [...members.map((name) => [name, name] as const), ...aliased].map(([sent, name]) => [sent, input[name]]),
    ),
  };
  const isEmptyBody = op.body !== undefined && declared.length === 0;
  return {
    method: op.method,
    target: query.size > 0 ? `${path}?${query}` : path,
    ...((isEmptyBody || Object.keys(body).length > 0) && { body }),
  };
}
