import * as z from 'zod';
import type { AnyOperation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { tolerant } from '../contract/tolerant.ts';
import type { Failure } from './errors.ts';
import { isObject, parseJson } from './json.ts';
import { isMarkup } from './safe-text.ts';
import type { Exchange } from './transport.ts';

/** A success that was read, or what is wrong with it. */
export type Reading = { readonly answer: unknown; readonly failure?: undefined } | { readonly failure: Failure };

const readers = new WeakMap<AnyOperation, z.ZodType>();

const readerOf = (operation: AnyOperation): z.ZodType => {
  const reader = readers.get(operation) ?? tolerant(operation.response as z.ZodType);
  readers.set(operation, reader);
  return reader;
};

// Some platforms answer the record, some a list of it: callers get both, side by side.
const recordAndResults = (body: unknown): unknown => {
  if (!isObject(body)) return body;
  if (Array.isArray(body['results'])) return isObject(body['results'][0]) ? { ...body['results'][0], ...body } : body;
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
const innermost = (issue: Issue): Issue => {
  if (issue.code !== 'invalid_union') return issue;
  const [nearest] = issue.errors.filter((branch) => branch.length > 0).toSorted((a, b) => a.length - b.length);
  const inner = nearest?.[0];
  return inner ? innermost({ ...inner, path: [...issue.path, ...inner.path] }) : issue;
};

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step], body);

const typeName = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const notTheContract = 'Calling again will hardly help: this platform does not keep to the contract here.';
const wasDone = 'The change was accepted, only its answer is of no use: read the present state instead of calling again.';

/** What is wrong with an answer; the part of a failure that depends on the body alone. */
type Flaw = Pick<Failure, 'reason' | 'field' | 'detail'>;

const wrongMember = (body: unknown, first: Issue): Flaw => {
  const issue = innermost(first);
  const field = fieldName(issue.path);
  const subject = field === '' ? 'the answer' : `"${field}" in the answer`;
  const found = valueAt(body, issue.path);
  if (found === undefined) return { reason: `${subject} is missing`, field };
  const expected = issue.code === 'invalid_type' ? `, not of type ${issue.expected}` : ', which the contract does not allow there';
  return { reason: `${subject} is of type ${typeName(found)}${expected}`, field };
};

// Only a page is quoted: broken JSON may hold values that must not show.
const notJson = (text: string): Flaw =>
  isMarkup(text) ? { reason: 'the answer is a page, not JSON', detail: text } : { reason: 'the answer is not JSON' };

const flawIn = (operation: AnyOperation, body: unknown): Flaw | undefined => {
  const issue = readerOf(operation).safeParse(body).error?.issues[0];
  return issue && wrongMember(body, issue);
};

/**
 * Reads the body of a success. It is given as it came, unknown members included; GET /organization always has both
 * the record and `results`. An empty body is undefined, which only a change may answer with.
 */
export function readAnswer(operation: AnyOperation, exchange: Exchange): Reading {
  const isRead = operation.method === 'GET';
  const failed = (flaw: Flaw): Reading => ({
    failure: { kind: 'bad_answer', status: exchange.status, next: isRead ? notTheContract : wasDone, ...flaw },
  });
  if (!operation.response) return { answer: undefined };
  if (exchange.text.trim() === '') return isRead ? failed({ reason: 'the answer is empty' }) : { answer: undefined };
  const json = parseJson(exchange.text);
  if (json === undefined) return failed(notJson(exchange.text));
  const body = normalised(operation, json);
  const flaw = flawIn(operation, body);
  return flaw ? failed(flaw) : { answer: body };
}
