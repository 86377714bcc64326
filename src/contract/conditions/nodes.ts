import * as z from 'zod';
import { count, listText, onNode, plainReason, reasonWith, words, texts } from './reason.ts';

interface Down {
  readonly node: string;
  readonly since: string;
}

const down = { node: words, since: words };
const downText = ({ node, since }: Down): string => `the node ${node}, which has been down since ${since} or earlier`;

const waitingText = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` What can run only there waits for it: ${names.join(', ')}.`;

/** Conditions of the machines of a cluster. */
export const nodeReasons = {
  NODE_DOWN: reasonWith(
    { ...down, waiting: texts },
    ({ node, since, waiting }) =>
      `The node ${node} has been down since ${since} or earlier. Its instances are started on other nodes, as far as these have room.${waitingText(waiting)}`,
  ),
  NODE_NOT_ANSWERING: reasonWith(
    { node: words, state: words },
    ({ node, state }) =>
      `The node ${node} doesn't answer the others (${state.toLowerCase()}): what runs on it is not known.`,
  ),
  NODE_DRAINED: reasonWith(
    { node: words, waiting: texts },
    ({ node, waiting }) =>
      `The node ${node} is drained: its instances run on other nodes, as far as these have room.${waitingText(waiting)}`,
  ),
  NODE_PAUSED: reasonWith(
    { node: words },
    ({ node }) => `The node ${node} is paused: it keeps its instances, and takes no new ones.`,
  ),
  NODES_UNREADABLE: reasonWith(
    { said: words },
    ({ said }) => `Its nodes can't be read: ${said}. What runs is not known.`,
  ),
  CLUSTER_UNREACHABLE: reasonWith(
    { since: words, said: words },
    ({ since, said }) => `Its cluster can't be looked at since ${since}: ${said}. What runs is not known.`,
  ),
  CLUSTER_REACHABLE: plainReason('Its cluster can be looked at again.'),
};

/** Conditions of nodes whose instances are missing, or may still run. */
export const instanceNodeReasons = {
  /** The instance may not run on another node. */
  WAITING_FOR_NODE: reasonWith(down, (node) => `An instance waits for ${downText(node)}: it can only run there.`),
  NODE_LOST: reasonWith(
    down,
    (node) => `An instance ran on ${downText(node)}. Another one is started on another node, if one fits and has room.`,
  ),
  NODE_GONE: reasonWith(
    { node: words },
    ({ node }) => `It can only run on the node ${node}, which is not part of the cluster any more.`,
  ),
  /** Whether the instances run is unknown. `node` may be several names. */
  NODE_UNREACHABLE: reasonWith(
    { node: words, since: words, instances: texts },
    ({ node, since, instances }) =>
      `It is not known whether ${instances.join(', ')} still ${instances.length === 1 ? 'runs' : 'run'}: ` +
      `the managers have not reached the node ${node} since ${since} or earlier.`,
  ),
  /** Instances that should stop, on nodes that don't respond. */
  INSTANCES_MAY_RUN: reasonWith({ instances: z.array(z.object({ ...down, instance: words })) }, ({ instances }) =>
    instances
      .map(
        (each) => `The instance ${each.instance} may still run on ${downText(each)}. It ends when that node is back.`,
      )
      .join(' '),
  ),
  INSTANCE_NOT_BEGUN: reasonWith(
    { what: words, node: words.optional(), seconds: count },
    ({ what, node, seconds }) =>
      `${what} was not begun${onNode(node)} for ${seconds} seconds. ` +
      'Free space on the disk there if it is full, and deploy again; if it happens again, restart the engine there.',
  ),
  /** `values` are the values of the label over which instances are spread. */
  INSTANCES_CROWDED: reasonWith(
    { instances: count, nodes: texts, label: words.optional(), values: texts, free: texts, isMoving: z.boolean() },
    ({ instances, nodes, label, values, free, isMoving }) =>
      `All ${instances} instances run on ${listText(nodes)}${label === undefined ? '' : ` (${label}: ${values.join(', ')})`}, ` +
      `although ${listText(free)} would take some${isMoving ? ': moving one' : '. The next deployment spreads them.'}`,
  ),
};
