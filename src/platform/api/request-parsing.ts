import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import {
  halfCharacterIn,
  issuesIn,
  largestInteger,
  repeated,
  type AnyOperation,
  type SchemaIssue,
} from '../../contract/index.ts';
import { ApiProblem, invalid } from '../common/index.ts';

// Far deeper than any request of the contract, and far below a stack overflow.
const maximumDepth = 64;

const isNestedTooDeep = (body: unknown): boolean => {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maximumDepth) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
};

const isJson = (contentType: string | undefined): boolean =>
  /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType ?? '');

/** 400 for a body that isn't sent as JSON. */
export const wrongContentType = (): ApiProblem =>
  invalid('Content-Type', 'the body must be JSON, sent as application/json');

/**
 * Makes a server accept JSON bodies only. An empty body is accepted with any content type, because clients differ in
 * what they send for operations without a body.
 */
export function addJsonBodyParser(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, text: string, done) => {
    if (text === '') return done(null, undefined);
    if (!isJson(request.headers['content-type'])) {
      return done(wrongContentType());
    }
    return parseJson(request, text, (error, body: unknown) => {
      if (error) return done(invalid('body', 'is not valid JSON'));
      if (isNestedTooDeep(body)) return done(invalid('body', `is nested deeper than ${maximumDepth} levels`));
      const half = halfCharacterIn(body);
      if (half) return done(invalid(half.path.join('.') || 'body', `has half a character, ${half.codePoint}`));
      return done(null, body);
    });
  });
}

/**
 * Normalizes a body for its schema: an absent body becomes an empty object, and aliases are replaced by the members
 * they name.
 */
export function normalizeBody(op: AnyOperation, body: unknown): unknown {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const normalized = { ...(body as Record<string, unknown>) };
  for (const [alias, member] of Object.entries(op.aliases)) normalized[member] ??= normalized[alias];
  return normalized;
}

// Further issues are reported once these are fixed.
const maximumReportedIssues = 5;

const valueAt = (data: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    data,
  );

const issueText = ({ path, text, issue }: SchemaIssue, data: unknown): string =>
  issue.code !== 'custom' && issue.code !== 'unrecognized_keys' && valueAt(data, path) === undefined
    ? 'is required'
    : text;

/** 400 for invalid input. Names the field of each issue, and no text that was sent. */
const validationProblem = (part: string, error: z.ZodError, data: unknown): ApiProblem => {
  const texts = issuesIn(error)
    .slice(0, maximumReportedIssues)
    .map((issue) => `${issue.path.length > 0 ? repeated(issue.path.join('.')) : part}: ${issueText(issue, data)}`);
  return new ApiProblem(400, texts.join('; '));
};

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** Parses a query parameter that isn't text: decimal numbers, and `null` if the schema allows it. */
const parseQueryValue = (schema: z.ZodType, text: unknown): unknown => {
  if (typeof text !== 'string' || accepts(schema, text)) return text;
  if (text === 'null' && accepts(schema, null)) return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

const parseQuery = (schema: z.ZodType, query: unknown): unknown => {
  if (!(schema instanceof z.ZodObject)) return query;
  const members = Object.entries<z.ZodType>(schema.shape);
  const texts = query as Record<string, unknown>;
  return Object.fromEntries(members.map(([name, member]) => [name, parseQueryValue(member, texts[name])]));
};

/** The path of a number that is too large to keep, in data that its schema accepts; undefined if there is none. */
function tooLargeIn(value: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (typeof value === 'number') return Math.abs(value) > largestInteger ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = tooLargeIn(member, [...path, name]);
    if (found) return found;
  }
  return undefined;
}

interface RouteSchema {
  schema: z.ZodType;
  httpPart?: string;
}

/** Fastify's validator compiler for the contract's schemas. `value` goes to the handler, `error` to the caller. */
export const validatorCompiler =
  ({ schema, httpPart = 'body' }: RouteSchema) =>
  (input: unknown): { value?: unknown; error?: Error } => {
    const data = httpPart === 'querystring' ? parseQuery(schema, input) : input;
    const { success, data: value, error } = schema.safeParse(data);
    if (!success) return { error: validationProblem(httpPart, error, data) };
    const tooLarge = tooLargeIn(value);
    return tooLarge ? { error: invalid(repeated(tooLarge.join('.')), `must be at most ${largestInteger}`) } : { value };
  };
