import {
  backupStates,
  defaultPageSizes,
  type OperationNamed,
  readCondition,
  type ResponseOf,
} from '../../../contract/index.ts';
import type { Recovery } from '../../engine/index.ts';
import type { BackupTable } from '../../store/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { acceptedAnswer, requester } from './service-deployments.ts';
import { findService } from './find.ts';
import { withoutNulls } from './rows.ts';

type Row = Omit<BackupTable, 'service_id' | 'due_ms' | 'record' | 'is_scheduled'>;

const answer = ({ id, name, message, state, created_at, ended_at, node, bytes, reason: stored }: Row) => {
  const why = stored === null ? undefined : readCondition(stored);
  return {
    id,
    name,
    message,
    status: { state: backupStates[state] },
    created_at,
    ...withoutNulls({ ended_at, node, bytes }),
    ...(why && { reason: why.message, condition: why }),
  };
};

const recoveryAnswer = ({
  backup,
  plan,
  refusal,
  noBackups,
}: Recovery): ResponseOf<OperationNamed<'get_database_recovery'>> => ({
  ...(backup && { backup: answer(backup) }),
  ...(plan && {
    node: plan.node,
    old_volume: plan.oldVolume,
    ...(plan.lost !== undefined && { node_lost: plan.lost }),
    ...(plan.to && { to_node: plan.to.node }),
    ...(plan.mayComeBack !== undefined && { may_come_back: plan.mayComeBack }),
  }),
  ...(refusal !== undefined && { refusal }),
  ...(noBackups !== undefined && { no_backups: noBackups }),
});

export const backupHandlers = {
  list_database_backups: async ({ database_id, page = 1, page_size: size }, { db }) => {
    await findService(db, 'database', database_id);
    const pageSize = size ?? defaultPageSizes.rows;
    const rows = await db
      .selectFrom('backup')
      .selectAll()
      .where('service_id', '=', database_id)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute();
    return { page, page_size: pageSize, results: rows.map(answer) };
  },
  create_database_backup: async ({ database_id, name, message }, { db, engine }) =>
    answer(await engine.requestBackup(db, database_id, { name, message })),
  delete_database_backup: async ({ database_id, backup_id }, { db, engine }) => {
    await engine.deleteBackup(db, database_id, backup_id);
    return undefined;
  },
  get_database_recovery: {
    withoutTransaction: async ({ database_id, backup_id }, { db, engine }) =>
      recoveryAnswer(await engine.recovery(db, database_id, backup_id)),
  },
  restore_database: {
    prepare: ({ database_id, backup_id }, { db, engine }) => engine.recovery(db, database_id, backup_id),
    handle: async ({ database_id, without_waiting }, context, recovery: Recovery) => {
      const { db, engine } = context;
      const request = await engine.restore(db, database_id, requester(context), recovery, without_waiting ?? false);
      return { ...acceptedAnswer(request, await engine.serviceStatus(db, database_id)), database_id };
    },
  },
} satisfies Partial<
  OperationHandlers<
    | 'list_database_backups'
    | 'create_database_backup'
    | 'delete_database_backup'
    | 'get_database_recovery'
    | 'restore_database'
  >
>;
