import { booleanFlag, defineCommand, json } from './command.ts';

/** The command that moves the services of a machine elsewhere. */
export const nodeDrain = defineCommand({
  name: 'node drain',
  summary:
    "move the services of a node to others, where they start before they end on it, and drain it; says first what can't move; can be run again after it was interrupted",
  takes: 'node',
  flags: {
    force: booleanFlag(
      "drain it although services can't run elsewhere: they end with it, and wait until it is active again",
    ),
    json,
  },
  args: [{ name: '<node>', description: 'name of the node, or its id' }],
  examples: [
    { line: 'infra-mcp node drain node-2', does: 'empty a node of the swarm of this machine before it is updated' },
    { line: 'infra-mcp node drain node-2 --force', does: 'empty it although a database has its storage there' },
  ],
  run: async ({ config, args: [node], flags }) => (await import('./node.ts')).nodeDrainCommand(config, node!, flags),
});
