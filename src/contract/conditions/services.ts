import * as z from 'zod';
import { backupText, NamedBackup } from './backups.ts';
import { ConditionShape, count, plainReason, reasonWith, words, texts } from './reason.ts';

/** A change to a service outside the platform. */
const Change = z.discriminatedUnion('of', [
  z.object({ of: z.literal('scale'), from: count, to: count }),
  z.object({ of: z.literal('image'), to: words.optional() }),
  z.object({ of: z.literal('variables'), names: texts }),
  z.object({ of: z.enum(['command', 'volumes', 'secrets or files', 'health check', 'networks', 'limits', 'nodes']) }),
]);
export type OutsideChange = z.output<typeof Change>;

const partTexts = {
  command: 'the command of its instances on the engine',
  volumes: 'its volumes on the engine',
  'secrets or files': 'the secrets or files of its instances on the engine',
  'health check': 'its health check on the engine',
  networks: 'its networks on the engine',
  limits: 'its limits of CPU and memory on the engine',
  nodes: 'on which nodes it may run',
};

/** The change, as a sentence without its end. */
export function outsideChangeText(change: OutsideChange): string {
  if (change.of === 'scale') return `Somebody scaled it from ${change.from} to ${change.to} on the engine`;
  if (change.of === 'image') return `Somebody changed its image on the engine to ${change.to ?? 'another one'}`;
  if (change.of === 'variables') return `Somebody changed its variables on the engine: ${change.names.join(', ')}`;
  return `Somebody changed ${partTexts[change.of]}`;
}

/** The text that a service is gone, as a sentence without its end. */
export const removedText =
  'Its service is not on the engine any more: somebody removed it, or created the cluster again';

const runs = (isKnown: boolean, isOne: boolean): string =>
  isKnown ? (isOne ? 'runs' : 'run') : `${isOne ? 'is' : 'are'} known to run`;

/** Conditions of a running service, and of its instances. */
export const serviceReasons = {
  INSTANCES_MISSING: reasonWith(
    { running: count, wanted: count, isKnown: z.boolean() },
    ({ running, wanted, isKnown }) =>
      running === 0
        ? `No instance of it ${runs(isKnown, true)}.`
        : `Only ${running} of ${wanted} instances ${runs(isKnown, false)}.`,
  ),
  UNAVAILABLE: reasonWith(
    { isKnown: z.boolean() },
    ({ isKnown }) => `Unavailable: no instance of it ${runs(isKnown, true)}.`,
  ),
  AVAILABLE: reasonWith(
    { running: count, wanted: count },
    ({ running, wanted }) => `Available again: ${running} of ${wanted} instances run.`,
  ),
  /** `times` is the number since the deployment; `at` is the last time. */
  CRASHED: reasonWith(
    { times: count, at: words, cause: ConditionShape },
    ({ times, at, cause }) =>
      `${times === 1 ? 'An instance has' : `Instances have ${times} times`} ended unexpectedly since the deployment. The last time, at ${at}: ${cause.message}.`,
  ),
  /** `nth` counts the failures since the deployment. */
  INSTANCE_FAILED: reasonWith(
    { instance: words, cause: ConditionShape, nth: count.optional() },
    ({ instance, cause, nth }) =>
      `Instance ${instance} failed: ${cause.message}${nth === undefined ? '' : `. It is started again${nth === 1 ? '' : ` (failure ${nth} since the deployment)`}.`}`,
  ),
  INSTANCE_LOST: reasonWith(
    { instance: words, cause: ConditionShape, replacement: z.enum(['waits for that node', 'elsewhere']).optional() },
    ({ instance, cause, replacement }) => {
      const gone = `Instance ${instance} is gone: ${cause.message}`;
      if (replacement === undefined) return gone;
      return `${gone}. ${replacement === 'elsewhere' ? 'Another one is started on another node, if one fits and has room.' : 'It can only run there, and is started again when that node is back.'}`;
    },
  ),
  CHANGED_EXTERNALLY: reasonWith(
    { change: Change },
    ({ change }) => `${outsideChangeText(change)}. Deploy it again to undo that.`,
  ),
  REMOVED_EXTERNALLY: plainReason(`${removedText}. Deploy it again.`),
  CHANGES_UNDONE: plainReason('What somebody changed of it is as it was deployed again.'),
  /** `backup` is the newest complete backup. */
  DATA_ON_NODE: reasonWith(
    { backup: NamedBackup.optional(), isBackedUpHere: z.boolean() },
    ({ backup, isBackedUpHere }) =>
      backup
        ? `Its data is on its node only. If that node does not come back: its newest complete backup is ${backupText(backup)}, and restore_database brings it back on another node, without what was written since.`
        : `Its data is on its node only, and it has no backup${isBackedUpHere ? '' : ': only PostgreSQL is backed up here'}. It needs that node.`,
  ),
};
