import type { CacheHint, ServerOptions } from '@modelcontextprotocol/server';

/** How long clients may keep what doesn't change while a server runs, in milliseconds. */
const listLifetime = 300_000;

/** How long clients may keep what was read of the platform: no longer than it takes to look at it twice. */
const readLifetime = 1_000;

const forThisCaller = (ttlMs: number): CacheHint => ({ ttlMs, cacheScope: 'private' });

/** What clients may keep. What is shown depends on the caller. */
export const cacheHints: ServerOptions['cacheHints'] = {
  'tools/list': forThisCaller(listLifetime),
  'resources/list': forThisCaller(listLifetime),
  'resources/templates/list': forThisCaller(listLifetime),
  'resources/read': forThisCaller(readLifetime),
  'prompts/list': forThisCaller(listLifetime),
};
