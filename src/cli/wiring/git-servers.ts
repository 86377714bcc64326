import * as z from 'zod';
import type { GitHosts } from '../../platform/runtime/index.ts';
import { readConfiguredValue } from './configured-file.ts';

/** Tag patterns as git accepts them in refspecs: with at most one star, which matches anything. */
const TagPattern = z
  .string()
  .regex(
    /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|\.lock$|[/.]$))(?!.*\*.*\*)[\w./+*-]+$/,
    'must be the name of a tag, with one * at most, such as v*',
  );

/**
 * The git servers that need credentials, are private or have tags to fetch, by host, with the port if addresses have
 * one.
 */
export const GitServers = z.record(
  z.string().regex(/^[\w.:[\]-]+$/, 'must be a host, with its port if addresses have one'),
  z
    .strictObject({
      username: z.string().optional(),
      token_file: z.string().optional(),
      key_file: z.string().optional(),
      known_hosts_file: z.string().optional(),
      private: z.boolean().optional(),
      tags: z.array(TagPattern).min(1).optional(),
    })
    .refine(({ key_file: key, known_hosts_file: known }) => (key === undefined) === (known === undefined), {
      error: 'must have both key_file and known_hosts_file, or none of them',
    }),
);

/**
 * Reads the tokens of git servers.
 * @param from resolves a path of the clusters file
 * @throws Error that names the server whose token can't be read
 */
export async function readGitServers(
  servers: z.output<typeof GitServers>,
  from: (path: string) => string,
): Promise<GitHosts> {
  const entries = await Promise.all(
    Object.entries(servers).map(
      async ([
        host,
        { username, token_file: token, key_file: key, known_hosts_file: known, private: isPrivate, tags },
      ]) =>
        [
          host.toLowerCase(),
          {
            ...(username !== undefined && { username }),
            ...(token !== undefined && {
              token: await readConfiguredValue(from(token), `The token_file of the git server "${host}"`),
            }),
            ...(key !== undefined &&
              known !== undefined && { ssh: { keyFile: from(key), knownHostsFile: from(known) } }),
            ...(isPrivate !== undefined && { isPrivate }),
            ...(tags && { tags }),
          },
        ] as const,
    ),
  );
  return Object.fromEntries(entries);
}
