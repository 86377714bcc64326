import { onTestFinished } from 'vitest';
import { type Condition, readCondition } from '../../../src/contract/index.ts';
import { dockerBackups } from '../../../src/platform/runtime/docker/databases/backups/backups.ts';
import { type OneShot, observeOneShot } from '../../../src/platform/runtime/docker/databases/backups/one-shot.ts';
import { restoreDatabaseBackup } from '../../../src/platform/runtime/docker/databases/backups/restore.ts';
import { databaseOperations } from '../../../src/platform/runtime/docker/databases/database-roll-out.ts';
import { placementOf } from '../../../src/platform/runtime/docker/nodes/placement.ts';
import {
  type BackupTask,
  type DatabaseBackups,
  type RuntimeCall,
  type Task,
  runtimesOf,
  simulatedRuntimeName,
} from '../../../src/platform/runtime/index.ts';
import { eventually } from '../../support/eventually.ts';
import { addEnvironment, openEngineFixture } from '../engine/engine-fixture.ts';
import { contextWith, ended, fails, frame, node, service, signal, waiting } from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

const database = { ...service, kind: 'database', spec: { type: 'POSTGRESQL', version: '16', cpu: 500, memory: 512 } };
const created = '2026-11-20T10:20:00Z';

/** What the engine has of a script, on a node in this state. */
const script = (state: string, tasks: readonly object[], said: unknown = Buffer.alloc(0)) => ({
  '/logs': said,
  '/tasks': tasks,
  '/nodes': [node('b', state, { Spec: { Availability: 'active' } })],
  '/services/': {
    ID: 's',
    CreatedAt: created,
    Version: { Index: 1 },
    Spec: { TaskTemplate: placementOf({ boundTo: 'b' }) },
  },
});
/** Why a script fails. */
const failed = async (answers: object, limitSeconds = 3600): Promise<Condition | undefined> => {
  const run = { id: 'r', database, nodeId: 'b', limitSeconds } as unknown as OneShot;
  const seen = await observeOneShot(await contextWith({ ...answers }), run, signal);
  return seen.outcome === 'failed' ? seen.why : undefined;
};

const record = JSON.stringify({ image: 'postgres:16', entrypoint: [], command: [], dataVersion: '15' });
const kept = JSON.stringify({ nodeId: 'b', node: 'node-b', dataVersion: '16' });
const restoration = { backupId: 'b1', backup: '"nightly"', record: kept, place: 'b' };
const task = {
  deploymentId: 'd',
  beganAt: 0,
  fencingToken: 1,
  service: database,
  phase: { operation: 'rollOut', limitSeconds: 60 },
  record,
} as unknown as Task;

/** What the log tells of a database that is brought back with an empty server in this state. */
const notRestored = async (answers: object): Promise<Condition | undefined> => {
  const context = await contextWith({ ...answers, '/': [] });
  const cursor = JSON.stringify({ part: 1, cursor: 'begun' });
  const seen = await restoreDatabaseBackup.observe(context, { ...task, restoration }, cursor, {
    signal,
  } as RuntimeCall);
  return seen.lines.at(-1)?.condition;
};

/** What keeps a backup from being deleted. */
const undeleted = async (answers: object): Promise<Condition | undefined> => {
  const running = { service: database, record } as unknown as BackupTask['database'];
  const backup = { id: 'b1', database: running, record: kept, beganAt: 0 };
  const seen = await dockerBackups(await contextWith({ ...answers })).remove(backup, signal);
  return seen.outcome === 'ongoing' ? seen.why : undefined;
};

/** Why a backup in this state, of a database that is deployed, is not made or deleted. */
async function recorded(
  state: 'ongoing' | 'deleting',
  backups?: Partial<DatabaseBackups>,
): Promise<Condition | undefined> {
  const fixture = await openEngineFixture({ started: false });
  onTestFinished(() => fixture.close());
  const { ids } = await addEnvironment(fixture.db, 'one', { shop: { kind: 'database' } });
  const deployed = { deployed_spec: '{}', last_deployment_id: 'd', last_deployment_at: created };
  await fixture.db.updateTable('service').set(deployed).execute();
  const backup = { id: 'b1', service_id: ids['shop']!, name: 'nightly', message: '', state, is_scheduled: 0 as const };
  await fixture.db
    .insertInto('backup')
    .values({ ...backup, created_at: created, due_ms: 0, record: '{}' })
    .execute();
  const { backups: _, ...without } = fixture.runtime;
  const runtime = { ...without, ...(backups && { backups: backups as DatabaseBackups }) };
  const engine = fixture.anotherEngine({ runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }) });
  await engine.start();
  onTestFinished(() => engine.stop());
  return eventually(async () => {
    const { reason } = await fixture.db.selectFrom('backup').select('reason').executeTakeFirstOrThrow();
    if (reason === null) throw new Error('Nothing is said of it.');
    return readCondition(reason);
  });
}

/** Why backups are not made, deleted or brought back. */
export const ofBackups: readonly MadeCondition[] = [
  shown('SCRIPT_NODE_LOST', 'answer', () => failed(script('down', []))),
  shown('SCRIPT_WITHOUT_ROOM', 'answer', () => failed(script('ready', [waiting()]))),
  shown('SCRIPT_OVERDUE', 'answer', () => failed(script('ready', []), 1)),
  shown('SCRIPT_FAILED', 'answer', () => failed(script('ready', [ended('failed')], frame('it is full')))),
  shown('SCRIPT_ENDED', 'answer', () => failed(script('ready', [ended('failed', 'it was killed')]))),
  shown('EMPTY_SERVER_REMOVED', 'log', () => notRestored({ '/services/infra-restore': fails(404, 'none') })),
  read(
    'EMPTY_SERVER_FAILED',
    'log',
    'app_crashed',
    () => {
      const tasks = ['1', '2', '3'].map((ID) => ended('failed', '', { ID }));
      return notRestored({ '/containers/': { State: { ExitCode: 3 } }, ...script('ready', tasks) });
    },
    { confidence: 'low' },
  ),
  shown('NOT_RESTORED', 'log', () => notRestored(script('ready', [waiting()]))),
  shown('DATA_VERSION_MISMATCH', 'log', async () => {
    const seen = await databaseOperations.rollOut!.observe(
      await contextWith({}),
      { ...task, runningRecord: record },
      null,
      { signal } as RuntimeCall,
    );
    return seen.lines.at(-1)?.condition;
  }),
  shown('BACKUP_IMPOSSIBLE', 'answer', () => recorded('ongoing')),
  shown('BACKUP_KEPT', 'answer', () => recorded('deleting')),
  shown('BACKUP_FAILED', 'answer', () =>
    recorded('ongoing', { observe: () => Promise.reject(new Error('it is broken')) }),
  ),
  shown('BACKUP_OUT_OF_REACH', 'answer', () => undeleted(script('down', []))),
  shown('BACKUP_NOT_DELETED', 'answer', () => undeleted(script('ready', [ended('failed', 'it was killed')]))),
];
