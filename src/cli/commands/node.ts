import { drainNode, type DrainPlan, planDrain } from '../../platform/runtime/docker/index.ts';
import { wrapped } from '../terminal/lines.ts';
import { withProgress } from '../terminal/progress.ts';
import { type EngineConfig, withEngine } from '../wiring/engine-connection.ts';

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

const namesOf = (services: readonly { readonly name: string }[]): string => services.map(({ name }) => name).join(', ');

/** What draining a node is going to do, in words. */
function planText({ node: { name }, moving, staying, others }: DrainPlan): string {
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
  config: EngineConfig,
  name: string,
  { force, json }: { force?: boolean; json?: boolean },
): Promise<void> {
  await withEngine(config, async (docker) => {
    const plan = await planDrain(docker, name);
    const { node, moving, staying } = plan;
    if (staying.length > 0 && !force) {
      throw new Error(
        `${planText(plan)} Nothing was changed. With --force, ${staying.length === 1 ? 'it ends' : 'they end'} with the node, and ${staying.length === 1 ? 'waits' : 'wait'} until it is active again.`,
      );
    }
    process.stderr.write(wrapped(`${planText(plan)}\n`, process.stderr));
    const left = await withProgress(`Draining ${node.name}`, (update) => drainNode(docker, plan, update));
    const rest =
      left === 0
        ? 'Nothing runs there any more.'
        : `${count(left, 'instance')} there ${left === 1 ? 'has' : 'have'} not ended yet: look at them with docker node ps ${node.name}.`;
    process.stderr.write(
      wrapped(
        `${node.name} is drained. ${rest} docker node update --availability active ${node.name} lets it take instances again.\n`,
        process.stderr,
      ),
    );
    process.stdout.write(
      json
        ? `${JSON.stringify({ node: node.name, moved: moving.map(({ name: each }) => each), ended: staying.map(({ name: each }) => each), still_running: left })}\n`
        : `${node.name}\n`,
    );
  });
}
