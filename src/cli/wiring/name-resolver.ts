import { join } from 'node:path';
import { parseBaseUrl } from '../../client/index.ts';
import type { Config } from '../config/index.ts';
import type { SharedStore } from '../../server/guard/index.ts';
import { createNameResolver, type PersistentNameResolver } from '../../server/resolve/index.ts';
import { readTextFile, replaceSecretFile } from './secret-file.ts';

// A constant: the embedded platform's port changes with every start, but ids are stored per data directory.
const embedded = 'embedded';

function platformOf(baseUrl: string | undefined): string {
  if (baseUrl === undefined) return embedded;
  const { origin, prefix } = parseBaseUrl(baseUrl);
  return `${origin}${prefix}`;
}

/** Opens a name resolver that stores known ids in the data directory, or in the store that servers share. */
export function openNameResolver({ dataDir, baseUrl }: Config, shared?: SharedStore): PersistentNameResolver {
  const path = join(dataDir, 'seen.json');
  const platform = platformOf(baseUrl);
  if (shared) return createNameResolver({ platform, invalidation: shared.cacheInvalidation(platform) });
  return createNameResolver({
    platform,
    read: () => readTextFile(path),
    write: (text) => replaceSecretFile(path, text),
  });
}
