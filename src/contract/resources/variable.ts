import * as z from 'zod';
import { freeText, identity, resourceOf, secret, Uuid } from '../primitives.ts';

/** Scope of a variable. Precedence, lowest first: BUILT_IN, PROJECT, ENVIRONMENT, then the scopes of services. */
export const VariableScope = z.enum([
  'APPLICATION',
  'BUILT_IN',
  'ENVIRONMENT',
  'PROJECT',
  'CONTAINER',
  'JOB',
  'HELM',
  'TERRAFORM',
]);
export type VariableScope = z.infer<typeof VariableScope>;

export const VariableType = z.enum(['VALUE', 'ALIAS', 'OVERRIDE', 'BUILT_IN', 'FILE', 'EXTERNAL_SECRET']);
export type VariableType = z.infer<typeof VariableType>;

/**
 * Whether a variable of this type has its value in an external secrets manager, and can only be changed there. Its
 * owner doesn't show this: platforms name an owner for every variable, sometimes themselves.
 */
export const isHeldExternally = (type: string): boolean => type.endsWith('EXTERNAL_SECRET');

export const VariableServiceType = z.enum(['APPLICATION', 'CONTAINER', 'DATABASE', 'JOB', 'HELM', 'TERRAFORM']);

/** Longest description of a variable, in characters. */
export const maximumVariableDescription = 255;

const Key = z
  .string()
  .max(255)
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'must begin with a letter and hold letters, digits and _ only')
  .describe('A letter, then letters, digits and _.');

const details = {
  description: z.string().max(maximumVariableDescription).optional(),
  enable_interpolation_in_file: z.boolean().optional(),
};

const detailsOrNull = {
  description: details.description.nullable(),
  enable_interpolation_in_file: details.enable_interpolation_in_file.nullable(),
};

const mountPath = { mount_path: z.string().startsWith('/').nullish().describe('Path of a file with its value.') };

/** Body of the requests that create and edit a variable. */
export const VariableRequest = z.object({ key: Key, value: freeText(), ...mountPath, ...details });

export const VariableOverrideRequest = z.object({ value: freeText(), ...details });

export const SecretRequest = z.object({ key: Key, value: freeText(secret()), ...mountPath, ...details });

/** Owners of variables and secrets that have paths for them. */
export const ownerKinds = ['application', 'container', 'job', 'environment', 'project'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

/** Body of the request that edits a secret: without a value it keeps the one it has. A mount path can't be changed. */
export const SecretEdit = z.object({ key: Key, value: freeText(secret()).optional(), ...detailsOrNull });

/**
 * All owners of variables and secrets. Those of Helm and Terraform services are only available at the path of all
 * variables.
 */
export const variableOwnerKinds = [...ownerKinds, 'helm', 'terraform'] as const;
export type VariableOwnerKind = (typeof variableOwnerKinds)[number];

/** The scopes of owned variables, in the order of `variableOwnerKinds`. */
export const OwnerScope = z.enum(['APPLICATION', 'CONTAINER', 'JOB', 'ENVIRONMENT', 'PROJECT', 'HELM', 'TERRAFORM']);
export type OwnerScope = z.infer<typeof OwnerScope>;

/** The scope of an owner's own variables. */
export const scopeOfOwner = (kind: VariableOwnerKind): OwnerScope => kind.toUpperCase() as OwnerScope;

/** The kind of owner that a scope names; undefined if it names none. */
export const ownerKindOf = (scope: unknown): VariableOwnerKind | undefined =>
  variableOwnerKinds.find((kind) => scope === kind.toUpperCase());

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

export const EnvironmentVariable = resourceOf(
  'environment_variable',
  z.object({
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
  }),
);

/** A variable or secret as the path of all variables shows it. Secrets have no value. */
export const Variable = resourceOf(
  'environment_variable',
  z.object({ ...EnvironmentVariable.shape, value: z.string().nullable(), is_secret: z.boolean() }),
);

/** Body of the request that creates a variable or, with `is_secret`, a secret of any owner. */
export const AnyVariableRequest = z.object({
  key: Key,
  value: freeText(),
  is_secret: z.boolean(),
  variable_scope: OwnerScope,
  variable_parent_id: Uuid,
  ...mountPath,
  ...detailsOrNull,
});

/** The same for secrets only: wherever the request is shown, the value is hidden. */
export const AnySecretRequest = AnyVariableRequest.extend({ value: freeText(secret()), is_secret: z.literal(true) });

/** Body of the request that edits a variable of any owner. Without a value it keeps the one it has. */
export const AnyVariableEdit = z.object({ key: Key, value: freeText().nullish(), ...detailsOrNull });

/** The same for secrets only: wherever the request is shown, the value is hidden. */
export const AnySecretEdit = AnyVariableEdit.extend({ value: freeText(secret()).nullish() });

/** Body of the request that overrides a variable for any owner. */
export const AnyOverrideRequest = z.object({
  value: freeText(),
  override_scope: OwnerScope,
  override_parent_id: Uuid,
  ...detailsOrNull,
});

/** A secret, in responses: without its value. */
export const Secret = z.object({
  ...identity,
  key: z.string(),
  scope: VariableScope,
  variable_type: VariableType,
  description: z.string().optional(),
  ...owner,
});
