import { snakeCase, toWire, type AnyOperation } from '../contract/operation.ts';
import { Uuid } from '../contract/primitives.ts';
import type { Credential } from './credential.ts';
import type { Failure } from './errors.ts';
import type { Outgoing } from './transport.ts';

/** The contract's flat input: path, query and body members side by side, in snake_case. */
export type Input = Readonly<Record<string, unknown>>;

/** What is wrong with an id of the input. Ids go into the path, so nothing but a uuid is let through. */
export const wrongId = (operation: AnyOperation, input: Input): Failure | undefined => {
  const names: string[] = operation.params.map(snakeCase);
  const wrong = names.find((name) => !Uuid.safeParse(input[name]).success);
  return wrong === undefined ? undefined : { kind: 'invalid_input', reason: `${wrong} must be a uuid`, next: 'List what exists to find the right id.' };
};

/** The trace that a call is part of, as W3C Trace Context writes it. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** What goes along with a request. */
export interface Tags {
  readonly requestId?: string;
  readonly trace?: Trace;
}

const traceparentForm = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Headers of a trace; none where it isn't written as it should. */
const traceHeaders = ({ traceparent, tracestate = '' }: Trace): Record<string, string> => ({
  ...(traceparentForm.test(traceparent) && { traceparent, ...(/^[\x20-\x7e]{1,512}$/.test(tracestate) && { tracestate }) }),
});

/** The request of a call. A tag that can't stand in a header is left out. */
export const outgoingOf = (operation: AnyOperation, input: Input, credential: Credential, { requestId = '', trace }: Tags = {}): Outgoing => {
  const { method, target, body } = toWire(operation, input);
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
