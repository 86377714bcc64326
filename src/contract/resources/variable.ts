import * as z from 'zod';
import { identity, resourceOf, secret, Uuid } from '../primitives.ts';

/** Scope of a variable. Precedence, lowest first: BUILT_IN, PROJECT, ENVIRONMENT, then the scopes of services. */
export const VariableScope = z.enum(['APPLICATION', 'BUILT_IN', 'ENVIRONMENT', 'PROJECT', 'CONTAINER', 'JOB', 'HELM', 'TERRAFORM']);
export type VariableScope = z.infer<typeof VariableScope>;

export const VariableType = z.enum(['VALUE', 'ALIAS', 'OVERRIDE', 'BUILT_IN', 'FILE', 'EXTERNAL_SECRET']);
export type VariableType = z.infer<typeof VariableType>;

/**
 * Whether a variable of this type has its value in an external secrets manager, and can only be changed there. Its
 * owner doesn't tell: platforms name an owner for every variable, themselves included.
 */
export const isHeldExternally = (type: string): boolean => type.endsWith('EXTERNAL_SECRET');

export const VariableServiceType = z.enum(['APPLICATION', 'CONTAINER', 'DATABASE', 'JOB', 'HELM', 'TERRAFORM']);

/** Longest description of a variable, in characters. */
export const maximumVariableDescription = 255;

const Key = z
  .string()
  .max(255)
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'must begin with a letter and hold letters, digits and _ only')
  .describe('Letters, digits and _.');

const details = {
  description: z.string().max(maximumVariableDescription).optional(),
  enable_interpolation_in_file: z.boolean().optional(),
};

const mountPath = { mount_path: z.string().startsWith('/').nullish().describe('Makes it a file there.') };

/** Body of the requests that create and edit a variable. */
export const VariableRequest = z.object({ key: Key, value: z.string(), ...mountPath, ...details });

export const VariableOverrideRequest = z.object({ value: z.string(), ...details });

export const SecretRequest = z.object({ key: Key, value: secret(), ...mountPath, ...details });

/** What variables and secrets can belong to, as paths name it. Helm and Terraform services have them too, but no such paths. */
export const ownerKinds = ['application', 'container', 'job', 'environment'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

const LinkedVariable = z.object({
  id: Uuid,
  key: z.string(),
  value: z.string(),
  mount_path: z.string().nullable(),
  scope: VariableScope,
  variable_type: VariableType,
});

const owner = {
  service_id: Uuid.optional(),
  service_name: z.string().optional(),
  service_type: VariableServiceType.optional(),
};

export const EnvironmentVariable = resourceOf('environment_variable', z.object({
  ...identity,
  key: z.string(),
  scope: VariableScope,
  variable_type: VariableType,
  value: z.string(),
  mount_path: z.string().nullable(),
  description: z.string().optional(),
  enable_interpolation_in_file: z.boolean().optional(),
  overridden_variable: LinkedVariable.optional(),
  aliased_variable: LinkedVariable.optional(),
  ...owner,
  owned_by: z.string().optional(),
}));

/** A secret, in responses: without its value. */
export const Secret = z.object({ ...identity, key: z.string(), scope: VariableScope, variable_type: VariableType, ...owner });
