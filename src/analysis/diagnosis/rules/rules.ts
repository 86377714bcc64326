import { buildRules } from './build.ts';
import { dependencyRules } from './dependencies.ts';
import { imageRules } from './image.ts';
import { infrastructureRules } from './infrastructure.ts';
import { nodeRules } from './nodes.ts';
import { platformRules } from './platform.ts';
import { probeRules } from './probes.ts';
import type { CauseRule } from './rule.ts';
import { runtimeRules } from './runtime.ts';

/** All rules, in no particular order. */
export const rules: readonly CauseRule[] = [
  ...imageRules,
  ...probeRules,
  ...runtimeRules,
  ...buildRules,
  ...infrastructureRules,
  ...dependencyRules,
  ...platformRules,
  ...nodeRules,
];
