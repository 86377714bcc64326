import * as z from 'zod';
import { operation } from '../operation.ts';
import { listOf, Uuid } from '../primitives.ts';
import { AnyOverrideRequest, AnySecretEdit, AnySecretRequest, AnyVariableEdit, AnyVariableRequest, OwnerScope, Variable } from '../resources/variable.ts';
import { read, undocumented } from './common.ts';

const change = { ...undocumented, target: 'environment', reachesEnvironments: true } as const;

/** The members of the input that name the owner where the request itself carries only the variable's id. */
const owner = { scope: 'scope', id: 'parent_id' } as const;

/** Operations outside the API document: variables and secrets of any owner, at one path. Helm and Terraform services have no other. */
export const anyVariableExtensions = {
  list_variables: operation({
    ...read, name: 'list_variables', path: '/variable', query: { scope: OwnerScope, parent_id: Uuid, is_secret: z.enum(['true', 'false']).optional() },
    response: listOf(Variable), targetBy: owner, summary: 'List the variables and secrets that a service, environment or project sees, without the values of secrets.',
  }),
  create_variable: operation({
    ...change, name: 'create_variable', method: 'POST', path: '/variable', body: AnyVariableRequest, response: Variable, effect: 'write',
    targetBy: { scope: 'variable_scope', id: 'variable_parent_id' }, creates: { kind: 'environment_variable', in: 'environment' },
    summary: 'Create a variable or secret of a service, environment or project.',
  }),
  update_variable: operation({
    ...change, name: 'update_variable', method: 'PUT', path: '/variable/{environmentVariableId}', body: AnyVariableEdit, response: Variable, effect: 'destructive',
    targetBy: owner, summary: 'Replace a variable or secret of a service, environment or project.',
  }),
  delete_variable: operation({
    ...change, name: 'delete_variable', method: 'DELETE', path: '/variable/{environmentVariableId}', effect: 'destructive', targetBy: owner,
    summary: 'Delete a variable or secret, with its overrides and aliases.',
  }),
  override_variable: operation({
    ...change, name: 'override_variable', method: 'POST', path: '/variable/{environmentVariableId}/override', body: AnyOverrideRequest, response: Variable,
    effect: 'write', targetBy: { scope: 'override_scope', id: 'override_parent_id' }, creates: { kind: 'environment_variable', in: 'environment' },
    summary: 'Give a service, environment or project its own value of an inherited variable.',
  }),
} as const;

/** The creation of a secret: the same request, of which nothing shows the value. */
export const storingSecret = { ...anyVariableExtensions.create_variable, body: AnySecretRequest, summary: 'Store a secret of a service, environment or project.' };

/** The replacement of a secret, likewise. */
export const replacingSecret = { ...anyVariableExtensions.update_variable, body: AnySecretEdit, summary: 'Replace a secret of a service, environment or project.' };
