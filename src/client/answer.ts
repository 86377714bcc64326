import * as z from 'zod';
import {
  everyOrganization,
  isRecord,
  operations,
  parseJson,
  tolerant,
  type AnyOperation,
  type DeploymentState,
  recordsIn,
  isDateTime,
  isoTime,
} from '../contract/index.ts';
import { logLinesIn } from './environment-log.ts';
import type { ApiFailure } from './errors.ts';
import { organizationIn } from './organization.ts';
import { isMarkup } from './safe-text.ts';
import type { RawResponse } from './transport.ts';
import { nearestIssue, readableParts, valueAt, type SchemaIssue } from './unreadable-parts.ts';

/**
 * A body with times that are numbers, of seconds or milliseconds, as text: the contract's times are text. Numbers that
 * are no times stay.
 */
function withTimesAsText(schema: z.ZodType, body: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return withTimesAsText(schema.unwrap() as z.ZodType, body);
  if (schema instanceof z.ZodUnion)
    return schema.options.reduce<unknown>((read, option) => withTimesAsText(option as z.ZodType, read), body);
  if (typeof body === 'number') return isDateTime(schema) ? (isoTime(body) ?? body) : body;
  if (Array.isArray(body))
    return schema instanceof z.ZodArray
      ? body.map((item: unknown) => withTimesAsText(schema.element as z.ZodType, item))
      : body;
  if (!isRecord(body) || !(schema instanceof z.ZodObject)) return body;
  const members = schema.shape as Readonly<Record<string, z.ZodType>>;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const member = Object.hasOwn(members, name) ? members[name] : undefined;
      return [name, member ? withTimesAsText(member, value) : value];
    }),
  );
}

type Row = Readonly<Record<string, unknown>>;

/** The image of a deployment whose details contain the image name and tag directly. */
function imageIn(details: unknown): Row | undefined {
  if (!isRecord(details) || isRecord(details['image']) || typeof details['image_name'] !== 'string') return undefined;
  return { details: { ...details, image: { image_name: details['image_name'], tag: details['tag'] } } };
}

/** The details of a deployment with the schedule of a cron job under its name in the contract. */
function detailsIn(details: unknown): unknown {
  const schedule = isRecord(details) ? details['schedule'] : undefined;
  return isRecord(details) && isRecord(schedule) && isRecord(schedule['cron_job'])
    ? { ...details, schedule: { cronjob: schedule['cron_job'], ...schedule } }
    : details;
}

/** A service of a deployment, with its id, name and kind from the row itself or its identifier, and its version. */
function serviceOf({ identifier, ...row }: Row): Row {
  const { service_id, name, service_type } = isRecord(identifier) ? identifier : {};
  return {
    service_id: row['service_id'] ?? service_id,
    name: row['name'] ?? name,
    service_type: row['service_type'] ?? service_type,
    status: row['status'],
    details: imageIn(row['details'])?.['details'] ?? row['details'],
  };
}

/**
 * The services of an environment's deployment, if they are history rows themselves, listed next to it or in its stages.
 */
function servicesIn({ services, stages }: Row): Row | undefined {
  const beside = recordsIn(services);
  if (beside.some(({ identifier }) => isRecord(identifier))) return { services: beside.map(serviceOf) };
  if (Array.isArray(services) || !Array.isArray(stages)) return undefined;
  return { services: recordsIn(stages).flatMap((stage) => recordsIn(stage['services']).map(serviceOf)) };
}

/** The requested action and its status, if they are next to the deployment's status. */
function actionIn({ status_details: details, trigger_action: action, action_status: status }: Row): Row | undefined {
  return isRecord(details) || typeof action !== 'string' ? undefined : { status_details: { action, status } };
}

/** The rows of a deployment history in one shape, with everything that they had before. */
const historyRowsIn = (rows: readonly unknown[]): unknown[] =>
  rows.map((row) => {
    if (!isRecord(row)) return row;
    const details = detailsIn(row['details']);
    return {
      ...row,
      ...(details !== undefined && { details }),
      ...imageIn(details),
      ...servicesIn(row),
      ...actionIn(row),
    };
  });

/** An alert rule with the kind of its target trimmed: some platforms write one of the kinds with a leading space. */
function withTrimmedTarget(row: unknown): unknown {
  const target = isRecord(row) ? row['target'] : undefined;
  const type = isRecord(target) ? target['target_type'] : undefined;
  return isRecord(row) && isRecord(target) && typeof type === 'string'
    ? { ...row, target: { ...target, target_type: type.trim() } }
    : row;
}

/**
 * The body of a successful response, or why it can't be used. `responseIssue`: the fault of a body of which only the
 * readable parts are the answer.
 */
type AnswerResult =
  | { readonly answer: unknown; readonly responseIssue?: ApiFailure; readonly failure?: undefined }
  | { readonly failure: ApiFailure; readonly responseIssue?: undefined };

const lenientSchemas = new WeakMap<AnyOperation, z.ZodType>();

const lenientSchemaOf = (operation: AnyOperation): z.ZodType => {
  const schema = lenientSchemas.get(operation) ?? tolerant(operation.response as z.ZodType);
  lenientSchemas.set(operation, schema);
  return schema;
};

/** Operations that some platforms answer with the record, others with a list that contains it. */
const listsOrRecords: readonly string[] = [operations.get_organization.name, everyOrganization.name];

// The rows of these lists differ between platforms: callers get them as in the contract.
const rowsInOneShape = (operation: AnyOperation): ((rows: readonly unknown[]) => unknown[]) | undefined => {
  if (operation.name === operations.get_environment_logs.name) return logLinesIn;
  if (operation.name === operations.list_alert_rules.name) return (rows) => rows.map(withTrimmedTarget);
  return Object.hasOwn(operation.query as object, 'pageSize') ? historyRowsIn : undefined;
};

/** The status of an application says RUNNING where all other responses say DEPLOYED: callers get one word. */
const withCommonState = (body: unknown): unknown =>
  isRecord(body) && body['state'] === 'RUNNING' ? { ...body, state: 'DEPLOYED' satisfies DeploymentState } : body;

const normalised = (operation: AnyOperation, body: unknown): unknown => {
  if (operation.name === operations.get_application_status.name) return withCommonState(body);
  const isList =
    Array.isArray(body) && operation.response instanceof z.ZodObject && 'results' in operation.response.shape;
  const answer = isList ? { results: body as unknown[] } : body;
  if (listsOrRecords.includes(operation.name))
    return isRecord(answer) && !Array.isArray(answer['results']) ? { ...answer, results: [answer] } : answer;
  if (operation.name === operations.get_alert_rule.name) return withTrimmedTarget(answer);
  const inOneShape = rowsInOneShape(operation);
  return inOneShape && isRecord(answer) && Array.isArray(answer['results'])
    ? { ...answer, results: inOneShape(answer['results']) }
    : answer;
};

/** The body with the members of the organization to use, if it is the response about a token's organization. */
function withOrganization(
  operation: AnyOperation,
  body: unknown,
  choice: string | undefined,
): { readonly body: unknown; readonly failure?: ApiFailure } {
  if (operation.name !== operations.get_organization.name || !isRecord(body)) return { body };
  const result = organizationIn(body, choice);
  return result.failure ? { body, failure: result.failure } : { body: result.organization };
}

/** A path as written in code, such as `results[0].id`. */
const fieldName = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');

const typeName = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const contractBroken = 'Calling again will hardly help: this platform does not keep to the contract here.';
const changeAccepted =
  'The change was accepted, only its answer is of no use: read the present state instead of calling again.';

/** The fault of a response: the members of a failure that depend only on the body. */
type ContractViolation = Pick<ApiFailure, 'reason' | 'field' | 'detail' | 'rowsLost'>;

const memberViolation = (body: unknown, first: SchemaIssue): ContractViolation => {
  const issue = nearestIssue(first);
  const field = fieldName(issue.path);
  const subject = field === '' ? 'the answer' : `"${field}" in the answer`;
  const found = valueAt(body, issue.path);
  if (found === undefined) return { reason: `${subject} is missing`, field };
  const expected =
    issue.code === 'invalid_type' ? `, not of type ${issue.expected}` : ', which the contract does not allow there';
  return { reason: `${subject} is of type ${typeName(found)}${expected}`, field };
};

// Only markup is quoted: broken JSON may contain values that must not be shown.
const notJson = (text: string): ContractViolation =>
  isMarkup(text) ? { reason: 'the answer is a page, not JSON', detail: text } : { reason: 'the answer is not JSON' };

/** Members that identify a row, and decide where it belongs. */
const identifying: readonly PropertyKey[] = ['id', 'name', 'key', 'service_type'];

/** Whether a violation concerns a row as a whole, or a member that identifies a row or the record. */
const losesRow = (issue: SchemaIssue): boolean => {
  const { path } = nearestIssue(issue);
  const [parent, last] = [path.at(-2), path.at(-1)];
  if (last === undefined || typeof last === 'number') return true;
  return (typeof parent === 'number' && identifying.includes(last)) || (path.length === 1 && last === 'id');
};

const issueIn = (operation: AnyOperation, body: unknown): SchemaIssue | undefined =>
  lenientSchemaOf(operation).safeParse(body).error?.issues[0];

/** Whether a body only lacks something: an answer may be empty, null or without ids. */
const isIncomplete = (body: unknown, issue: SchemaIssue): boolean =>
  (valueAt(body, nearestIssue(issue).path) ?? undefined) === undefined;

const violationIn = (operation: AnyOperation, body: unknown): ContractViolation | undefined => {
  const issues = lenientSchemaOf(operation).safeParse(body).error?.issues;
  return issues?.[0] && { ...memberViolation(body, issues[0]), ...(issues.some(losesRow) && { rowsLost: true }) };
};

/** The member of a list response that contains its rows, and those that may accompany it. */
const rowsMember = 'results';
const pagingMembers = ['pagination', 'page', 'page_size'];

const isList = ({ response }: AnyOperation): boolean =>
  response instanceof z.ZodObject &&
  rowsMember in response.shape &&
  Object.keys(response.shape).every((name) => name === rowsMember || pagingMembers.includes(name));

/** Why an answer is unusable: it lacks the rows of the requested list, or every member of the requested record. */
function missingSubject(operation: AnyOperation, body: unknown): ContractViolation | undefined {
  if (body === undefined) return { reason: 'the answer can not be read' };
  if (operation.method !== 'GET' || !isRecord(body)) return undefined;
  if (isList(operation) && !(rowsMember in body))
    return { reason: `"${rowsMember}" in the answer is missing`, field: rowsMember };
  return operation.response instanceof z.ZodObject && Object.keys(body).length === 0
    ? { reason: 'the answer is empty' }
    : undefined;
}

/** A list with null instead of rows, as some platforms return an empty one, and the violation in it. */
const withoutNullRows = (operation: AnyOperation, body: unknown): { body: unknown; violation?: ContractViolation } =>
  isList(operation) && isRecord(body) && body[rowsMember] === null
    ? {
        body: { ...body, [rowsMember]: [] },
        violation: { reason: `"${rowsMember}" in the answer is null, not a list`, field: rowsMember, rowsLost: true },
      }
    : { body };

/**
 * Reads the body of a successful response. Unknown members are kept; GET /organization always gets both the record and
 * `results`. An empty body gives undefined, and is a failure for reads. The response to a change may lack everything:
 * its status says that the change was accepted.
 * @param options.organization id or name of the organization to use, if the token has several.
 * @param options.inParts whether the readable parts of a body that violates the contract are an answer, unless the
 *   requested rows or record are missing. Without it every violation is a failure.
 */
export function readAnswer(
  operation: AnyOperation,
  response: RawResponse,
  { inParts = false, organization }: { readonly inParts?: boolean; readonly organization?: string } = {},
): AnswerResult {
  const isRead = operation.method === 'GET';
  const failureOf = (violation: ContractViolation): ApiFailure => ({
    kind: 'bad_answer',
    status: response.status,
    next: isRead ? contractBroken : changeAccepted,
    ...violation,
  });
  // A change that was accepted is done, whatever the response contains.
  const unreadable = (violation: ContractViolation): AnswerResult =>
    inParts && !isRead ? { answer: undefined, responseIssue: failureOf(violation) } : { failure: failureOf(violation) };
  if (!operation.response) return { answer: undefined };
  if (response.text.trim() === '')
    return isRead ? unreadable({ reason: 'the answer is empty' }) : { answer: undefined };
  const json = parseJson(response.text);
  if (json === undefined) return unreadable(notJson(response.text));
  const received = normalised(operation, json);
  const first = issueIn(operation, received);
  const read = first ? withTimesAsText(operation.response, received) : received;
  const { body: whole, failure } = withOrganization(operation, read, organization);
  if (failure) return { failure };
  // Most answers keep to the contract: those are checked once.
  const isChecked = first === undefined && whole === received;
  const issue = isRead || isChecked ? undefined : issueIn(operation, whole);
  if (issue && isIncomplete(whole, issue)) return { answer: whole ?? undefined };
  const violation = isChecked ? undefined : violationIn(operation, whole);
  if (!inParts) return violation ? unreadable(violation) : { answer: whole };

  const { body, violation: ofRows } = withoutNullRows(
    operation,
    violation ? readableParts(lenientSchemaOf(operation), whole) : whole,
  );
  const missing = missingSubject(operation, body);
  if (missing) return unreadable(violation ?? missing);
  const responseIssue = violation ?? ofRows;
  return { answer: body, ...(responseIssue && { responseIssue: failureOf(responseIssue) }) };
}
