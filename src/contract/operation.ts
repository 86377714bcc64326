import * as z from 'zod';
import { declarationFaults, type TargetDeclaration, type MemberRole } from './target-declaration.ts';
import { kindPointedAt, reference, type ReferenceKind } from './primitives.ts';

/** HTTP methods the contract uses. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What carrying out an operation does to the platform, from harmless to grave.
 * Annotations, confirmation and read-only mode are derived from it.
 */
export const effects = ['read', 'write', 'disruptive', 'destructive', 'sensitive'] as const;
export type Effect = (typeof effects)[number];

/** Token permission levels, each including those before it. */
export const permissionLevels = ['read', 'deploy', 'write', 'admin'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

/** Whether a level includes another one. */
export const includesPermission = (level: PermissionLevel, needed: PermissionLevel): boolean => permissionLevels.indexOf(level) >= permissionLevels.indexOf(needed);

type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never;

type SnakeCase<Text extends string> = Text extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Text;

type SnakeCaseKeys<T> = { [K in keyof T as K extends string ? SnakeCase<K> : never]: T[K] };

type Shape = Readonly<Record<string, z.ZodType>>;
// What an operation without query members has: nothing.
type NoShape = Record<never, never>;

/** What is written down about one operation. Everything else is derived from it. */
interface Definition<
  Name extends string,
  Path extends string,
  Query extends Shape,
  Body extends z.ZodObject | undefined,
  Response extends z.ZodType | undefined,
> extends TargetDeclaration {
  /** Unique, verb_noun, snake_case; also the tool's name where the operation is a tool. */
  readonly name: Name;
  readonly method: Method;
  /** Path as the document writes it, parameters in braces; every parameter is the id of the resource it names. */
  readonly path: Path;
  /** Members of the query string, by their names on the wire. */
  readonly query?: Query;
  /** Shape of the JSON body. A body whose members are all optional may be left out. */
  readonly body?: Body;
  /** Other spellings of body members that servers take: alias to the member's own name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Shape of a successful answer; absent where the answer has no body (204). */
  readonly response?: Response;
  readonly effect: Effect;
  /** Lowest token level that may call it. Default: read for GET, write otherwise. */
  readonly permission?: PermissionLevel;
  /** False for operations that lie outside the documented interface. */
  readonly documented?: boolean;
  /** One short line for generated documentation. */
  readonly summary: string;
}

/** One operation of the API, as data. */
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
  readonly target: ReferenceKind;
  readonly roles: Readonly<Record<string, MemberRole>>;
  readonly permission: PermissionLevel;
  readonly status: 200 | 201 | 204;
  readonly documented: boolean;
  readonly summary: string;
}

// Operations of any shape. `any` stands where variance would reject a concrete operation.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyOperation = Operation<string, any, any, any, any>;

type BodyInput<Op extends AnyOperation> = Op['body'] extends z.ZodObject ? z.input<Op['body']> : unknown;
type QueryInput<Op extends AnyOperation> = [keyof Op['query']] extends [never]
  ? unknown
  : SnakeCaseKeys<z.input<z.ZodObject<Op['query']>>>;
type PathInput<Op extends AnyOperation> = { [K in Op['params'][number] as SnakeCase<K>]: string };

/** What a caller gives: path, query and body members side by side, in snake_case. */
export type InputOf<Op extends AnyOperation> = PathInput<Op> & QueryInput<Op> & BodyInput<Op>;

/** The same as a server has it once validated: defaults filled in, unknown members gone. */
export type ValidInputOf<Op extends AnyOperation> = PathInput<Op> &
  ([keyof Op['query']] extends [never] ? unknown : SnakeCaseKeys<z.output<z.ZodObject<Op['query']>>>) &
  (Op['body'] extends z.ZodObject ? z.output<Op['body']> : unknown);

/** What a server of the contract answers. */
export type ResponseOf<Op extends AnyOperation> = Op['response'] extends z.ZodType ? z.output<Op['response']> : undefined;

/** `environmentVariableId` → `environment_variable_id`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `environmentVariableId` → `environment_variable`: the kind of resource a path parameter names. */
export const parameterKind = (param: string): ReferenceKind => snakeCase(param).replace(/_id$/, '') as ReferenceKind;

/** The members inside of another, by dotted path, each with the kind of what it points at: in lists, unions and records too. */
function membersWithin(path: string, schema: unknown): readonly (readonly [string, ReferenceKind | undefined])[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) return membersWithin(path, schema.unwrap());
  if (schema instanceof z.ZodArray) return membersWithin(path, schema.element);
  if (schema instanceof z.ZodRecord) return membersWithin(path, schema.valueType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => membersWithin(path, option));
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.shape).flatMap(([name, inner]) => [[`${path}.${name}`, kindPointedAt(inner)] as const, ...membersWithin(`${path}.${name}`, inner)]);
}

/**
 * Writes down one operation.
 * @throws Error when a body or query member would hide another under the flat, snake_case input; when it doesn't say what
 *   it acts upon, or not all of it: the guard goes by that, and must never guess.
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
  const members = [...Object.entries<z.ZodType>(query).map(([name, schema]) => [snakeCase(name), schema] as const), ...Object.entries<z.ZodType>(definition.body?.shape ?? {})];
  const flat = [...(params as string[]).map(snakeCase), ...members.map(([name]) => name)];
  const { aliases = {}, target, creates, moves, roles = {}, carriesOut, onEachService } = definition;
  const twice = flat.find((name, index) => flat.indexOf(name) !== index);
  if (twice) throw new Error(`${definition.name}: "${twice}" is given twice by path, query and body`);
  const pointing = Object.fromEntries(members.flatMap(([name, schema]) => [[name, kindPointedAt(schema)] as const, ...membersWithin(name, schema)]));
  const faults = declarationFaults({ changes: definition.effect !== 'read', named, members: pointing, aliases, target, creates, moves, roles, carriesOut, onEachService });
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
    target: target ?? named[0] ?? 'organization',
    creates,
    moves,
    roles,
    carriesOut,
    onEachService,
    permission: definition.permission ?? (definition.method === 'GET' ? 'read' : 'write'),
    status: creates ? 201 : definition.response ? 200 : 204,
    documented: definition.documented ?? true,
    summary: definition.summary,
  };
}

/** The flat input as zod members: path ids first, then query, then body. */
export function inputShape(op: AnyOperation): Record<string, z.ZodType> {
  const ids = op.params.map((param) => [snakeCase(param), reference(parameterKind(param))]);
  const query = Object.entries(op.query as Shape).map(([name, schema]) => [snakeCase(name), schema]);
  return Object.fromEntries([...ids, ...query, ...Object.entries(op.body?.shape ?? {})]);
}

/** A call as it goes over the wire. */
export interface WireRequest {
  readonly method: Method;
  /** Path and query string, percent-encoded, relative to the base address. */
  readonly target: string;
  /** The JSON body; absent where the operation takes none or none of its members is given. */
  readonly body?: Record<string, unknown>;
}

/**
 * Splits a flat input into path, query and body. Members given as undefined are left out.
 * @throws Error when a path id is missing: callers validate first.
 */
export function toWire(op: AnyOperation, input: Readonly<Record<string, unknown>>): WireRequest {
  const path = op.path.replace(/\{(\w+)\}/g, (_: string, param: string) => {
    const value = input[snakeCase(param)];
    if (typeof value !== 'string' || value === '') throw new Error(`${op.name}: "${snakeCase(param)}" is missing`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const name of Object.keys(op.query as Shape)) {
    const value = input[snakeCase(name)];
    if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value));
  }
  const members = Object.keys(op.body?.shape ?? {}).filter((name) => input[name] !== undefined);
  return {
    method: op.method,
    target: query.size > 0 ? `${path}?${query}` : path,
    ...(members.length > 0 && { body: Object.fromEntries(members.map((name) => [name, input[name]])) }),
  };
}
