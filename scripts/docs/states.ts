import { DeploymentAction, serviceKinds } from '../../src/contract/index.ts';
import {
  alertRuleTransitions,
  canceling,
  clusterUpgradeStates,
  diagramOf,
  statePathOf,
} from '../../src/platform/engine/index.ts';
import type { SecondsRange } from '../../src/platform/common/index.ts';
import { simulatedDuration, simulatedPauses } from '../../src/platform/runtime/simulated/index.ts';
import { markdownTable } from './markdown.ts';

const span = ([shortest, longest]: SecondsRange): string => `${shortest}–${longest} s`;

const pathRow = (kind: (typeof serviceKinds)[number], action: DeploymentAction): string[] => {
  const { queued, phases, end } = statePathOf(kind, action);
  const passed = phases.map(({ state, step }) => `${state} (${step}, ${span(simulatedDuration(kind, step))})`);
  return [
    kind,
    action,
    [queued, ...passed, end].join(' → '),
    [...new Set(phases.map(({ onFailure }) => onFailure))].join(', '),
  ];
};

const paths = () => serviceKinds.flatMap((kind) => DeploymentAction.options.map((action) => pathRow(kind, action)));

const alertRow = ({ from, on, to, takes }: (typeof alertRuleTransitions)[number]): string[] => [
  from,
  on,
  to,
  takes === 'for' ? "the rule's for_duration" : span(takes),
];

/** docs/states.md: the state transitions of the embedded platform, from the engine's tables. */
export const statesPage = (): string =>
  `${[
    '# States',
    'For testers of agents: the state transitions of the embedded platform, and how long each step takes in the simulated runtime at a time scale of 1.',
    '## Services',
    markdownTable(['Kind', 'Action', 'States', 'On failure'], paths()),
    `A service whose stage has not started is in a WAITING_* state. A canceled deployment goes through ${canceling.state} to ${canceling.end} within ${span(simulatedPauses.canceling)}. The state of an environment aggregates those of its services. The application status endpoint returns RUNNING where the other endpoints return DEPLOYED or RESTARTED.`,
    '## Every transition of an application',
    `\`\`\`mermaid\n${diagramOf('application', (step) => span(simulatedDuration('application', step)))}\n\`\`\``,
    '## Clusters',
    `An upgrade goes from ${clusterUpgradeStates.from.join(', ')} through ${clusterUpgradeStates.queued} (${span(simulatedPauses.upgradeQueueing)}) and ${clusterUpgradeStates.running} (${span(simulatedPauses.upgrading)}) to ${clusterUpgradeStates.end}.`,
    '## Alert rules',
    'A changed rule starts over at UNDEPLOYED, also one that fires.',
    markdownTable(['From', 'When', 'To', 'After'], alertRuleTransitions.map(alertRow)),
  ].join('\n\n')}\n`;
