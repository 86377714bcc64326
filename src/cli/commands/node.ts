import type { DrainPlan, EngineOptions } from '../../platform/runtime/index.ts';
import { wrapped } from '../terminal/lines.ts';
import { withProgress } from '../terminal/progress.ts';
import { required, withAccess } from '../wiring/operator-access.ts';

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

const namesOf = (services: readonly { readonly name: string }[]): string => services.map(({ name }) => name).join(', ');

/** Describes the plan of draining a node. */
function planText({ node: name, moving, staying, others }: DrainPlan): string {
  return [
    moving.length === 0
      ? `No service has to leave ${name}.`
      : `${count(moving.length, 'service')} will leave ${name}, each with its new instances first: ${namesOf(moving)}.`,
    ...staying.map((each) => `${each.name} can't run elsewhere, because ${each.why}.`),
    ...(others === 0
      ? []
      : [
          `${count(others, 'instance')} of services that no platform made will be ended here, and then started elsewhere.`,
        ]),
  ].join(' ');
}

/** `infra-mcp node drain`: moves services off a node, and drains it. @throws Error that says why it isn't drained */
export async function nodeDrainCommand(
  config: EngineOptions,
  name: string,
  { force, json }: { force?: boolean; json?: boolean },
): Promise<void> {
  await withAccess(config, async ({ planDrain }) => {
    const plan = await required(planDrain, 'nodes')(name);
    const { node, moving, staying, commands } = plan;
    if (staying.length > 0 && !force) {
      throw new Error(
        `${planText(plan)} Nothing was changed. With --force, ${staying.length === 1 ? 'it ends' : 'they end'} with the node, and ${staying.length === 1 ? 'waits' : 'wait'} until it is active again.`,
      );
    }
    process.stderr.write(wrapped(`${planText(plan)}\n`, process.stderr));
    const left = await withProgress(`Draining ${node}`, (update) => plan.carryOut(update));
    const rest =
      left === 0
        ? 'Nothing runs there any more.'
        : `${count(left, 'instance')} there ${left === 1 ? 'has' : 'have'} not ended yet: look at them with ${commands.list}.`;
    process.stderr.write(
      wrapped(`${node} is drained. ${rest} ${commands.activate} lets it take instances again.\n`, process.stderr),
    );
    process.stdout.write(
      json
        ? `${JSON.stringify({ node, moved: moving.map(({ name: each }) => each), ended: staying.map(({ name: each }) => each), still_running: left })}\n`
        : `${node}\n`,
    );
  });
}
