import { instructions } from '../../src/mcp/instructions.ts';
import { createRegistry } from '../../src/mcp/registry.ts';
import { listedResources } from '../../src/mcp/resources/catalog.ts';
import type { Prebuilt } from '../../src/mcp/surface.ts';
import { tools } from '../../tools/index.ts';

/** What a server without rules shows, derived as a running one would. */
export const derivePrebuilt = (): Prebuilt => ({
  instructions: { usual: instructions({ readOnly: false }), readOnly: instructions({ readOnly: true }) },
  tools: createRegistry(tools, { readOnly: false }).listed(),
  resources: listedResources({ readOnly: false }, true),
});
