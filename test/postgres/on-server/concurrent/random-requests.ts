import * as fc from 'fast-check';
import type { OperationName } from '../../../../src/contract/index.ts';
import type { Json } from '../../../support/test-platform.ts';
import type { Answer } from './shared-platforms.ts';

/** The ids that requests choose from. Those of what was deleted stay among them. */
export interface Known {
  readonly organization: string;
  readonly registry: string;
  readonly clusters: readonly string[];
  readonly projects: string[];
  readonly environments: string[];
  readonly containers: string[];
  readonly variables: string[];
}

/** Numbers that decide what a request names: of a few things, so that requests meet. */
type Choices = readonly number[];
export interface RandomRequest {
  readonly kind: keyof typeof requests;
  readonly choices: Choices;
}

const pick = <Value>(values: readonly Value[], choice: number): Value => values[choice % values.length]!;
const recent = (values: readonly string[], choice: number): string => pick(values.slice(-4), choice);

const names = ['a', 'A', 'b'];
const shape = (registry_id: string): Json => ({
  registry_id,
  image_name: 'web',
  cpu: 10,
  memory: 10,
  healthchecks: {},
});

/** Requests that check what is there, and then write. */
const requests = {
  project: (known, [name]) => ['create_project', { organization_id: known.organization, name: pick(names, name!) }],
  invitation: (known, [name]) => [
    'invite_member',
    { organization_id: known.organization, email: `${pick(names, name!)}@example.com` },
  ],
  environment: (known, [name, project, cluster]) => [
    'create_environment',
    {
      project_id: recent(known.projects, project!),
      name: pick(names, name!),
      mode: 'STAGING',
      cluster_id: pick(known.clusters, cluster!),
    },
  ],
  clone: (known, [name, from, project]) => [
    'clone_environment',
    {
      environment_id: recent(known.environments, from!),
      project_id: recent(known.projects, project!),
      name: pick(names, name!),
      mode: 'STAGING',
    },
  ],
  environmentGone: (known, [which]) => ['delete_environment', { environment_id: recent(known.environments, which!) }],
  container: (known, [name, environment]) => [
    'create_container',
    {
      environment_id: recent(known.environments, environment!),
      name: pick(names, name!),
      tag: '1',
      ...shape(known.registry),
    },
  ],
  change: (known, [which, tag, name]) => [
    'update_container',
    {
      container_id: recent(known.containers, which!),
      name: pick(names, name!),
      tag: `${tag}`,
      ...shape(known.registry),
    },
  ],
  containerGone: (known, [which]) => ['delete_container', { container_id: recent(known.containers, which!) }],
  deployment: (known, [which]) => ['deploy_container', { container_id: recent(known.containers, which!) }],
  restart: (known, [which]) => ['stop_container', { container_id: recent(known.containers, which!) }],
  domain: (known, [name, which]) => [
    'create_container_domain',
    {
      container_id: recent(known.containers, which!),
      domain: `${pick(names, name!)}.example.com`,
      generate_certificate: false,
    },
  ],
  variableOfProject: (known, [name, project]) => [
    'create_variable_of_project',
    { project_id: recent(known.projects, project!), key: pick(names, name!), value: 'wide' },
  ],
  variableOfContainer: (known, [name, which]) => [
    'create_variable_of_container',
    { container_id: recent(known.containers, which!), key: pick(names, name!), value: 'own' },
  ],
  override: (known, [variable, which]) => [
    'override_variable',
    {
      environment_variable_id: recent(known.variables, variable!),
      override_scope: 'CONTAINER',
      override_parent_id: recent(known.containers, which!),
      value: 'other',
    },
  ],
  overrideOfEnvironment: (known, [variable, which]) => [
    'override_variable',
    {
      environment_variable_id: recent(known.variables, variable!),
      override_scope: 'ENVIRONMENT',
      override_parent_id: recent(known.environments, which!),
      value: 'other',
    },
  ],
  variableGone: (known, [variable]) => [
    'delete_variable',
    { environment_variable_id: recent(known.variables, variable!) },
  ],
  lock: (known, [cluster]) => [
    'lock_cluster',
    { cluster_id: pick(known.clusters, cluster!), reason: 'test', ttl_in_days: 1 },
  ],
  unlock: (known, [cluster]) => ['unlock_cluster', { cluster_id: pick(known.clusters, cluster!) }],
} satisfies Record<string, (known: Known, choices: Choices) => readonly [OperationName, Json]>;

/** What a request sends. */
export const sentBy = ({ kind, choices }: RandomRequest, known: Known): readonly [OperationName, Json] =>
  (requests[kind] as (known: Known, choices: Choices) => readonly [OperationName, Json])(known, choices);

/** Remembers what was made. */
export function remember(known: Known, { operation, status, body }: Answer): void {
  if (status !== 201 && status !== 200) return;
  const made: Partial<Record<OperationName, string[]>> = {
    create_project: known.projects,
    create_environment: known.environments,
    clone_environment: known.environments,
    create_container: known.containers,
    create_variable_of_project: known.variables,
  };
  made[operation]?.push(String(body['id']));
}

/** Frequent are those that make what others need. */
const weights: Partial<Record<keyof typeof requests, number>> = {
  container: 6,
  environment: 3,
  variableOfProject: 3,
  override: 3,
  overrideOfEnvironment: 3,
  deployment: 3,
  unlock: 4,
};

const anyRequest: fc.Arbitrary<RandomRequest> = fc.record({
  kind: fc.oneof(
    ...Object.keys(requests).map((kind) => ({
      weight: weights[kind as keyof typeof requests] ?? 1,
      arbitrary: fc.constant(kind as keyof typeof requests),
    })),
  ),
  choices: fc.array(fc.nat(11), { minLength: 3, maxLength: 3 }),
});

/** Requests in waves: those of one wave are sent at once. */
export const anyWaves: fc.Arbitrary<readonly (readonly RandomRequest[])[]> = fc.array(
  fc.array(anyRequest, { minLength: 12, maxLength: 16 }),
  { minLength: 8, maxLength: 10 },
);
