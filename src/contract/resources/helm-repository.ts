import * as z from 'zod';
import { addressFaultText, readChartAddress } from '../addresses.ts';
import { identity, Name, resourceOf, secret } from '../primitives.ts';
import { HelmRepositoryKind } from './helm.ts';

/** Credential members that responses may show. */
const visibleConfig = {
  username: z.string().optional(),
  region: z.string().optional(),
  access_key_id: z.string().optional(),
  role_arn: z.string().optional(),
  vendor_access_key: z.string().optional(),
  vendor_project_id: z.string().optional(),
  azure_tenant_id: z.string().optional(),
  azure_subscription_id: z.string().optional(),
};

// Vendors have additional members, which are passed on. Any of them may be a secret.
const ConfigRequest = z
  .object({
    ...visibleConfig,
    password: secret().optional(),
    secret_access_key: secret().optional(),
    vendor_secret_key: secret().optional(),
  })
  .catchall(secret());

/** Whether responses may show a member of the credentials. */
export const isVisibleCredential = (name: string): boolean => Object.hasOwn(visibleConfig, name);

export const HelmRepositoryRequest = z
  .object({
    name: Name.describe('Unique in the organization.'),
    kind: HelmRepositoryKind.describe('HTTPS, OCI_ECR, OCI_PUBLIC_ECR, OCI_GENERIC_CR …'),
    skip_tls_verification: z.boolean(),
    config: ConfigRequest.describe('Credentials, in members of any vendor; {} for none.'),
    description: z.string().optional(),
    url: z.string().optional().describe('https:// for HTTPS, oci:// for OCI kinds.'),
  })
  .refine(({ kind, url }) => url === undefined || url.startsWith(kind === 'HTTPS' ? 'https://' : 'oci://'), {
    error: 'must start with https:// for kind HTTPS and with oci:// for OCI kinds',
    path: ['url'],
    abort: true,
  })
  .superRefine(({ kind, url }, context) => {
    const fault = url === undefined ? undefined : readChartAddress(url, kind === 'HTTPS' ? 'https' : 'oci');
    if (typeof fault === 'string')
      context.addIssue({ code: 'custom', message: addressFaultText(fault), path: ['url'] });
  });

export const HelmRepository = resourceOf(
  'helm_repository',
  z.object({
    ...identity,
    name: z.string(),
    kind: z.string(),
    description: z.string().optional(),
    url: z.string().optional(),
    skip_tls_verification: z.boolean(),
    // Members that a vendor adds are hidden, because they may be secrets.
    config: z.object(visibleConfig).catchall(secret()),
    associated_services_count: z.int(),
  }),
);
