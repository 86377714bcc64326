import * as fc from 'fast-check';
import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import {
  type AnyOperation,
  effects,
  inputShape,
  operation,
  parameterKind,
  permissionLevels,
  snakeCase,
  toWire,
} from '../../src/contract/operation.ts';
import {
  allOperations,
  oneByOneOf,
  operations,
  redeployOf,
  isSecret,
  referenceKind,
} from '../../src/contract/index.ts';

const id = '11111111-1111-4111-8111-111111111111';
const named = allOperations.map((op): [string, AnyOperation] => [op.name, op]);

describe('every operation', () => {
  test.each(named)('%s has a short snake_case name, known effect and permission', (name, op) => {
    expect(operations).toHaveProperty(name, op);
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(name.length).toBeLessThanOrEqual(40);
    expect(effects).toContain(op.effect);
    expect(permissionLevels).toContain(op.permission);
    expect(op.effect === 'read').toBe(op.method === 'GET');
    expect(op.permission === 'read').toBe(op.method === 'GET');
  });

  const ofPeopleAndTokens = named.filter(
    ([, { path, method }]) => method !== 'GET' && /\/(?:member|inviteMember|apiToken|gitToken)(?:\/|$)/.test(path),
  );

  test('that changes who may do what is one of these', () => {
    expect(ofPeopleAndTokens.map(([name]) => name).toSorted()).toEqual([
      'create_api_token',
      'create_git_token',
      'delete_git_token',
      'invite_member',
      'remove_member',
      'revoke_api_token',
      'revoke_invitation',
      'update_git_token',
      'update_member_role',
    ]);
  });

  test.each(ofPeopleAndTokens)('%s is about people or tokens, and sensitive', (_, { effect, effectIfHidden }) => {
    expect([effect, effectIfHidden]).toEqual(['sensitive', 'sensitive']);
  });

  test.each(named)('%s finds its path ids in the flat input', (_, op) => {
    const shape = inputShape(op);
    for (const param of op.params as string[])
      expect(referenceKind(shape[snakeCase(param)]!)).toBe(parameterKind(param));
  });
});

test('names that a camelCase path and a snake_case input share', () => {
  expect(snakeCase('environmentVariableId')).toBe('environment_variable_id');
  expect(parameterKind('labelsGroupId')).toBe('labels_group');
});

describe('a member given twice is refused where it is written', () => {
  const definition: Parameters<typeof operation>[0] = {
    name: 'move_job',
    method: 'POST',
    path: '/job/{jobId}',
    effect: 'write',
    target: 'job',
    summary: 'Move a job.',
  };

  test.each([
    ['by path and body', { body: z.object({ job_id: z.string() }) }, 'job_id'],
    ['by query and body', { query: { pageSize: z.int() }, body: z.object({ page_size: z.int() }) }, 'page_size'],
    ['by path and query', { query: { jobId: z.string() } }, 'job_id'],
  ])('%s', (_, more, member) => {
    expect(() => operation({ ...definition, ...more })).toThrow(`move_job: "${member}" is given twice`);
  });

  test('and otherwise accepted', () => {
    expect(operation({ ...definition, body: z.object({ to: z.string() }) }).status).toBe(204);
  });
});

describe('the success code', () => {
  const definition = {
    name: 'do_it',
    method: 'POST',
    path: '/it',
    effect: 'write',
    target: 'organization',
    summary: 'Do it.',
  } as const;

  test.each([
    [
      '201 where something is created',
      { creates: { kind: 'project', in: 'organization' }, response: z.object({}) },
      201,
    ],
    ['200 where there is an answer', { response: z.object({}) }, 200],
    ['204 where there is none', {}, 204],
  ] as const)('%s', (_, more, status) => {
    expect(operation({ ...definition, ...more }).status).toBe(status);
  });
});

describe('toWire', () => {
  test('splits a flat input into path, query and body', () => {
    expect(
      toWire(operations.update_environment_variable, {
        environment_id: id,
        environment_variable_id: 'v',
        key: 'A',
        value: 'b',
      }),
    ).toEqual({ method: 'PUT', target: `/environment/${id}/environmentVariable/v`, body: { key: 'A', value: 'b' } });
    expect(toWire(operations.list_job_deployments, { job_id: id, page: 2, page_size: 5 })).toEqual({
      method: 'GET',
      target: `/job/${id}/deploymentHistoryV2?page=2&pageSize=5`,
    });
  });

  test('leaves out what is undefined, keeps null in bodies and not in queries', () => {
    expect(toWire(operations.list_job_deployments, { job_id: id, page: undefined, page_size: null }).target).toBe(
      `/job/${id}/deploymentHistoryV2`,
    );
    const edit = {
      environment_id: id,
      environment_variable_id: id,
      key: 'A',
      value: 'b',
      mount_path: null,
      description: undefined,
    };
    expect(toWire(operations.update_environment_variable, edit).body).toEqual({
      key: 'A',
      value: 'b',
      mount_path: null,
    });
  });

  test('sends no body where none of its members is given', () => {
    expect(toWire(operations.deploy_application, { application_id: id })).toEqual({
      method: 'POST',
      target: `/application/${id}/deploy`,
    });
  });

  test('sends no member the operation does not have', () => {
    expect(toWire(operations.create_project, { organization_id: id, name: 'shop', colour: 'red' }).body).toEqual({
      name: 'shop',
    });
  });

  test('an id can never leave its place in the path', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
        const { target } = toWire(operations.get_application_status, { application_id: text });
        const [, kind, given = '', last, ...more] = target.split('/');
        expect([kind, decodeURIComponent(given), last, more]).toEqual(['application', text, 'status', []]);
        expect(target).not.toMatch(/[?#]/);
      }),
    );
  });

  test.each([undefined, '', 7])('refuses the path id %s', (value) => {
    expect(() => toWire(operations.get_application_status, { application_id: value })).toThrow(
      '"application_id" is missing',
    );
  });

  test.each(named)('%s: every member of the flat input reaches the wire', (_, op) => {
    const shape = inputShape(op);
    const { target, body = {} } = toWire(
      op,
      Object.fromEntries(Object.keys(shape).map((name) => [name, `given-${name}`])),
    );
    for (const name of Object.keys(shape)) expect(target + JSON.stringify(body)).toContain(`given-${name}`);
  });
});

/** Paths of secret members at any depth. */
const secretsIn = (schema: unknown, path = ''): string[] => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return [...(isSecret(schema) ? [path] : []), ...secretsIn(schema.unwrap(), path)];
  }
  if (schema instanceof z.ZodObject)
    return [
      ...Object.entries<z.ZodType>(schema.shape),
      ...(schema.def.catchall ? [['*', schema.def.catchall] as const] : []),
    ].flatMap(([name, member]) => secretsIn(member, `${path}.${name}`));
  if (schema instanceof z.ZodArray) return secretsIn(schema.element, `${path}[]`);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => secretsIn(option, path));
  return schema instanceof z.ZodType && isSecret(schema) ? [path] : [];
};

test('what is done to several services can be done to one at a time, with the same permission and no graver effect', () => {
  const several = allOperations.filter(({ oneByOne }) => oneByOne);
  expect(several.map(({ name }) => name)).toEqual(['stop_services', 'deploy_services']);
  const order = ['read', 'write', 'disruptive', 'destructive'];
  for (const { oneByOne = {}, body, permission, effect } of several) {
    for (const [member, name] of Object.entries(oneByOne)) {
      expect(Object.keys(body!.shape)).toContain(member);
      const single = allOperations.find((one) => one.name === name)!;
      expect(single.permission).toBe(permission);
      expect(order.indexOf(single.effect)).toBeLessThanOrEqual(order.indexOf(effect));
      // What is listed without a version is deployed again, and never at the newest.
      expect(single.body === undefined || redeployOf(single, {}) !== undefined, single.name).toBe(true);
    }
  }
  const input = {
    environment_id: 'e',
    applications: [{ application_id: 'a', git_commit_id: 'abcdef0' }],
    containers: [{ id: 'c', image_tag: '2' }],
    databases: ['d'],
  };
  expect(oneByOneOf(operations.deploy_services, input)?.map((one) => [one.operation.name, one.input])).toEqual([
    ['deploy_database', { database_id: 'd' }],
    ['deploy_container', { container_id: 'c', image_tag: '2' }],
    ['deploy_application', { application_id: 'a', git_commit_id: 'abcdef0' }],
  ]);
  const unversioned = {
    environment_id: 'e',
    databases: ['d'],
    applications: [{ application_id: 'a' }],
    containers: [{ id: 'c' }],
    helms: [{ id: 'h' }, { id: 'g', chart_version: '1.0.0' }],
  };
  expect(oneByOneOf(operations.deploy_services, unversioned)?.map((one) => [one.operation.name, one.input])).toEqual([
    ['deploy_database', { database_id: 'd' }],
    ['redeploy_container', { container_id: 'c' }],
    ['redeploy_application', { application_id: 'a' }],
    ['redeploy_helm', { helm_id: 'h' }],
    ['deploy_helm', { helm_id: 'g', chart_version: '1.0.0' }],
  ]);
  // Terraform can't be stopped by itself.
  expect(
    oneByOneOf(operations.stop_services, { environment_id: 'e', job_ids: ['j'], terraform_ids: ['t'] }),
  ).toBeUndefined();
});

test('a deployment without a version has a redeployment of the same effect on the same target', () => {
  const ids = { application_id: id, container_id: id, helm_id: id, job_id: id };
  const pairs = allOperations.flatMap((op) => (redeployOf(op, ids) ? [[op, redeployOf(op, ids)!] as const] : []));
  expect(pairs.map(([deploy, redeploy]) => [deploy.name, redeploy.name])).toEqual(
    ['application', 'container', 'helm', 'job'].map((kind) => [`deploy_${kind}`, `redeploy_${kind}`]),
  );
  for (const [deploy, redeploy] of pairs)
    for (const member of ['effect', 'permission', 'target', 'params'] as const)
      expect(redeploy[member]).toEqual(deploy[member]);
  expect(redeployOf(operations.deploy_application, { ...ids, git_commit_id: 'abcdef0' })).toBeUndefined();
});

describe('secrets', () => {
  test('are marked where requests carry them', () => {
    const marked = allOperations.flatMap((op) => secretsIn(op.body).map((path) => `${op.name}${path}`));
    expect(marked).toEqual([
      'create_application.autoscaling.scalers[].trigger_authentication.config_yaml',
      'create_secret.value',
      'update_container.autoscaling.scalers[].trigger_authentication.config_yaml',
      'create_helm_repository.config.password',
      'create_helm_repository.config.secret_access_key',
      'create_helm_repository.config.vendor_secret_key',
      'create_helm_repository.config.*',
      'create_webhook.target_secret',
      'create_secret_of_container.value',
      'create_secret_of_job.value',
      'create_secret_of_environment.value',
      'create_secret_of_project.value',
      ...['application', 'container', 'job', 'environment', 'project'].map((kind) => `update_secret_of_${kind}.value`),
      'update_webhook.target_secret',
      ...['create', 'update'].flatMap((verb) =>
        ['webhook_url', 'auth_password'].map((name) => `${verb}_alert_receiver.${name}`),
      ),
      ...['webhook_url', 'auth_password'].map((name) => `test_new_alert_receiver.alert_receiver.${name}`),
      ...['create', 'update'].flatMap((verb) =>
        ['password', 'secret_access_key', 'vendor_secret_key', '*'].map(
          (name) => `${verb}_container_registry.config.${name}`,
        ),
      ),
      ...['password', 'secret_access_key', 'vendor_secret_key', '*'].map(
        (name) => `update_helm_repository.config.${name}`,
      ),
      'create_git_token.token',
      'update_git_token.token',
      'update_application.autoscaling.scalers[].trigger_authentication.config_yaml',
      'create_container.autoscaling.scalers[].trigger_authentication.config_yaml',
      ...['create_terraform', 'update_terraform'].map((name) => `${name}.terraform_variables_source.tf_vars[].value`),
    ]);
  });

  test('are in no answer but where the document shows the member', () => {
    const marked = allOperations.flatMap((op) => secretsIn(op.response));
    expect([...new Set(marked.map((path) => path.replace('.results[]', '')))]).toEqual([
      '.autoscaling.scalers[].trigger_authentication.config_yaml',
      '.config.*',
      // Shown this once.
      '.token',
    ]);
  });
});

test('deployment windows refuse what deploys, restarts, stops, restores or deletes what runs', () => {
  const refused = allOperations.filter(({ changesWhatRuns }) => changesWhatRuns).map(({ name }) => name);
  const kinds = ['application', 'container', 'database', 'job', 'helm', 'terraform'];
  expect(refused.toSorted()).toEqual(
    [
      ...[...kinds.filter((kind) => kind !== 'terraform'), 'environment', 'services'].map((what) => `deploy_${what}`),
      ...['application', 'container', 'helm', 'job', 'terraform'].map((kind) => `redeploy_${kind}`),
      ...[...kinds.filter((kind) => kind !== 'terraform'), 'environment', 'services'].map((what) => `stop_${what}`),
      ...[...kinds, 'environment'].map((what) => `delete_${what}`),
      'restart_services',
      'restore_database',
    ].toSorted(),
  );
});
