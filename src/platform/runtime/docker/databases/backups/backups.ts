import { condition } from '../../../../../contract/index.ts';
import {
  type BackupDeletion,
  type BackupObservation,
  type BackupTask,
  type DatabaseBackups,
  onlyPostgres,
  type RunningDatabase,
} from '../../../index.ts';
import { dataVersionOf } from '../databases.ts';
import type { DockerContext } from '../../docker-context.ts';
import { type DockerNode, isDockerAway, isDockerError, listDockerNodes } from '../../api/index.ts';
import { fits } from '../../nodes/fitting-nodes.ts';
import { dockerServiceName } from '../../names.ts';
import { byNodeName, takesInstances } from '../../nodes/node-facts.ts';
import { boundNode } from '../../nodes/placement.ts';
import { pollPause } from '../../waits.ts';
import { readRecord, type DockerRecord } from '../../record.ts';
import { type BackupRecord, readBackupRecord, writeBackupRecord } from './backup-record.ts';
import { cleanOneShot, observeOneShot } from './one-shot.ts';
import { planRecovery } from './recovery-plan.ts';
import { backupScript, removeScript, sizeMark } from './scripts.ts';

/** The time limits for a backup and for its removal, in seconds. */
const limitSeconds = 12 * 3600;
const removalSeconds = 600;

const poll = { least: 300, most: 5000, part: 0.05 };

/** The interval for checking a lost node again, in milliseconds. */
const lostMilliseconds = 60_000;

/** The record of a database's deployment. @throws Error if there is none */
function deployedRecord({ record, service }: RunningDatabase): DockerRecord {
  const found = readRecord(record);
  if (found === undefined)
    throw new Error(`${service.name} has no recorded deployment on this cluster: deploy it first.`);
  return found;
}

/** Whether a node has a label. @param label its name, and its value after an equals sign */
const hasLabel = (node: DockerNode, label: string): boolean =>
  fits(node, { Placement: { Constraints: [`node.labels.${label.replace('=', '==')}`] } });

/** The node to put a backup on: not the database's, if there is another, and preferably the node of the last backup. */
async function chooseNode(
  { docker, backupNodeLabel: label }: Pick<DockerContext, 'backupNodeLabel' | 'docker'>,
  { database, latestRecord }: BackupTask,
  signal: AbortSignal,
): Promise<DockerNode> {
  const nodes = (await listDockerNodes(docker, {}, { signal })).filter(
    (node) => takesInstances(node) && (label === undefined || hasLabel(node, label)),
  );
  const { spec } = deployedRecord(database);
  const own = spec && boundNode(spec.TaskTemplate);
  const last = latestRecord === undefined ? undefined : readBackupRecord(latestRecord).nodeId;
  const others = nodes.filter(({ ID }) => ID !== own).toSorted(byNodeName);
  const chosen = others.find(({ ID }) => ID === last) ?? others[0] ?? nodes[0];
  if (chosen === undefined)
    throw new Error(
      `No node takes the backup: none is ready and active${label === undefined ? '' : ` and has the label ${label}`}.`,
    );
  return chosen;
}

const bytesIn = (lines: readonly string[]): { readonly bytes?: number } => {
  const bytes = Number(
    lines
      .findLast((line) => line.startsWith(sizeMark))
      ?.slice(sizeMark.length)
      .trim(),
  );
  return Number.isSafeInteger(bytes) ? { bytes } : {};
};

/** The common part of all runs for a backup. */
const runOf = ({ id, database }: BackupTask, { nodeId }: BackupRecord) => ({
  database: database.service,
  image: deployedRecord(database).image,
  backupId: id,
  nodeId,
});

/** Backups of databases on a swarm. Each is created by a service that runs once, on another node if there is one. */
export function dockerBackups(context: DockerContext): DatabaseBackups {
  const observe: DatabaseBackups['observe'] = async (task, { credentials, signal }): Promise<BackupObservation> => {
    const now = context.clock.now();
    if (task.record === undefined) {
      const { ID: nodeId, Description } = await chooseNode(context, task, signal);
      const dataVersion = deployedRecord(task.database).dataVersion ?? dataVersionOf(task.database.service.spec);
      return {
        outcome: 'ongoing',
        nextPollAt: now,
        record: writeBackupRecord({ nodeId, node: Description.Hostname, dataVersion }),
      };
    }
    const record = readBackupRecord(task.record);
    const run = {
      ...runOf(task, record),
      id: task.id,
      script: backupScript,
      limitSeconds,
      server: { host: dockerServiceName(task.database.service), credentials },
    };
    const seen = await observeOneShot(context, run, signal).catch(async (error: unknown) => {
      // That ends the backup: its run must stop, and its password must not stay on the engine.
      if (!signal.aborted && isDockerError(error) && !isDockerAway(error))
        await cleanOneShot(context, run, signal).catch(() => undefined);
      throw error;
    });
    if (seen.outcome === 'ongoing')
      return { outcome: 'ongoing', nextPollAt: now + pollPause(poll, now - task.beganAt) };
    await cleanOneShot(context, run, signal);
    return seen.outcome === 'failed'
      ? seen
      : { outcome: 'succeeded', record: task.record, node: record.node, ...bytesIn(seen.lines) };
  };

  const remove: DatabaseBackups['remove'] = async (task, signal): Promise<BackupDeletion> => {
    const now = context.clock.now();
    const record = readBackupRecord(task.record!);
    const node = (await listDockerNodes(context.docker, {}, { signal })).find(({ ID }) => ID === record.nodeId);
    // The files on a node that was removed from the swarm are permanently out of reach.
    if (node === undefined) return { outcome: 'succeeded' };
    if (!takesInstances(node))
      return {
        outcome: 'ongoing',
        nextPollAt: now + lostMilliseconds,
        why: condition('BACKUP_OUT_OF_REACH', { node: record.node }),
      };
    const run = { ...runOf(task, record), id: `${task.id}-delete`, script: removeScript, limitSeconds: removalSeconds };
    const seen = await observeOneShot(context, run, signal);
    if (seen.outcome === 'ongoing') return { outcome: 'ongoing', nextPollAt: now + poll.least };
    await cleanOneShot(context, run, signal);
    return seen.outcome === 'succeeded'
      ? seen
      : {
          outcome: 'ongoing',
          nextPollAt: now + lostMilliseconds,
          why: condition('BACKUP_NOT_DELETED', { cause: seen.why }),
        };
  };

  return {
    refusalOf: onlyPostgres,
    observe,
    remove,
    plan: (database, record, signal) => planRecovery(context, database, readBackupRecord(record), signal),
  };
}
