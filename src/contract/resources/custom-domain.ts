import * as z from 'zod';
import { identity } from '../primitives.ts';

/** Kinds of services that can have custom domains. */
export const domainKinds = ['application', 'container', 'helm'] as const;
export type DomainKind = (typeof domainKinds)[number];

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const domainName = new RegExp(`^(?:\\*\\.)?(?:${label}\\.)+(?=[a-z0-9-]*[a-z])${label}$`, 'i');

/** Longest domain name, in characters. */
const maximumDomain = 253;

export const CustomDomainRequest = z.object({
  domain: z
    .string()
    .max(maximumDomain)
    .regex(
      domainName,
      'must be a domain name such as shop.example.com, without scheme, port and path; the first label may be *',
    )
    .describe('e.g. www.example.com.'),
  generate_certificate: z.boolean().describe('false: held elsewhere.'),
  use_cdn: z.boolean().optional().describe('A CDN is in front.'),
});

/** A domain of a service. `validation_domain` is the required value of its CNAME record. */
export const CustomDomain = z.object({
  ...identity,
  domain: z.string(),
  generate_certificate: z.boolean(),
  use_cdn: z.boolean(),
  validation_domain: z.string(),
  status: z.enum(['VALIDATION_PENDING']),
});

export const DomainCheckStatus = z.enum([
  'MATCHES_LOAD_BALANCER_HOST',
  'RESOLVES_TO_IP',
  'DOMAIN_NOT_CONFIGURED',
  'DOMAIN_LINKED_TO_WRONG_HOST',
  'GENERIC_FAILURE',
]);
export type DomainCheckStatus = z.infer<typeof DomainCheckStatus>;

/** The result of a name server check of one domain. */
export const CustomDomainCheck = z.object({
  domain_name: z.string(),
  status: DomainCheckStatus,
  error_details: z.string().nullable(),
});
