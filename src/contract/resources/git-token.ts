import * as z from 'zod';
import { addressText, readServerAddress } from '../addresses.ts';
import { Name, resourceOf, secret, Uuid } from '../primitives.ts';

/** A token for private git repositories. It is sent to the server of its type, or to the one that is named, only. */
export const GitTokenRequest = z.object({
  name: Name.describe('Unique in the organization.'),
  type: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the word of a git host, such as GITHUB, GITLAB or BITBUCKET')
    .describe('GITHUB, GITLAB, BITBUCKET …'),
  token: secret(z.string().min(1)).describe('The token.'),
  description: z.string().optional(),
  expired_at: z
    .string()
    .refine((text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)), {
      error: 'must be a date or a time in ISO 8601',
    })
    .optional()
    .describe('When it ends.'),
  git_api_url: addressText(readServerAddress)
    .optional()
    .describe('Server of your own, such as https://git.example.com.'),
});

/** A replacement keeps the stored token if it gives none, because it can't be read. */
export const GitTokenUpdateRequest = GitTokenRequest.partial({ token: true });

export const GitToken = resourceOf(
  'git_token',
  z.object({
    id: Uuid,
    created_at: z.string().optional(),
    updated_at: z.string().optional(),
    name: z.string(),
    type: z.string(),
    description: z.string().optional(),
    expired_at: z.string().optional(),
    git_api_url: z.string().optional(),
    associated_services_count: z.int().optional(),
  }),
);

/** The servers of types that need no address. */
const knownHosts: Readonly<Record<string, string>> = {
  GITHUB: 'github.com',
  GITLAB: 'gitlab.com',
  BITBUCKET: 'bitbucket.org',
};

/**
 * The host, with its port, that a token is for. It is sent to no other one.
 * @returns undefined if neither its type nor an address names one
 */
export function gitTokenHost({
  type,
  git_api_url: url,
}: {
  readonly type: string;
  readonly git_api_url?: string | null | undefined;
}): string | undefined {
  if (url === undefined || url === null) return Object.hasOwn(knownHosts, type) ? knownHosts[type] : undefined;
  const read = readServerAddress(url);
  return typeof read === 'string' ? undefined : read.host;
}
