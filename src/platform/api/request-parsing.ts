import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { AnyOperation } from '../../contract/operation.ts';
import { ApiProblem, invalid } from '../problem.ts';

// Far beyond any request of the contract, far below what exhausts the stack.
const maximumDepth = 64;

const isNestedTooDeep = (body: unknown): boolean => {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maximumDepth) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
};

const isJson = (contentType: string | undefined): boolean => /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType ?? '');

/** The refusal of a body that isn't sent as JSON. */
export const wrongContentType = (): ApiProblem => invalid('Content-Type', 'the body must be JSON, sent as application/json');

/**
 * Has the server read JSON bodies and nothing else. No body at all is fine, whatever its type is said to be: clients
 * differ in what they send where the contract defines none.
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
      return done(null, body);
    });
  });
}

/** The body as its schema expects it: an absent one is empty, other spellings of members are the members' own. */
export function normalizeBody(op: AnyOperation, body: unknown): unknown {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const given = { ...(body as Record<string, unknown>) };
  for (const [alias, member] of Object.entries(op.aliases)) given[member] ??= given[alias];
  return given;
}

// More than anybody reads; the rest shows when these are mended.
const maximumReportedIssues = 5;

const valueAt = (data: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined), data);

const issueText = (issue: z.core.$ZodIssue, data: unknown): string => {
  if (issue.code !== 'custom' && valueAt(data, issue.path) === undefined) return 'is required';
  return issue.message.replace(/^Invalid (input|option): /, '');
};

/** The refusal of input that doesn't fit: each fault with the field it is in, never with the value. */
const validationProblem = (part: string, issues: readonly z.core.$ZodIssue[], data: unknown): ApiProblem => {
  const faults = issues.slice(0, maximumReportedIssues).map((issue) => `${issue.path.length > 0 ? issue.path.join('.') : part}: ${issueText(issue, data)}`);
  return new ApiProblem(400, faults.join('; '));
};

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** What a member of a query string says, where that isn't text: numbers in decimals, `null` where null is allowed. */
const parseQueryValue = (schema: z.ZodType, text: unknown): unknown => {
  if (typeof text !== 'string' || accepts(schema, text)) return text;
  if (text === 'null' && accepts(schema, null)) return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

const parseQuery = (schema: z.ZodType, query: unknown): unknown => {
  if (!(schema instanceof z.ZodObject)) return query;
  const members = Object.entries<z.ZodType>(schema.shape);
  const given = query as Record<string, unknown>;
  return Object.fromEntries(members.map(([name, member]) => [name, parseQueryValue(member, given[name])]));
};

interface RouteSchema {
  schema: z.ZodType;
  httpPart?: string;
}

/** Fastify's validator for the contract's schemas: `value` is what the handler gets, `error` what the caller is told. */
export const validatorCompiler = ({ schema, httpPart = 'body' }: RouteSchema) => (given: unknown): { value?: unknown; error?: Error } => {
  const data = httpPart === 'querystring' ? parseQuery(schema, given) : given;
  const { success, data: value, error } = schema.safeParse(data);
  return success ? { value } : { error: validationProblem(httpPart, error.issues, data) };
};
