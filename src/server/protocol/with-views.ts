import type { ClientCapabilities, ListToolsResult } from '@modelcontextprotocol/server';
import { showsViews, viewOfTool, viewUri } from '../../views/index.ts';
import type { ListedTool } from '../guard/index.ts';
import type { ServerInstanceConfig } from './caller.ts';

type Listed = readonly ListedTool[];

const known = new WeakMap<Listed, Listed>();

/** The tools, those with a view naming it. */
function withViews(tools: Listed): Listed {
  const before = known.get(tools);
  if (before) return before;
  const named = tools.map((tool) => {
    const view = viewOfTool(tool.name);
    return view === undefined ? tool : { ...tool, _meta: { ui: { resourceUri: viewUri(view) } } };
  });
  known.set(tools, named);
  return named;
}

/**
 * The list of tools for a client that declares extensions. With views, clients of the 2026 revision may not keep it: what
 * keeps lists for a caller would give it to another client of the same caller, which may show none.
 */
export function listFor(
  tools: Listed,
  capabilities: ClientCapabilities | undefined,
  era: ServerInstanceConfig['era'],
): ListToolsResult {
  if (!showsViews(capabilities)) return { tools } as unknown as ListToolsResult;
  const caching = era === 'modern' ? ({ ttlMs: 0, cacheScope: 'private' } as const) : {};
  return { tools: withViews(tools), ...caching } as unknown as ListToolsResult;
}
