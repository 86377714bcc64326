import * as z from 'zod';
import { ApiProblem } from './problem.ts';

// More than anybody reads; the rest shows when these are mended.
const reportedIssues = 5;

const valueAt = (data: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined), data);

const textOf = (issue: z.core.$ZodIssue, data: unknown): string => {
  if (issue.code !== 'custom' && valueAt(data, issue.path) === undefined) return 'is required';
  return issue.message.replace(/^Invalid (input|option): /, '');
};

/** The refusal of input that doesn't fit: each fault with the field it is in, never with the value. */
const problem = (part: string, issues: readonly z.core.$ZodIssue[], data: unknown): ApiProblem => {
  const faults = issues.slice(0, reportedIssues).map((issue) => `${issue.path.length > 0 ? issue.path.join('.') : part}: ${textOf(issue, data)}`);
  return new ApiProblem(400, faults.join('; '));
};

const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** What a member of a query string says, where that isn't text: numbers in decimals, `null` where null is allowed. */
const written = (schema: z.ZodType, text: unknown): unknown => {
  if (typeof text !== 'string' || takes(schema, text)) return text;
  if (text === 'null' && takes(schema, null)) return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
};

const readQuery = (schema: z.ZodType, query: unknown): unknown => {
  if (!(schema instanceof z.ZodObject)) return query;
  const members = Object.entries<z.ZodType>(schema.shape);
  const given = query as Record<string, unknown>;
  return Object.fromEntries(members.map(([name, member]) => [name, written(member, given[name])]));
};

interface RouteSchema {
  schema: z.ZodType;
  httpPart?: string;
}

/** Fastify's validator for the contract's schemas: `value` is what the handler gets, `error` what the caller is told. */
export const validatorCompiler = ({ schema, httpPart = 'body' }: RouteSchema) => (given: unknown): { value?: unknown; error?: Error } => {
  const data = httpPart === 'querystring' ? readQuery(schema, given) : given;
  const { success, data: value, error } = schema.safeParse(data);
  return success ? { value } : { error: problem(httpPart, error.issues, data) };
};
