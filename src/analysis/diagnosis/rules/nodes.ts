import { strandedDataIn } from '../../warnings.ts';
import { bringDatabaseBack, cancelRunningDeployment, deployAgain } from '../fixes.ts';
import { showClusters, showEnvironment } from '../inspections.ts';
import { prefixedValue, quote } from '../quote.ts';
import { warningFacts } from '../warning-facts.ts';
import type { CauseRule } from './rule.ts';

/** How the platform says that instances were lost with a node, or wait for one. Names of nodes come from the platform. */
const lostWithNode = /was lost with the node (?<node>\S+), which went down at (?<since>[\dT:.Z-]+) or earlier(?:\. (?<bound>It can only run there))?/;
const waitsForNode = /^An instance waits for the node (?<waits>\S+), which has been down since (?<since>[\dT:.Z-]+) or earlier/;
const justLost = /^An instance ran on the node (?<lost>\S+), which has been down since (?<since>[\dT:.Z-]+) or earlier/;

/** How it says that no node is what placement rules ask for, and what each one lacks. */
const misfit = /^(?:The runtime failed during \w+: )?No node of the cluster fits: the placement rules ask for (?<asked>.+?), and (?<lacks>.+?)(?:\. (?:(?<bound>Its .+?)\. )?Whoever runs the platform|$)/;

/** Most nodes of which it is told what they lack. */
const mostLacking = 5;

const lacksText = (lacks: string): string => {
  const nodes = lacks.split('; ');
  // Of a long line only the beginning is searched, so how many others there are is not known.
  return `What they lack: ${nodes.slice(0, mostLacking).map(quote).join('; ')}${nodes.length > mostLacking ? '; others too' : ''}.`;
};

/** How it says that a node is no part of the cluster any more. */
const gone = /^It can only run on the node (?<gone>\S+), which is not part of the cluster any more/;

/** How it says that what a service stored was not found when it was deployed. */
const notFound = /^(?:The runtime failed during \w+: )?The storage of (?<service>.+?) was on the node (?<missed>\S+), which is not part of the swarm any more/;

/** How it says that nobody can tell whether instances run. */
const unreached = /^It is not known whether (?<instances>.+?) still runs?: the managers have not reached the node (?<silent>.+?) since (?<since>[\dT:.Z-]+) or earlier/;

/** How it says that a node has not begun with an instance. */
const unbegun = /^.{1,40} was not begun(?: on the node (?<node>\S+))? for (?<seconds>\d+) seconds\./;

/** A backup in the words of the platform; its name is somebody's text. */
const backupWords = /^"(?<name>.*)" of (?<made>[\dT:.Z-]+)(?: on (?<node>\S+))?$/;

const backupText = (backup: string): string => {
  const { name, made, node } = backupWords.exec(backup)?.groups ?? {};
  return name === undefined ? quote(backup) : `${quote(name)} of ${made}${prefixedValue(' on ', node)}`;
};

/** Causes in the machines of a cluster: those that are lost, and those that are not what placement rules ask for. */
export const nodeRules: readonly CauseRule[] = [
  {
    code: 'node_lost',
    layer: 'cause',
    signs: [{ pattern: lostWithNode }, { pattern: waitsForNode }],
    recovered: [/^Available again: /],
    observe: ({ evidence: { status } }) => (status?.state === 'UNAVAILABLE' ? (warningFacts(status, waitsForNode) ?? warningFacts(status, justLost)) : undefined),
    sentence: (facts) => (facts['waits']
      ? `The node ${quote(facts['waits'])} of its cluster has been down since ${facts['since']} or earlier. It can run only there, and waits until that node is back.`
      : `The node ${quote(facts['node'] ?? facts['lost'] ?? '')} of its cluster went down at ${facts['since']} or earlier, and instances were lost with it. ${facts['bound'] ? 'They can run only there, and wait until it is back.' : 'They are started on other nodes that have room and fit.'}`),
    remedies: [showEnvironment],
  },
  {
    code: 'database_node_lost',
    layer: 'cause',
    kinds: ['database'],
    supersedes: ['node_lost', 'storage_node_gone'],
    signs: [],
    observe: ({ evidence: { status } }) => {
      const node = warningFacts(status, waitsForNode) ?? warningFacts(status, gone);
      const data = strandedDataIn(status);
      return node && data ? { ...node, facts: { ...node.facts, ...data } } : undefined;
    },
    sentence: (facts) => {
      const node = facts['waits'] ? `${quote(facts['waits'])}, which has been down since ${facts['since']} or earlier` : `${quote(facts['gone'] ?? '')}, which is not part of the cluster any more`;
      const start = facts['waits'] ? 'If that node starts again, the database is there with all of its data.' : 'If that machine is still there, its volume is too.';
      const back = facts['backup'] ? `Otherwise it can be brought back on another node from its newest complete backup, ${backupText(facts['backup'])}, without what was written since.` : 'It has no backup that it could be brought back from.';
      return `Its data is only on the node ${node}, and it is started nowhere else, where it would be empty. ${start} ${back}`;
    },
    remedies: [bringDatabaseBack, showEnvironment],
  },
  {
    code: 'no_fitting_node',
    layer: 'cause',
    supersedes: ['insufficient_resources'],
    signs: [{ pattern: misfit }],
    recovered: [/^Available again: /],
    observe: ({ evidence: { status } }) => warningFacts(status, misfit),
    sentence: (facts) => `No node of the cluster is what the placement rules ask for: ${quote(facts['asked'] ?? '')}. ${lacksText(facts['lacks'] ?? '')}${facts['bound'] ? ` ${quote(facts['bound'])}.` : ''} `
      + 'It is not about room. Whoever runs the platform can label a node, or change the rules.',
    remedies: [showClusters, cancelRunningDeployment, deployAgain],
  },
  {
    code: 'storage_node_gone',
    layer: 'cause',
    signs: [{ pattern: notFound }],
    recovered: [/^Available again: /],
    observe: ({ evidence: { status } }) => (status?.state === 'UNAVAILABLE' ? warningFacts(status, gone) : undefined),
    sentence: (facts) => (facts['gone']
      ? `It can only run on the node ${quote(facts['gone'])}, where its storage or its image is, and that is not part of the cluster any more. If that machine has joined the cluster anew, a deployment finds its storage again; otherwise it says how to go on, and does not begin empty.`
      : `Its storage was on the node ${quote(facts['missed'] ?? '')}, which is not part of the cluster any more, and was found on no other. Nothing was changed: it would begin empty. If another machine has it, whoever runs the platform lets that join; then it can be deployed.`),
    remedies: [showClusters, deployAgain],
  },
  {
    code: 'node_unreachable',
    layer: 'cause',
    signs: [],
    observe: ({ evidence: { status } }) => (status?.state === 'UNAVAILABLE' ? warningFacts(status, unreached) : undefined),
    sentence: (facts) => `The node ${quote(facts['silent'] ?? '')} of its cluster has not been reached since ${facts['since']} or earlier, so nobody knows whether these instances run: ${quote(facts['instances'] ?? '')}. `
      + 'If the node is lost, they are started on others that fit as soon as the cluster counts it as down.',
    remedies: [showClusters, showEnvironment],
  },
  {
    code: 'instance_not_begun',
    layer: 'cause',
    signs: [{ pattern: unbegun }],
    sentence: (facts) => `The node${prefixedValue(' ', facts['node'])} did not begin with an instance within ${facts['seconds']} s. The engine of a node whose disk was full can forget one, also after there is space again. `
      + 'Deploy again; if it happens again, whoever runs the platform frees space on the disk there, or restarts the engine.',
    remedies: [deployAgain, showClusters],
  },
];
