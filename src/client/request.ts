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

/** The request of a call. An id of the request that can't stand in a header is left out. */
export const outgoingOf = (operation: AnyOperation, input: Input, credential: Credential, requestId = ''): Outgoing => {
  const { method, target, body } = toWire(operation, input);
  return {
    method,
    target,
    headers: {
      accept: 'application/json',
      authorization: `${credential.scheme} ${credential.value}`,
      'user-agent': 'infra-mcp',
      ...(/^[\x21-\x7e]+$/.test(requestId) && { 'x-request-id': requestId }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
};
