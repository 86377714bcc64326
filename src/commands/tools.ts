import { tools as everyTool } from '../../tools/index.ts';
import type { Config } from '../config.ts';
import { denialOf } from '../mcp/guard/policy.ts';
import { columns } from './columns.ts';

/** `infra-mcp tools`: the tools that this configuration offers. */
export function tools({ readOnly }: Config, { json }: { json?: boolean }): void {
  const offered = everyTool.filter((tool) => denialOf(tool, { readOnly }) === undefined);
  const rows = offered.map(({ name, toolset, operation: { effect, permission, documented } }) => ({ name, toolset, effect, permission, documented }));
  const cells = rows.map(({ name, toolset, effect, permission, documented }) => [name, toolset, effect, permission, documented ? 'yes' : 'no']);
  process.stdout.write(json ? `${JSON.stringify(rows)}\n` : columns(['tool', 'toolset', 'effect', 'permission', 'documented'], cells));
}
