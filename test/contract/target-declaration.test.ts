import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { type AnyOperation, inputShape, operation, parameterKind, snakeCase } from '../../src/contract/operation.ts';
import { allOperations, operations, kindPointedAt, reference, serviceKinds } from '../../src/contract/index.ts';

/** Operations whose path names no target: members do. */
const byMembers = allOperations.filter(({ targetBy }) => targetBy);
const changing = allOperations
  .filter((op) => op.effect !== 'read' && !byMembers.includes(op))
  .map((op): [string, AnyOperation] => [op.name, op]);
const named = allOperations.map((op): [string, AnyOperation] => [op.name, op]);

/** Members of query and body whose names may tell where something ends up. */
const telling = /^(mode|(cluster|environment|project)(_ids?)?|\w+_ids)$/;

const membersOf = (op: AnyOperation): string[] => [
  ...Object.keys(inputShape(op)).filter((name) => !(op.params as string[]).map(snakeCase).includes(name)),
  ...Object.keys(op.aliases),
];

describe('what an operation acts upon is declared', () => {
  test.each(changing)('%s says what it changes: what its path names, or the organization', (_, op) => {
    expect(['organization', ...(op.params as string[]).map(parameterKind)]).toContain(op.target);
  });

  test.each(named)('%s says what each of its members decides that may decide where something ends up', (_, op) => {
    const mute = membersOf(op).filter(
      (name) => telling.test(name) && !Object.hasOwn(op.roles, op.aliases[name] ?? name),
    );
    expect(mute).toEqual([]);
  });

  test.each(named)('%s says what it creates exactly where it answers 201', (_, op) => {
    expect(op.creates !== undefined).toBe(op.status === 201);
  });

  test('of all that there is, three carry out others, and each of those is aimed at its service', () => {
    const carrying = allOperations.filter(({ carriesOut }) => carriesOut);
    expect(carrying.map(({ name }) => name)).toEqual(['deploy_environment', 'deploy_services', 'delete_environment']);
    for (const { name, carriesOut } of carrying) {
      for (const kind of serviceKinds) {
        const part = (operations as Record<string, AnyOperation>)[carriesOut![kind]];
        expect(part, `${name}: ${kind}`).toMatchObject({ target: kind, params: [`${kind}Id`] });
        expect(part!.effect, `${name}: ${kind}`).not.toBe('read');
      }
    }
  });

  test('a variable at the path of all variables is of what two members name, as a new alert rule and a deployment window are', () => {
    expect(byMembers.map(({ name }) => name)).toEqual([
      'list_variables',
      'create_variable',
      'update_variable',
      'delete_variable',
      'override_variable',
      'create_alert_rule',
      'create_deployment_window',
      'delete_deployment_window',
    ]);
  });

  test('a change of what a project has reaches its environments', () => {
    const ofProject = changing
      .filter(([, { target, method }]) => target === 'project' && method !== 'GET')
      .map(([, op]) => op);
    const reaching = ofProject.filter(({ reachesEnvironments }) => reachesEnvironments).map(({ name }) => name);
    expect(reaching).toEqual([
      'update_variable_of_project',
      'create_variable_of_project',
      'create_secret_of_project',
      'update_secret_of_project',
      'delete_variable_of_project',
      'delete_secret_of_project',
      'update_project',
      'delete_project',
    ]);
    expect(ofProject.map(({ name }) => name).filter((name) => !reaching.includes(name))).toEqual([
      'create_environment',
    ]);
    // An alert rule watches no project.
    const ofVariables = byMembers.filter(({ creates }) => creates?.kind !== 'alert_rule');
    for (const op of ofVariables) if (op.effect !== 'read') expect(op.reachesEnvironments, op.name).toBe(true);
  });

  test('an environment to be has its mode and cluster from its body', () => {
    expect(operations.create_environment).toMatchObject({
      target: 'project',
      creates: { kind: 'environment', in: 'project' },
      roles: { mode: 'mode', cluster_id: { pointsAt: 'cluster' } },
    });
  });
});

const clone = {
  name: 'clone_environment',
  method: 'POST',
  path: '/environment/{environmentId}/clone',
  effect: 'write',
  summary: 'Clone an environment.',
} as const;
const cloned = { ...clone, target: 'environment', creates: { kind: 'environment', in: 'project' } } as const;
const mode = z.string().optional();
const roles = { mode: 'mode', project_id: { pointsAt: 'project' } } as const;

const bad: [string, () => unknown, RegExp][] = [
  ['a change without a target', () => operation({ ...clone }), /it changes something, and says no target/],
  [
    'a target that its path does not name',
    () => operation({ ...clone, target: 'project' }),
    /its target is of kind project, which its path doesn't name/,
  ],
  [
    'a target named by path and members',
    () => operation({ ...clone, target: 'environment', targetBy: { scope: 'scope', id: 'parent_id' } }),
    /its target is named twice/,
  ],
  [
    'the organization as target of what is done to something else',
    () => operation({ ...clone, target: 'organization' }),
    /its target is of kind organization/,
  ],
  ...[
    'mode',
    'cluster',
    'cluster_id',
    'environment_id',
    'project_id',
    'environment',
    'project',
    'environment_ids',
    'container_ids',
    'projectId',
    'target_mode',
    'environments',
    'destination_id',
    'organization_id',
    'service_id',
  ].map((name): [string, () => unknown, RegExp] => [
    `a body with a member "${name}" that says nothing`,
    () => operation({ ...clone, path: '/job/{jobId}/copy', target: 'job', body: z.object({ [name]: z.string() }) }),
    new RegExp(`what its member "${name}" decides`),
  ]),
  [
    'a mode inside of another member',
    () => operation({ ...cloned, roles: {}, body: z.object({ options: z.object({ mode }).optional() }) }),
    /its member "options.mode"/,
  ],
  [
    'an environment in each of a list',
    () =>
      operation({ ...cloned, roles: {}, body: z.object({ items: z.array(z.object({ environment_id: z.string() })) }) }),
    /its member "items.environment_id"/,
  ],
  [
    'a cluster in one of several shapes',
    () =>
      operation({
        ...cloned,
        roles: {},
        body: z.object({ where: z.union([z.string(), z.object({ cluster_id: z.string() })]) }),
      }),
    /its member "where.cluster_id"/,
  ],
  [
    'a query that says nothing of its mode',
    () => operation({ ...clone, target: 'environment', query: { mode } }),
    /its member "mode"/,
  ],
  [
    'a read with such a query',
    () => operation({ ...clone, method: 'GET', effect: 'read', query: { project_id: mode } }),
    /its member "project_id"/,
  ],
  [
    'another spelling of such a member',
    () =>
      operation({
        ...clone,
        target: 'environment',
        body: z.object({ place: z.string() }),
        aliases: { cluster: 'place' },
      }),
    /its member "cluster"/,
  ],
  [
    'a pointer under a name that tells nothing',
    () =>
      operation({ ...clone, target: 'environment', body: z.object({ there: reference('environment').optional() }) }),
    /its member "there"/,
  ],
  [
    'a pointer of another kind than it says',
    () =>
      operation({
        ...clone,
        target: 'environment',
        body: z.object({ there: reference('environment') }),
        roles: { there: { pointsAt: 'project' } },
      }),
    /"there" points at one of kind environment, and it says project/,
  ],
  [
    'a member that it does not have',
    () => operation({ ...clone, target: 'environment', roles: { mode: 'mode' } }),
    /"mode" decides, and has no such member/,
  ],
  [
    'something made that ends up nobody knows where',
    () => operation({ ...cloned, body: z.object({ mode }), roles: { mode: 'mode' } }),
    /ends up in one of kind project, which neither/,
  ],
  [
    'what is done to each service of what has none',
    () => operation({ ...clone, path: '/cluster/{clusterId}/clone', target: 'cluster', onEachService: true }),
    /its target is no environment/,
  ],
  [
    'a view of environments from one of them',
    () => operation({ ...clone, method: 'GET', effect: 'read', target: 'environment', showsEnvironments: true }),
    /does not read a project or an organization/,
  ],
  [
    'rows with places in the answer of a change',
    () => operation({ ...clone, target: 'environment', placedRows: { member: 'rows', are: 'events' } }),
    /rows that say where they belong/,
  ],
  [
    'parts on the services of what has none',
    () =>
      operation({
        ...clone,
        path: '/cluster/{clusterId}/clone',
        target: 'cluster',
        carriesOut: operations.deploy_environment.carriesOut,
      }),
    /its target is no environment/,
  ],
];

describe('an operation is refused where it is written for', () => {
  test.each(bad)('%s', (_, write, why) => {
    expect(write).toThrow(why);
  });

  test('and accepted once it says all of it', () => {
    expect(
      operation({ ...cloned, body: z.object({ mode, project_id: reference('project').optional() }), roles }),
    ).toMatchObject({ target: 'environment', status: 201 });
  });
});

test('what a member points at is seen through options and lists', () => {
  expect(kindPointedAt(z.array(reference('job')).optional())).toBe('job');
  expect(kindPointedAt(z.string().optional())).toBeUndefined();
});
