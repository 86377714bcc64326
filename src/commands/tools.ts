import { tools as everyTool } from '../../tools/index.ts';
import type { Config } from '../config.ts';
import { denialOf, possibleTiers } from '../mcp/guard/policy.ts';
import { columns } from './columns.ts';
import { policyOf } from './guard.ts';
import { isDocumented, permissionOf } from '../mcp/tool.ts';

/** `infra-mcp tools`: the tools that this configuration offers. A tool's second tier is the one it has on PRODUCTION, or where nobody can tell. */
export async function tools(config: Config, { json }: { json?: boolean }): Promise<void> {
  const policy = await policyOf(config);
  const offered = everyTool.filter((tool) => denialOf(tool, policy) === undefined);
  const rows = offered.map((tool) => {
    const { name, toolset, operation } = tool;
    return { name, toolset, effect: operation.effect, tiers: possibleTiers(operation), permission: permissionOf(tool), documented: isDocumented(tool) };
  });
  const cells = rows.map(({ name, toolset, tiers, permission, documented }) => [name, toolset, tiers[0]!, tiers.at(-1)!, permission, documented ? 'yes' : 'no']);
  process.stdout.write(json ? `${JSON.stringify(rows)}\n` : columns(['tool', 'toolset', 'tier', 'on production', 'permission', 'documented'], cells));
}
