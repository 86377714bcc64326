import * as z from 'zod';
import { addressText, readServerAddress } from '../addresses.ts';
import { Name, resourceOf, Uuid } from '../primitives.ts';
import { RegistryCredentials, RegistryCredentialsRequest } from './credentials.ts';

const Kind = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the word of a kind of registry, such as GENERIC_CR, DOCKER_HUB or ECR');

export const ContainerRegistryRequest = z.object({
  name: Name.describe('Unique in the organization.'),
  kind: Kind.describe('GENERIC_CR, DOCKER_HUB, ECR, PUBLIC_ECR …'),
  url: addressText(readServerAddress).optional().describe('https:// and a host. Public registries need none.'),
  description: z.string().optional(),
  config: RegistryCredentialsRequest.describe('Credentials, in members of any vendor; {} for none.'),
});

/** A linked container registry. Its kind determines the format of image names. */
export const ContainerRegistry = resourceOf(
  'registry',
  z.object({
    id: Uuid,
    created_at: z.string().optional(),
    updated_at: z.string().optional(),
    name: z.string(),
    kind: z.string(),
    url: z.string(),
    description: z.string().optional(),
    config: RegistryCredentials.optional(),
    associated_services_count: z.int().optional(),
  }),
);
