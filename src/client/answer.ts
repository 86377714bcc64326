import * as z from 'zod';
import type { AnyOperation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { tolerant } from '../contract/tolerant.ts';
import type { ApiFailure } from './errors.ts';
import { isRecord, parseJson } from '../contract/json.ts';
import { isMarkup } from './safe-text.ts';
import type { RawResponse } from './transport.ts';

/** A success that was read, or what is wrong with it. */
export type AnswerResult = { readonly answer: unknown; readonly failure?: undefined } | { readonly failure: ApiFailure };

const lenientSchemas = new WeakMap<AnyOperation, z.ZodType>();

const lenientSchemaOf = (operation: AnyOperation): z.ZodType => {
  const reader = lenientSchemas.get(operation) ?? tolerant(operation.response as z.ZodType);
  lenientSchemas.set(operation, reader);
  return reader;
};

// Some platforms answer the record, some a list of it: callers get both, side by side.
const recordAndResults = (body: unknown): unknown => {
  if (!isRecord(body)) return body;
  if (Array.isArray(body['results'])) return isRecord(body['results'][0]) ? { ...body['results'][0], ...body } : body;
  return { ...body, results: [body] };
};

const normalised = (operation: AnyOperation, body: unknown): unknown => {
  if (Array.isArray(body) && operation.response instanceof z.ZodObject && 'results' in operation.response.shape) return { results: body };
  return operation.name === operations.get_organization.name ? recordAndResults(body) : body;
};

/** `results[0].id`, as one would write it in code. */
const fieldName = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('').replace(/^\./, '');

type Issue = z.core.$ZodIssue;

// Of a choice between shapes, the one that comes nearest tells best what is wrong.
const nearestIssue = (issue: Issue): Issue => {
  if (issue.code !== 'invalid_union') return issue;
  const [nearest] = issue.errors.filter((branch) => branch.length > 0).toSorted((a, b) => a.length - b.length);
  const inner = nearest?.[0];
  return inner ? nearestIssue({ ...inner, path: [...issue.path, ...inner.path] }) : issue;
};

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step], body);

const typeName = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const contractBroken = 'Calling again will hardly help: this platform does not keep to the contract here.';
const changeAccepted = 'The change was accepted, only its answer is of no use: read the present state instead of calling again.';

/** What is wrong with an answer; the part of a failure that depends on the body alone. */
type ContractViolation = Pick<ApiFailure, 'reason' | 'field' | 'detail'>;

const memberViolation = (body: unknown, first: Issue): ContractViolation => {
  const issue = nearestIssue(first);
  const field = fieldName(issue.path);
  const subject = field === '' ? 'the answer' : `"${field}" in the answer`;
  const found = valueAt(body, issue.path);
  if (found === undefined) return { reason: `${subject} is missing`, field };
  const expected = issue.code === 'invalid_type' ? `, not of type ${issue.expected}` : ', which the contract does not allow there';
  return { reason: `${subject} is of type ${typeName(found)}${expected}`, field };
};

// Only a page is quoted: broken JSON may hold values that must not show.
const notJson = (text: string): ContractViolation =>
  isMarkup(text) ? { reason: 'the answer is a page, not JSON', detail: text } : { reason: 'the answer is not JSON' };

const violationIn = (operation: AnyOperation, body: unknown): ContractViolation | undefined => {
  const issue = lenientSchemaOf(operation).safeParse(body).error?.issues[0];
  return issue && memberViolation(body, issue);
};

/**
 * Reads the body of a success. It is given as it came, unknown members included; GET /organization always has both
 * the record and `results`. An empty body is undefined, which only a change may answer with.
 */
export function readAnswer(operation: AnyOperation, exchange: RawResponse): AnswerResult {
  const isRead = operation.method === 'GET';
  const failed = (flaw: ContractViolation): AnswerResult => ({
    failure: { kind: 'bad_answer', status: exchange.status, next: isRead ? contractBroken : changeAccepted, ...flaw },
  });
  if (!operation.response) return { answer: undefined };
  if (exchange.text.trim() === '') return isRead ? failed({ reason: 'the answer is empty' }) : { answer: undefined };
  const json = parseJson(exchange.text);
  if (json === undefined) return failed(notJson(exchange.text));
  const body = normalised(operation, json);
  const flaw = violationIn(operation, body);
  return flaw ? failed(flaw) : { answer: body };
}
