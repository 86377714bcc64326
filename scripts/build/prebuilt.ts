import { instructions } from '../../src/server/protocol/instructions.ts';
import { createRegistry } from '../../src/server/guard/tool-registry.ts';
import { listedResources } from '../../src/server/browse/resources/catalog.ts';
import { tools } from '../../tools/index.ts';
import type { Prebuilt } from '../../src/server/protocol/prebuilt.ts';

/** What a server without rules shows, derived as a running one would. */
export function derivePrebuilt(): Prebuilt {
  const [usual, readOnly] = [false, true].map((only) => createRegistry(tools, { readOnly: only }).listed()) as [Prebuilt['tools'], Prebuilt['tools']];
  const usualDescriptions = new Map(usual.map(({ name, description }) => [name, description]));
  return {
    instructions: { usual: instructions({ readOnly: false }), readOnly: instructions({ readOnly: true }) },
    tools: usual,
    readOnlyDescriptions: Object.fromEntries(readOnly.flatMap(({ name, description }) => (description === usualDescriptions.get(name) ? [] : [[name, description]]))),
    resources: listedResources({ readOnly: false }, true),
  };
}
