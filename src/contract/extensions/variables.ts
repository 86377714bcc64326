import * as z from 'zod';
import { operation } from '../operation.ts';
import { listOf, pageQuery, Uuid } from '../primitives.ts';
import {
  EnvironmentVariable,
  Secret,
  SecretEdit,
  SecretRequest,
  VariableRequest,
  type OwnerKind,
  AnyOverrideRequest,
  AnySecretEdit,
  AnySecretRequest,
  AnyVariableEdit,
  AnyVariableRequest,
  OwnerScope,
  Variable,
} from '../resources/variable.ts';
import { undocumented, read } from './common.ts';

const change = { ...undocumented, target: 'environment', reachesEnvironments: true } as const;

/** The members of the input that name the owner if the request itself contains only the variable's id. */
const owner = { scope: 'scope', id: 'parent_id' } as const;

/**
 * Operations outside the API document: variables and secrets of any owner, at one path. It is the only path for those
 * of Helm and Terraform services.
 */
export const anyVariableExtensions = {
  list_variables: operation({
    ...read,
    name: 'list_variables',
    path: '/variable',
    query: { scope: OwnerScope, parent_id: Uuid, is_secret: z.enum(['true', 'false']).optional() },
    response: listOf(Variable),
    targetBy: owner,
    summary:
      'List the variables and secrets that a service, environment or project sees, without the values of secrets.',
  }),
  create_variable: operation({
    ...change,
    name: 'create_variable',
    method: 'POST',
    path: '/variable',
    body: AnyVariableRequest,
    response: Variable,
    effect: 'write',
    targetBy: { scope: 'variable_scope', id: 'variable_parent_id' },
    creates: { kind: 'environment_variable', in: 'environment' },
    summary: 'Create a variable or secret of a service, environment or project.',
  }),
  update_variable: operation({
    ...change,
    name: 'update_variable',
    method: 'PUT',
    path: '/variable/{environmentVariableId}',
    body: AnyVariableEdit,
    response: Variable,
    effect: 'destructive',
    targetBy: owner,
    summary: 'Replace a variable or secret of a service, environment or project.',
  }),
  delete_variable: operation({
    ...change,
    name: 'delete_variable',
    method: 'DELETE',
    path: '/variable/{environmentVariableId}',
    effect: 'destructive',
    targetBy: owner,
    summary: 'Delete a variable or secret, with its overrides and aliases.',
  }),
  override_variable: operation({
    ...change,
    name: 'override_variable',
    method: 'POST',
    path: '/variable/{environmentVariableId}/override',
    body: AnyOverrideRequest,
    response: Variable,
    effect: 'write',
    targetBy: { scope: 'override_scope', id: 'override_parent_id' },
    creates: { kind: 'environment_variable', in: 'environment' },
    summary: 'Give a service, environment or project its own value of an inherited variable.',
  }),
} as const;

/** The creation of a secret: the same request, with its value always hidden. */
export const storingSecret = {
  ...anyVariableExtensions.create_variable,
  body: AnySecretRequest,
  summary: 'Store a secret of a service, environment or project.',
};

/** The replacement of a secret, likewise. */
export const replacingSecret = {
  ...anyVariableExtensions.update_variable,
  body: AnySecretEdit,
  summary: 'Replace a secret of a service, environment or project.',
};

/** A change to a project's variables affects all its environments. */
const reach = (kind: OwnerKind) => ({ reachesEnvironments: kind === 'project' });

const updateVariable = <const Kind extends 'application' | 'container' | 'job' | 'project'>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `update_variable_of_${kind}`,
    method: 'PUT',
    path: `/${kind}/{${kind}Id}/environmentVariable/{environmentVariableId}`,
    body: VariableRequest,
    response: EnvironmentVariable,
    effect: 'destructive',
    target: kind,
    ...reach(kind),
    summary:
      kind === 'project' ? 'Replace a variable of a project.' : `Replace a variable of one service of kind ${kind}.`,
  });

/** Owners other than applications. Only the operations for applications are in the API document. */
type OtherOwnerKind = Exclude<OwnerKind, 'application'>;

const createVariable = <const Kind extends OtherOwnerKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `create_variable_of_${kind}`,
    method: 'POST',
    path: `/${kind}/{${kind}Id}/environmentVariable`,
    body: VariableRequest,
    response: EnvironmentVariable,
    effect: 'write',
    target: kind,
    creates: { kind: 'environment_variable', in: kind },
    ...reach(kind),
    summary: `Create a variable of one ${kind}.`,
  });

const createSecret = <const Kind extends OtherOwnerKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `create_secret_of_${kind}`,
    method: 'POST',
    path: `/${kind}/{${kind}Id}/secret`,
    body: SecretRequest,
    response: Secret,
    effect: 'write',
    target: kind,
    creates: { kind: 'secret', in: kind },
    ...reach(kind),
    summary: `Store a secret of one ${kind}.`,
  });

const updateSecret = <const Kind extends OwnerKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `update_secret_of_${kind}`,
    method: 'PUT',
    path: `/${kind}/{${kind}Id}/secret/{secretId}`,
    body: SecretEdit,
    response: Secret,
    effect: 'destructive',
    target: kind,
    ...reach(kind),
    summary: `Replace a secret of one ${kind}.`,
  });

const listSecrets = <const Kind extends OwnerKind>(kind: Kind) =>
  operation({
    ...read,
    name: `list_secrets_of_${kind}`,
    path: `/${kind}/{${kind}Id}/secret`,
    query: pageQuery,
    response: listOf(Secret),
    summary: `List the secrets of one ${kind} and those it inherits, without their values.`,
  });

const deleteVariable = <const Kind extends OwnerKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `delete_variable_of_${kind}`,
    method: 'DELETE',
    path: `/${kind}/{${kind}Id}/environmentVariable/{environmentVariableId}`,
    effect: 'destructive',
    target: kind,
    ...reach(kind),
    summary: `Delete a variable of one ${kind}, with its overrides and aliases.`,
  });

const deleteSecret = <const Kind extends OwnerKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `delete_secret_of_${kind}`,
    method: 'DELETE',
    path: `/${kind}/{${kind}Id}/secret/{secretId}`,
    effect: 'destructive',
    target: kind,
    ...reach(kind),
    summary: `Delete a secret of one ${kind}, with its overrides and aliases.`,
  });

/** Operations outside the API document: variables and secrets. */
export const variableExtensions = {
  list_variables_of_environment: operation({
    ...read,
    name: 'list_variables_of_environment',
    path: '/environment/{environmentId}/environmentVariable',
    query: pageQuery,
    response: listOf(EnvironmentVariable),
    summary: 'List the variables an environment sees.',
  }),
  list_variables_of_container: operation({
    ...read,
    name: 'list_variables_of_container',
    path: '/container/{containerId}/environmentVariable',
    query: pageQuery,
    response: listOf(EnvironmentVariable),
    summary: 'List the variables a container sees, of every scope.',
  }),
  update_variable_of_application: updateVariable('application'),
  update_variable_of_container: updateVariable('container'),
  update_variable_of_job: updateVariable('job'),
  update_variable_of_project: updateVariable('project'),
  list_variables_of_job: operation({
    ...read,
    name: 'list_variables_of_job',
    path: '/job/{jobId}/environmentVariable',
    query: pageQuery,
    response: listOf(EnvironmentVariable),
    summary: 'List the variables a job sees, of every scope.',
  }),
  list_variables_of_project: operation({
    ...read,
    name: 'list_variables_of_project',
    path: '/project/{projectId}/environmentVariable',
    query: pageQuery,
    response: listOf(EnvironmentVariable),
    summary: 'List the variables that all environments of a project see.',
  }),
  list_secrets_of_application: listSecrets('application'),
  list_secrets_of_container: listSecrets('container'),
  list_secrets_of_job: listSecrets('job'),
  list_secrets_of_environment: listSecrets('environment'),
  list_secrets_of_project: listSecrets('project'),
  create_variable_of_container: createVariable('container'),
  create_variable_of_job: createVariable('job'),
  create_variable_of_environment: createVariable('environment'),
  create_variable_of_project: createVariable('project'),
  create_secret_of_container: createSecret('container'),
  create_secret_of_job: createSecret('job'),
  create_secret_of_environment: createSecret('environment'),
  create_secret_of_project: createSecret('project'),
  update_secret_of_application: updateSecret('application'),
  update_secret_of_container: updateSecret('container'),
  update_secret_of_job: updateSecret('job'),
  update_secret_of_environment: updateSecret('environment'),
  update_secret_of_project: updateSecret('project'),
  delete_variable_of_application: deleteVariable('application'),
  delete_variable_of_container: deleteVariable('container'),
  delete_variable_of_job: deleteVariable('job'),
  delete_variable_of_environment: deleteVariable('environment'),
  delete_variable_of_project: deleteVariable('project'),
  delete_secret_of_application: deleteSecret('application'),
  delete_secret_of_container: deleteSecret('container'),
  delete_secret_of_job: deleteSecret('job'),
  delete_secret_of_environment: deleteSecret('environment'),
  delete_secret_of_project: deleteSecret('project'),
} as const;
