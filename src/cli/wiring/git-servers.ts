import * as z from 'zod';
import { readConfiguredValue } from './configured-file.ts';

/** Names of tags as git takes them in what is to be fetched: with one star at most, which stands for anything. */
const TagPattern = z
  .string()
  .regex(
    /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|\.lock$|[/.]$))(?!.*\*.*\*)[\w./+*-]+$/,
    'must be the name of a tag, with one * at most, such as v*',
  );

/**
 * The git servers that need credentials, are private or have tags that are taken, by host, with the port where
 * addresses have one.
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

/** What a cluster of the clusters file may say of a registry that the platform runs. */
const RegistryOfCluster = z.strictObject({
  // The next one is taken too.
  port: z.int().min(1024).max(65_534).optional(),
  image: z.string().min(1).optional(),
  clean_hours: z.number().positive().optional(),
});

/** What a cluster of the clusters file may say of building images. */
export const BuildsOfCluster = z.object({
  // Engines take a first part without dot or port for a folder of the public registry.
  build_registry: z
    .string()
    .regex(
      /^(?=[^/]*[.:]|localhost(?:\/|$))[\w.-]+(?::\d+)?(?:\/[a-z0-9][a-z0-9._/-]*)?$/,
      'must be a host with a dot or its port, and a path if wanted, without https://',
    )
    .optional(),
  registry: RegistryOfCluster.optional(),
  build_memory_mb: z.int().min(16).optional(),
  // The platform itself ends a build after an hour, and can't tell why it took so long.
  build_minutes: z.number().positive().lt(60).optional(),
  source_mb: z.int().min(1).optional(),
});

const megabyte = 1024 * 1024;

/** The registry that a platform runs, in the words of the runtime; undefined if it runs none. */
export const ownRegistrySettings = ({ registry }: Pick<z.output<typeof BuildsOfCluster>, 'registry'>) => {
  if (registry === undefined) return undefined;
  const { port, image, clean_hours: hours } = registry;
  return {
    ...(port !== undefined && { port }),
    ...(image !== undefined && { image }),
    ...(hours !== undefined && { cleanMilliseconds: hours * 3_600_000 }),
  };
};

/** How images are built, in the words of the runtime. What is left out is its default. */
export const buildSettings = ({
  build_registry: registry,
  build_memory_mb: memory,
  build_minutes: minutes,
  source_mb: source,
}: z.output<typeof BuildsOfCluster>) => ({
  ...(registry !== undefined && { registry }),
  ...(memory !== undefined && { memoryBytes: memory * megabyte }),
  ...(minutes !== undefined && { buildMilliseconds: minutes * 60_000 }),
  ...(source !== undefined && { sourceBytes: source * megabyte }),
});

/**
 * Reads the tokens of git servers.
 * @param from resolves a path of the clusters file
 * @throws Error that names the server whose token can't be read
 */
export async function readGitServers(servers: z.output<typeof GitServers>, from: (path: string) => string) {
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
