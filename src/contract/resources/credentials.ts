import * as z from 'zod';
import { secret, secretOf } from '../primitives.ts';

/** Members of the credentials of Helm repositories that responses may show. */
const ofHelmRepositories = {
  username: z.string().optional(),
  region: z.string().optional(),
  access_key_id: z.string().optional(),
  role_arn: z.string().optional(),
  vendor_access_key: z.string().optional(),
  vendor_project_id: z.string().optional(),
  azure_tenant_id: z.string().optional(),
  azure_subscription_id: z.string().optional(),
};

/** Members of the credentials of container registries that responses may show. */
const ofRegistries = {
  ...ofHelmRepositories,
  service_account_email: z.string().optional(),
  token_lifetime_seconds: z.int().optional(),
};

const visibleMembers = { helm_repository: ofHelmRepositories, registry: ofRegistries };

/** Credentials in requests. Vendors have additional members, which are passed on. Any of them may be a secret. */
const requested = <Visible extends z.ZodRawShape>(visible: Visible) =>
  z
    .object({
      ...visible,
      password: secretOf('username').optional(),
      secret_access_key: secretOf('access_key_id').optional(),
      vendor_secret_key: secretOf('vendor_access_key').optional(),
    })
    .catchall(secret());

export const HelmCredentialsRequest = requested(ofHelmRepositories);
export const RegistryCredentialsRequest = requested(ofRegistries);

/** Credentials in responses. Members that a vendor adds are hidden, because they may be secrets. */
export const HelmCredentials = z.object(ofHelmRepositories).catchall(secret());
export const RegistryCredentials = z.object(ofRegistries).catchall(secret());

/** Whether responses may show a member of the credentials. */
export const isVisibleCredential = (kind: keyof typeof visibleMembers, name: string): boolean =>
  Object.hasOwn(visibleMembers[kind], name);
