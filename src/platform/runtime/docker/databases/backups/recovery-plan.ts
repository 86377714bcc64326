import { isoAt, unknownTime } from '../../../../../contract/index.ts';
import type { RecoveryPlan, RunningDatabase } from '../../../index.ts';
import { dataStorage, dataVersionOf } from '../databases.ts';
import type { DockerContext } from '../../docker-context.ts';
import { type DockerNode, type DockerServiceSpec, listDockerNodes } from '../../api/index.ts';
import { fits } from '../../nodes/fitting-nodes.ts';
import { volumeName } from '../../names.ts';
import { byNodeName, nodeName, restText, takesInstances } from '../../nodes/node-facts.ts';
import { boundNode } from '../../nodes/placement.ts';
import { readRecord } from '../../record.ts';
import type { BackupRecord } from './backup-record.ts';

/**
 * How long a node that is down may come back by itself, in milliseconds: machines restart, cables are plugged back in.
 */
const mayComeBackMilliseconds = 600_000;

const activate = (node: DockerNode): string => `docker node update --availability active ${nodeName(node)}`;

/** Why a running node doesn't take instances; undefined if it does. */
const idle = (node: DockerNode): string | undefined => restText(node) && `is only ${restText(node)}`;

/** Why the files of a backup can't be read; undefined if they can. */
function backupRefusal(nodes: readonly DockerNode[], { nodeId, node: name }: BackupRecord): string | undefined {
  const node = nodes.find(({ ID }) => ID === nodeId);
  const elsewhere = 'or choose a backup on another node, if there is one.';
  if (node === undefined)
    return `The backup is on the node ${name}, which is not part of the cluster any more. Choose a backup on another node, if there is one.`;
  if (node.Status.State !== 'ready')
    return `The backup is on the node ${name}, which doesn't answer either (${node.Status.State}). Start that node, ${elsewhere}`;
  const why = idle(node);
  return (
    why &&
    `The backup is on the node ${name}, which ${why}: ${activate(node)} makes it take instances. Do that, ${elsewhere}`
  );
}

/** Why a database whose node runs must not be restored from a backup; undefined if it may be. */
function nodeRefusal(node: DockerNode): string | undefined {
  if (node.Status.State === 'unknown' || node.Status.State === 'disconnected')
    return `Its node ${nodeName(node)} doesn't respond at the moment: whether it is lost is not known yet. Try again in a minute.`;
  const why = idle(node);
  return node.Status.State === 'ready' && why !== undefined
    ? `Its node ${nodeName(node)} ${why}, and has all of its data. ${activate(node)} starts it there again.`
    : undefined;
}

/**
 * The new node of a database whose node is lost: as its placement rules require, and preferably not the backup's node.
 */
const newNode = (
  nodes: readonly DockerNode[],
  { TaskTemplate: { Placement } }: DockerServiceSpec,
  { nodeId }: BackupRecord,
): DockerNode | undefined => {
  const asked = {
    Placement: {
      Constraints: (Placement?.Constraints ?? []).filter(
        (each) => boundNode({ Placement: { Constraints: [each] } }) === undefined,
      ),
    },
  };
  const able = nodes.filter((node) => takesInstances(node) && fits(node, asked)).toSorted(byNodeName);
  return able.find(({ ID }) => ID !== nodeId) ?? able[0];
};

/** Plans the restoration of a database from a backup as of now: on its node if that runs, otherwise on another one. */
export async function planRecovery(
  { docker, clock }: Pick<DockerContext, 'clock' | 'docker'>,
  { service, record }: RunningDatabase,
  backup: BackupRecord,
  signal: AbortSignal,
): Promise<RecoveryPlan> {
  const deployed = readRecord(record);
  const own = deployed?.spec && boundNode(deployed.spec.TaskTemplate);
  if (deployed?.spec === undefined || own === undefined)
    throw new Error('the location of its data was not recorded. Deploy it first.');
  const nodes = await listDockerNodes(docker, {}, { signal });
  const node = nodes.find(({ ID }) => ID === own);
  const present = {
    node: node === undefined ? own : nodeName(node),
    oldVolume: deployed.data?.volume ?? volumeName(service, dataStorage),
  };
  const version = dataVersionOf(service.spec);
  const refusal =
    (backup.dataVersion === version
      ? undefined
      : `The backup is of major version ${backup.dataVersion ?? 'unknown'}, and the database of ${version ?? 'unknown'}. Set its version back to ${backup.dataVersion ?? 'that of the backup'}.`) ??
    (node && nodeRefusal(node)) ??
    backupRefusal(nodes, backup);
  if (node?.Status.State === 'ready')
    return { ...present, ...(refusal === undefined ? { to: { node: nodeName(node), place: node.ID } } : { refusal }) };
  const down = node && Date.parse(node.UpdatedAt);
  const lost =
    down === undefined
      ? 'is not part of the cluster any more'
      : `has been down since ${isoAt(down) ?? `an ${unknownTime}`} or earlier`;
  const to = newNode(nodes, deployed.spec, backup);
  const why =
    refusal ??
    (to === undefined
      ? 'No other node is ready and active and meets its placement rules: add one, or start its node.'
      : undefined);
  const isFresh = down !== undefined && clock.now() - down < mayComeBackMilliseconds;
  return {
    ...present,
    lost,
    ...(why === undefined && to ? { to: { node: nodeName(to), place: to.ID } } : { refusal: why! }),
    ...(isFresh && {
      mayComeBack: `Its node ${present.node} ${lost}, which is less than ${mayComeBackMilliseconds / 60_000} minutes ago: if it starts again, the database is there with all of its data.`,
    }),
  };
}
