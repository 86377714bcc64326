import * as z from 'zod';
import { plainReason, reasonWith, words, texts } from './reason.ts';

/** An unmet requirement of a node. For a label, with the node's value, which is empty if it has none. */
const Lack = z.object({ asked: words, label: words.optional(), value: words.optional() });
const LackingNode = z.object({ node: words, lacks: z.array(Lack) });

const lackText = ({ asked, label, value }: z.output<typeof Lack>): string => {
  if (label === undefined) return `is not ${asked}`;
  return value ? `has ${label}=${value}` : `has no label ${label}`;
};

/** The placement requirements that a node doesn't meet, such as: node-1 has no label disk. */
export const lackingText = ({ node, lacks }: z.output<typeof LackingNode>): string =>
  `${node} ${lacks.map(lackText).join(' and ')}`;

const Bound = z.object({ what: words, nodes: texts });

/** Why only these nodes are considered, as a sentence without its end. */
export const boundText = ({ what, nodes }: z.output<typeof Bound>): string =>
  `${what} is on ${nodes.join(' and ')}, and nowhere else`;

const UnaskedNode = z.object({ node: words, why: words });

/** Nodes that could not be queried, such as: node-2 (it is down), node-3 (…). */
export const unaskedText = (nodes: readonly z.output<typeof UnaskedNode>[]): string =>
  nodes.map(({ node, why }) => `${node} (${why})`).join(', ');

const endings = {
  refused: ' Nothing was changed.',
  'no storage yet': ' It has no storage yet: any node that fits would do. Nothing was changed.',
};

/** The command with which an operator fixes the problem, if the runtime has one. */
const command = words.optional();

/** Why a service can't be placed. */
export const placementReasons = {
  NO_MATCHING_NODE: reasonWith(
    {
      asked: texts,
      lacking: z.array(LackingNode),
      bound: Bound.optional(),
      ending: z.enum(['refused', 'no storage yet']).optional(),
      command,
    },
    ({ asked, lacking, bound, ending, command: labelling }) =>
      `No node of the cluster fits: the placement rules ask for ${asked.join(' and ')}, and ${lacking.map(lackingText).join('; ') || 'none is known'}.` +
      `${bound ? ` ${boundText(bound)}.` : ''} Whoever runs the platform labels a node${labelling === undefined ? '' : ` (${labelling})`}, or changes the rules in the clusters file.` +
      (ending ? endings[ending] : ''),
  ),
  NO_NODE: plainReason(`The cluster has no node.${endings['no storage yet']}`),
  /** `said` is the scheduler's reason. */
  INSUFFICIENT_RESOURCES: reasonWith(
    { what: words, said: words },
    ({ what, said }) => `No node has room for ${what}: ${said}.`,
  ),
  NODES_CLOSED: reasonWith(
    { what: words, said: words, closed: texts },
    ({ what, said, closed }) =>
      `No node takes ${what} at present: ${said}.${closed.length === 0 ? '' : ` Of those that it may run on, ${closed.join('; ')}.`}`,
  ),
  CPU_MISMATCH: reasonWith(
    { architecture: words, nodes: texts },
    ({ architecture, nodes }) =>
      `The nodes that the placement rules ask for have another kind of CPU than the engine of the platform (${architecture}): ${nodes.join(', ')}. ` +
      'All nodes need the same kind. It has no storage yet. Nothing was changed.',
  ),
  STORAGE_AMBIGUOUS: reasonWith(
    { service: words, nodes: texts, volumes: texts, command },
    ({ service, nodes, volumes, command: removal = volumes.join(', ') }) =>
      `Several nodes have storage of ${service} (${nodes.join(', ')}), and which of it counts is not known. ` +
      `Nothing was changed. Remove what isn't needed on its node: ${removal}`,
  ),
  /** `node` had it. `command` creates empty volumes. */
  STORAGE_NOT_FOUND: reasonWith(
    { node: words.optional(), service: words, volumes: texts, asked: texts, unasked: z.array(UnaskedNode), command },
    ({ node, service, volumes, asked, unasked, command: creation = volumes.join(', ') }) => {
      const was =
        node === undefined
          ? `The node with the storage of ${service} is not known in this cluster`
          : `The storage of ${service} was on the node ${node}, which is not part of the cluster any more`;
      const looked =
        asked.length === 0
          ? 'no node could be asked whether it has it'
          : `${volumes.join(', ')} is not on ${asked.join(', ')}`;
      return [
        `${was}, and ${looked}. Nothing was changed: it would begin empty.`,
        ...(unasked.length > 0
          ? [
              `Not asked: ${unaskedText(unasked)}. If one of them has it, give the nodes agents, or list the address of its engine, in the clusters file.`,
            ]
          : []),
        'If another machine has it, let that join the cluster, and deploy again.',
        `If what was stored is lost, bring it back from a backup, or begin empty with this on one node: ${creation}`,
      ].join(' ');
    },
  ),
  PARTS_MISSING: reasonWith(
    { service: words, missing: texts },
    ({ service, missing }) =>
      `The cluster doesn't have what ${service} was deployed with any more (${missing.join(', ')}), as after it was created again. Deploy it again.`,
  ),
  IMAGE_ON_ONE_NODE: reasonWith(
    { nodes: texts },
    ({ nodes }) =>
      `The cluster has other nodes that take instances (${nodes.join(', ')}), and only the one that builds the image would have it. ` +
      'Whoever runs the platform gives them a registry, with "registry" or "build_registry" in the clusters file. Nothing was fetched or built.',
  ),
};
