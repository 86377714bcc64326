import * as z from 'zod';
import { addressFaultText, readChartAddress } from '../addresses.ts';
import { identity, listOf, Name, resourceOf } from '../primitives.ts';
import { HelmCredentials, HelmCredentialsRequest } from './credentials.ts';
import { HelmRepositoryKind } from './helm.ts';

export const HelmRepositoryRequest = z
  .object({
    name: Name.describe('Unique in the organization.'),
    kind: HelmRepositoryKind.describe('HTTPS, OCI_ECR, OCI_PUBLIC_ECR, OCI_GENERIC_CR …'),
    skip_tls_verification: z.boolean(),
    config: HelmCredentialsRequest.describe('Credentials, in members of any vendor; {} for none.'),
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
    config: HelmCredentials,
    associated_services_count: z.int(),
  }),
);

/** A chart of a Helm repository. Its versions are in the order of the repository, which is usually newest first. */
const HelmChart = z.object({ chart_name: z.string(), versions: z.array(z.string()) });

export const HelmCharts = listOf(HelmChart).omit({ pagination: true });
