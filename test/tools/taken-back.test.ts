import { describe, expect, test } from 'vitest';
import { type AnyOperation, allOperations, type OperationName } from '../../src/contract/index.ts';
import { tools } from '../../tools/index.ts';

const named = new Map<string, AnyOperation>(allOperations.map((operation) => [operation.name, operation]));

/**
 * What takes back what an operation makes, where it is not the deletion that is called as the creation is. Overrides of
 * variables are variables.
 */
const takesBack: Partial<Record<OperationName, OperationName>> = {
  create_environment_variable: 'delete_variable_of_application',
  create_secret: 'delete_secret_of_application',
  override_environment_variable: 'delete_variable_of_container',
  override_variable: 'delete_variable',
  invite_member: 'revoke_invitation',
  create_api_token: 'revoke_api_token',
  clone_environment: 'delete_environment',
  // What isn't made, but lasts until somebody ends it.
  lock_cluster: 'unlock_cluster',
  silence_alert_rule: 'unsilence_alert_rule',
  set_environment_end: 'unset_environment_end',
  run_job: 'cancel_job_run',
};

const endOf = (name: string): string => takesBack[name as OperationName] ?? name.replace(/^create_/, 'delete_');

const makes = ({ name, method, status }: AnyOperation): boolean =>
  (method === 'POST' && status === 201) || Object.hasOwn(takesBack, name);

const making = allOperations.filter((operation: AnyOperation) => makes(operation)) as readonly AnyOperation[];

describe('what is made can be taken back:', () => {
  test.each(making)('$name has an operation for it', ({ name }) => {
    expect(endOf(name)).not.toBe(name);
    expect(named.has(endOf(name)), endOf(name)).toBe(true);
  });

  const made = tools.flatMap((tool) =>
    tool.operations.filter(makes).map((operation) => ({ tool: tool.name, operation: operation.name })),
  );

  test.each(made)('$tool, which carries out $operation, has a tool for it', ({ operation }) => {
    expect(tools.filter((tool) => tool.operations.some(({ name }) => name === endOf(operation)))).not.toEqual([]);
  });
});

/** The read that shows what an operation makes, where it is not at its path or above the path of its end. */
const shows: Partial<Record<OperationName, OperationName>> = { lock_cluster: 'list_cluster_locks' };

function shownBy({ path, name }: AnyOperation): readonly AnyOperation[] {
  const end = named.get(endOf(name))!;
  return allOperations.filter(
    (one) =>
      one.name === shows[name as OperationName] ||
      (one.method === 'GET' && (one.path === path || one.path === end.path || end.path.startsWith(`${one.path}/`))),
  );
}

test.each(making)('what $name makes can be seen', (operation) => {
  expect(shownBy(operation)).not.toEqual([]);
});
