import type * as z from 'zod';
import { isIdleCluster, type Cluster, type ClusterState, type Reason } from '../contract/index.ts';
import type { Lenient } from './lenient.ts';

type Row = Partial<Lenient<z.infer<typeof Cluster>>>;
type Node = Lenient<NonNullable<z.infer<typeof Cluster>['nodes']>[number]>;

/** Maximum number of nodes that are named individually. */
const mostNamed = 3;

/** The problem of a node; undefined if it accepts instances. */
const trouble = ({ state, availability, state_since: since }: Node): string | undefined => {
  if (state !== 'READY') return `${String(state)}${since ? ` since ${since} or earlier` : ''}`;
  return availability === 'ACTIVE' ? undefined : String(availability);
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const room = (has: number | null | undefined, allotted: number | null | undefined): number =>
  Math.max(0, (has ?? 0) - (allotted ?? 0));

const roomText = (thousandths: number, megabytes: number): string =>
  `${(thousandths / 1000).toFixed(1)} CPUs, ${megabytes} MB`;

/**
 * The machines of a cluster in a sentence or two: how many accept instances, which don't and why, and the room left on
 * those that do, in total and on one.
 * @returns undefined for a cluster without machines, and for one whose only machine is all right
 */
export function nodesText({ name, nodes, warnings }: Row): string | undefined {
  const of = name ?? 'the cluster';
  if (!nodes) return warnings?.[0] ? `Nodes of ${of}: ${warnings[0]}` : undefined;
  const usable = nodes.filter((node) => trouble(node) === undefined);
  const others = nodes.filter((node) => !usable.includes(node));
  if (nodes.length < 2 && others.length === 0) return undefined;
  const told = others.slice(0, mostNamed).map((node) => `${node.name ?? node.id ?? '?'} is ${trouble(node)!}`);
  const more = others.length > mostNamed ? [`${others.length - mostNamed} more take none`] : [];
  const cpu = usable.map((node) => room(node.cpu, node.cpu_allotted));
  const memory = usable.map((node) => room(node.memory, node.memory_allotted));
  // An instance runs on one node: it can't use the room on others.
  const ofOne = usable.length < 2 ? '' : `, and at most ${roomText(Math.max(...cpu), Math.max(...memory))} on one node`;
  return `Nodes of ${of}: ${usable.length} of ${nodes.length} take instances; ${[...told, ...more, `room left: ${roomText(sum(cpu), sum(memory))}${ofOne}`].join('; ')}.`;
}

const badCredentials: ClusterState = 'INVALID_CREDENTIALS';
const unreachable: readonly unknown[] = ['CLUSTER_UNREACHABLE', 'NODES_UNREADABLE'] satisfies Reason[];

/**
 * Why nothing can be deployed to a cluster, as the end of a sentence; undefined if that is possible, or not known to be
 * impossible.
 */
export function whyUnusable({ status, conditions }: Row): string | undefined {
  if (status === badCredentials) return 'the platform has no valid credentials for it (INVALID_CREDENTIALS)';
  const lost = conditions?.find((each) => unreachable.includes(each?.reason));
  if (lost) return `it can not be reached: ${lost.message ?? String(lost.reason)}`;
  return isIdleCluster(status) ? `it does not run (${status!})` : undefined;
}

/** The same as a sentence about the cluster. */
export function unusableText(cluster: Row): string | undefined {
  const why = whyUnusable(cluster);
  return why && `Nothing can run on cluster ${JSON.stringify(cluster.name ?? cluster.id ?? '')}: ${why}.`;
}

/** Since when a cluster can't be reached; undefined if that isn't the trouble, or the platform doesn't tell. */
const unreachableSince = ({ status, conditions }: Row): string | undefined =>
  status === badCredentials
    ? undefined
    : (conditions?.find((each) => unreachable.includes(each?.reason))?.since ?? undefined);

/** The name of a cluster on which nothing can run, with why, and since when if that is told; empty if something can. */
export function unusableNamed(cluster: Row): readonly string[] {
  const [why, since] = [whyUnusable(cluster), unreachableSince(cluster)];
  const when = since === undefined ? 'since when is not told' : `since ${since}`;
  return why === undefined ? [] : [`${cluster.name ?? cluster.id ?? '?'}: ${why}, ${when}`];
}
