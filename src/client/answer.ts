import * as z from 'zod';
import { everyOrganization, isRecord, operations, parseJson, tolerant, type AnyOperation } from '../contract/index.ts';
import type { ApiFailure } from './errors.ts';
import { organizationIn } from './organization.ts';
import { isMarkup } from './safe-text.ts';
import type { RawResponse } from './transport.ts';

/** The body of a successful response, or why it can't be used. */
export type AnswerResult = { readonly answer: unknown; readonly failure?: undefined } | { readonly failure: ApiFailure };

const lenientSchemas = new WeakMap<AnyOperation, z.ZodType>();

const lenientSchemaOf = (operation: AnyOperation): z.ZodType => {
  const schema = lenientSchemas.get(operation) ?? tolerant(operation.response as z.ZodType);
  lenientSchemas.set(operation, schema);
  return schema;
};

/** Operations that some platforms answer with the record, others with a list that contains it. */
const listsOrRecords: readonly string[] = [operations.get_organization.name, everyOrganization.name];

const normalised = (operation: AnyOperation, body: unknown): unknown => {
  if (Array.isArray(body) && operation.response instanceof z.ZodObject && 'results' in operation.response.shape) return { results: body };
  return listsOrRecords.includes(operation.name) && isRecord(body) && !Array.isArray(body['results']) ? { ...body, results: [body] } : body;
};

/** The body with the members of the organization to use, if it is the answer about a token's organization. */
function withOrganization(operation: AnyOperation, body: unknown, choice: string | undefined): { readonly body: unknown; readonly failure?: ApiFailure } {
  if (operation.name !== operations.get_organization.name || !isRecord(body)) return { body };
  const result = organizationIn(body, choice);
  return result.failure ? { body, failure: result.failure } : { body: result.organization };
}

/** A path as written in code, such as `results[0].id`. */
const fieldName = (path: readonly PropertyKey[]): string =>
  path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('').replace(/^\./, '');

type Issue = z.core.$ZodIssue;

// Of a union, the branch with the fewest issues explains best what is wrong.
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

/** What is wrong with a response: the members of a failure that depend only on the body. */
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

// Only markup is quoted: broken JSON may contain values that must not be shown.
const notJson = (text: string): ContractViolation =>
  isMarkup(text) ? { reason: 'the answer is a page, not JSON', detail: text } : { reason: 'the answer is not JSON' };

const violationIn = (operation: AnyOperation, body: unknown): ContractViolation | undefined => {
  const issue = lenientSchemaOf(operation).safeParse(body).error?.issues[0];
  return issue && memberViolation(body, issue);
};

/**
 * Reads the body of a successful response. Unknown members are kept; GET /organization always gets both the record and
 * `results`. An empty body gives undefined, and is a failure for reads.
 * @param organization id or name of the organization to use, if the token has several.
 */
export function readAnswer(operation: AnyOperation, response: RawResponse, organization?: string): AnswerResult {
  const isRead = operation.method === 'GET';
  const failed = (violation: ContractViolation): AnswerResult => ({
    failure: { kind: 'bad_answer', status: response.status, next: isRead ? contractBroken : changeAccepted, ...violation },
  });
  if (!operation.response) return { answer: undefined };
  if (response.text.trim() === '') return isRead ? failed({ reason: 'the answer is empty' }) : { answer: undefined };
  const json = parseJson(response.text);
  if (json === undefined) return failed(notJson(response.text));
  const { body, failure } = withOrganization(operation, normalised(operation, json), organization);
  if (failure) return { failure };
  const violation = violationIn(operation, body);
  return violation ? failed(violation) : { answer: body };
}
