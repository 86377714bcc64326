import * as z from 'zod';
import { isSecret, snakeCase, toWire, Uuid, type AnyOperation } from '../contract/index.ts';
import type { Credential } from './credential.ts';
import type { ApiFailure } from './errors.ts';
import type { OutgoingRequest } from './transport.ts';

/** The contract's flat input: path, query and body members in one object, in snake_case. */
export type OperationInput = Readonly<Record<string, unknown>>;

/** The failure of an input with an invalid id. Ids become part of the path, so only UUIDs are accepted. */
export const invalidIdFailure = (operation: AnyOperation, input: OperationInput): ApiFailure | undefined => {
  const names: string[] = operation.params.map(snakeCase);
  const invalid = names.find((name) => !Uuid.safeParse(input[name]).success);
  return invalid === undefined
    ? undefined
    : { kind: 'invalid_input', reason: `${invalid} must be a uuid`, next: 'List what exists to find the right id.' };
};

/** The trace that a call is part of, in the format of W3C Trace Context. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The parts of a request besides the input of its operation. */
export interface RequestExtras {
  /** Sent in a header, as the trace is. */
  readonly requestId?: string;
  readonly trace?: Trace;
  /** Members of the body that the contract doesn't have. */
  readonly carried?: OperationInput;
}

const traceparentFormat = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** The headers of a trace; none if it is malformed. */
export const traceHeaders = ({ traceparent, tracestate = '' }: Trace): Record<string, string> => ({
  ...(traceparentFormat.test(traceparent) && {
    traceparent,
    ...(/^[\x20-\x7e]{1,512}$/.test(tracestate) && { tracestate }),
  }),
});

/** Builds the HTTP request of a call. Tags that aren't valid in a header are omitted. */
export const buildRequest = (
  operation: AnyOperation,
  input: OperationInput,
  credential: Credential,
  { requestId = '', trace, carried }: RequestExtras = {},
): OutgoingRequest => {
  const { method, target, body } = toWire(operation, input, carried);
  return {
    method,
    target,
    headers: {
      accept: 'application/json',
      authorization: `${credential.scheme} ${credential.value}`,
      'user-agent': 'infra-mcp',
      ...(/^[\x21-\x7e]+$/.test(requestId) && { 'x-request-id': requestId }),
      ...(trace && traceHeaders(trace)),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
};

const secretsInMembers = (members: Readonly<Record<string, z.ZodType>>, values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    Object.hasOwn(members, name) ? secretsIn(members[name], value) : [],
  );

function secretsIn(schema: z.ZodType | undefined, value: unknown): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return secretsIn(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((item) => secretsIn(schema.element as z.ZodType, item));
  if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null) {
    const { catchall } = schema.def;
    const others = catchall ? Object.entries(value).filter(([name]) => !Object.hasOwn(schema.shape, name)) : [];
    return [
      ...secretsInMembers(schema.shape, value),
      ...others.flatMap(([, member]) => secretsIn(catchall as z.ZodType, member)),
    ];
  }
  if (schema instanceof z.ZodRecord && typeof value === 'object' && value !== null) {
    return Object.values(value).flatMap((member) => secretsIn(schema.valueType as z.ZodType, member));
  }
  return schema && isSecret(schema) && typeof value === 'string' ? [value] : [];
}

/** The values in an input that the contract marks as secret. A server may echo them in its errors. */
export const secretsOf = (operation: AnyOperation, input: unknown): string[] =>
  secretsIn(operation.body as z.ZodType | undefined, input);
