import { boundText, dataOf, lackingText } from '../../../contract/index.ts';
import { type StrandedData, strandedDataIn } from '../../warnings.ts';
import { sign, statedFacts } from '../condition-sign.ts';
import { bringDatabaseBack, cancelRunningDeployment, deployAgain } from '../fixes.ts';
import { showClusters, showEnvironment } from '../inspections.ts';
import { prefixedValue, quote } from '../evidence.ts';
import type { CauseRule } from './rule.ts';

const lostWithNode = [
  sign('INSTANCE_LOST', ({ cause, replacement }) => {
    const lost = dataOf(cause, 'LOST_WITH_NODE');
    return lost && { ...lost, bound: replacement === 'waits for that node' ? 'yes' : undefined };
  }),
  sign('LOST_WITH_NODE', (lost) => lost),
];
const waitsForNode = sign('WAITING_FOR_NODE', ({ node, since }) => ({ waits: node, since }));
const justLost = sign('NODE_LOST', ({ node, since }) => ({ lost: node, since }));
const gone = sign('NODE_GONE', ({ node }) => ({ gone: node }));
const unreached = sign('NODE_UNREACHABLE', ({ node, since, instances }) => ({
  silent: node,
  since,
  instances: instances.join(', '),
}));

/** Maximum number of nodes whose missing properties are listed. */
const mostLacking = 5;

const misfit = sign('NO_MATCHING_NODE', ({ asked, lacking, bound }) => ({
  asked: asked.join(' and '),
  lacks:
    [
      ...lacking.slice(0, mostLacking).map((node) => quote(lackingText(node))),
      ...(lacking.length > mostLacking ? ['others too'] : []),
    ].join('; ') || quote('none is known'),
  bound: bound && boundText(bound),
}));

const backupWords = ({ name, at, node }: NonNullable<StrandedData['backup']>): string =>
  `${quote(name)} of ${at}${prefixedValue(' on ', node)}`;

/** Causes in the machines of a cluster: lost machines, and machines that don't meet placement rules. */
export const nodeRules: readonly CauseRule[] = [
  {
    code: 'node_lost',
    layer: 'cause',
    signs: [],
    conditions: [...lostWithNode, waitsForNode],
    recoveredBy: ['AVAILABLE'],
    observe: ({ evidence: { status } }) =>
      status?.state === 'UNAVAILABLE' ? statedFacts(status, waitsForNode, justLost) : undefined,
    sentence: (facts) =>
      facts['waits']
        ? `The node ${quote(facts['waits'])} of its cluster has been down since ${facts['since']} or earlier. It can run only there, and waits until that node is back.`
        : `The node ${quote(facts['node'] ?? facts['lost'] ?? '')} of its cluster went down at ${facts['since']} or earlier, and instances were lost with it. ${facts['bound'] ? 'They can run only there, and wait until it is back.' : 'They are started on other nodes that have room and fit.'}`,
    remedies: [showEnvironment],
  },
  {
    code: 'database_node_lost',
    layer: 'cause',
    kinds: ['database'],
    supersedes: ['node_lost', 'storage_node_gone'],
    signs: [],
    observe: ({ evidence: { status } }) => {
      const node = statedFacts(status, waitsForNode, gone);
      const data = strandedDataIn(status);
      return node && data
        ? { ...node, facts: { ...node.facts, ...(data.backup && { backup: backupWords(data.backup) }) } }
        : undefined;
    },
    sentence: (facts) => {
      const node = facts['waits']
        ? `${quote(facts['waits'])}, which has been down since ${facts['since']} or earlier`
        : `${quote(facts['gone'] ?? '')}, which is not part of the cluster any more`;
      const start = facts['waits']
        ? 'If that node starts again, the database is there with all of its data.'
        : 'If that machine is still there, its volume is too.';
      const back = facts['backup']
        ? `Otherwise it can be brought back on another node from its newest complete backup, ${facts['backup']}, without what was written since.`
        : 'It has no backup that it could be brought back from.';
      return `Its data is only on the node ${node}, and it is started nowhere else, where it would be empty. ${start} ${back}`;
    },
    remedies: [bringDatabaseBack, showEnvironment],
  },
  {
    code: 'no_fitting_node',
    layer: 'cause',
    supersedes: ['insufficient_resources'],
    signs: [],
    conditions: [misfit],
    recoveredBy: ['AVAILABLE'],
    observe: ({ evidence: { status } }) => statedFacts(status, misfit),
    sentence: (facts) =>
      `No node of the cluster is what the placement rules ask for: ${quote(facts['asked'] ?? '')}. What they lack: ${facts['lacks'] ?? ''}.${facts['bound'] ? ` ${quote(facts['bound'])}.` : ''} ` +
      'It is not about room. Whoever runs the platform can label a node, or change the rules.',
    remedies: [showClusters, cancelRunningDeployment, deployAgain],
  },
  {
    code: 'storage_node_gone',
    layer: 'cause',
    signs: [],
    conditions: [sign('STORAGE_NOT_FOUND', ({ node }) => (node === undefined ? undefined : { missed: node }))],
    recoveredBy: ['AVAILABLE'],
    observe: ({ evidence: { status } }) => (status?.state === 'UNAVAILABLE' ? statedFacts(status, gone) : undefined),
    sentence: (facts) =>
      facts['gone']
        ? `It can only run on the node ${quote(facts['gone'])}, where its storage or its image is, and that is not part of the cluster any more. If that machine has joined the cluster again, a deployment finds its storage again; otherwise it says how to go on, and does not begin empty.`
        : `Its storage was on the node ${quote(facts['missed'] ?? '')}, which is not part of the cluster any more, and was found on no other. Nothing was changed: it would begin empty. If another machine has it, whoever runs the platform lets that join; then it can be deployed.`,
    remedies: [showClusters, deployAgain],
  },
  {
    code: 'node_unreachable',
    layer: 'cause',
    signs: [],
    observe: ({ evidence: { status } }) =>
      status?.state === 'UNAVAILABLE' ? statedFacts(status, unreached) : undefined,
    sentence: (facts) =>
      `The node ${quote(facts['silent'] ?? '')} of its cluster has not been reached since ${facts['since']} or earlier, so nobody knows whether these instances run: ${quote(facts['instances'] ?? '')}. ` +
      'If the node is lost, they are started on others that fit as soon as the cluster counts it as down.',
    remedies: [showClusters, showEnvironment],
  },
  {
    code: 'instance_not_begun',
    layer: 'cause',
    signs: [],
    conditions: [sign('INSTANCE_NOT_BEGUN', ({ node, seconds }) => ({ node, seconds: String(seconds) }))],
    sentence: (facts) =>
      `The node${prefixedValue(' ', facts['node'])} did not begin with an instance within ${facts['seconds']} s. The engine of a node whose disk was full can forget one, also after there is space again. ` +
      'Deploy again; if it happens again, whoever runs the platform frees space on the disk there, or restarts the engine.',
    remedies: [deployAgain, showClusters],
  },
];
