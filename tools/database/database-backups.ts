import * as z from 'zod';
import { age, isRecord, operations, reference, unknownTime, type InputOf } from '../../src/contract/index.ts';
import {
  compact,
  defineTool,
  notKnown,
  omit,
  pick,
  planOperation,
  reading,
  readUses,
  rowsIn,
  show,
  textAt,
  textOf,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type Renderer,
  record,
  table,
} from '../../src/server/tool/index.ts';
import { oneOfOrNone } from '../shared/any-service.ts';
import { startMoment } from '../shared/deployment-started.ts';
import { lackingText, unlessFailing } from '../shared/places.ts';
import { backupRemarks, remarkLines } from './backup-remarks.ts';
import { isComplete, newestBackups, newestColumns, newestUntil, readsOfNewest, whyNone } from './backups-everywhere.ts';

const mayRefuse = readUses(
  'that the database can not be backed up is only said by the platform, after the call',
  operations.get_database_recovery,
  operations.get_database,
);

/** What is known of whether a database can be backed up where the platform doesn't say it. */
const whetherBackedUp: Preview = reading(mayRefuse, async ({ database_id: id }, { reader }) => {
  const database_id = String(id);
  if (await reader.attempt(operations.get_database_recovery, { database_id })) return [];
  const mode = textOf(await reader.attempt(operations.get_database, { database_id }), 'mode');
  return mode === 'MANAGED'
    ? [
        'It is MANAGED: its cloud runs it. Not known: whether that has backups of it, and whether the platform begins one.',
      ]
    : [notKnown('whether the platform backs up such a database')];
});

export const createDatabaseBackup = defineTool(operations.create_database_backup, {
  toolset: 'services',
  title: 'Take a backup of a database',
  description: 'Back up a PostgreSQL database (db) now: dump, snapshot, save its data.',
  reads: mayRefuse,
  // What the platform would refuse is neither planned nor asked about.
  expand: async (args, context) => {
    const input = args as InputOf<typeof operations.create_database_backup>;
    const { database_id } = input;
    const recovery = await unlessFailing(context.attempt(operations.get_database_recovery, { database_id }));
    const why = textOf(recovery, 'no_backups');
    if (why !== undefined) context.refuse('this database can not be backed up', 'No backup was begun.', why);
    return [planOperation(operations.create_database_backup, input)];
  },
  preview: whetherBackedUp,
  render: record({ first: ['name', 'id', 'status'], omitted: ['condition'] }),
  next: (_view, { database_id }) => [
    {
      tool: 'list_database_backups',
      arguments: { database_id },
      why: 'begun, not complete yet: this tells when it is',
    },
  ],
});

const backupColumns = ['name', 'status.state', 'created_at', 'ended_at', 'node', 'bytes', 'reason', 'message', 'id'];

const isEverywhere = (answer: JsonRecord): boolean => answer['looked_at'] !== undefined;

const besides = ['looked_at', 'unread', 'not_looked_into', 'why_none', 'remarks'];

/** The backups of a database, or the newest of each, with what has to be said of them. */
const rendered = (one: Renderer, each: Renderer): Renderer => ({
  ...one,
  shown: [...new Set([...(one.shown ?? []), ...(each.shown ?? [])])],
  columns: [...new Set([...(one.columns ?? []), ...(each.columns ?? [])])],
  view: (answer) => ({ ...(isEverywhere(answer) ? each : one).view(answer), ...pick(answer, besides) }),
  text: (view) =>
    view['why_none'] === undefined
      ? [
          (isEverywhere(view) ? each : one).text(omit(view, besides)),
          ...remarkLines(view['remarks']),
          ...(isEverywhere(view) ? [`Looked at: ${compact(view['looked_at'])}.`, ...lackingText(view)] : []),
        ].join('\n')
      : // A number would read as if somebody had looked.
        `No backups are known here. Why: ${compact(view['why_none'])}.`,
  only: (columns) => rendered(table('backup', columns), table('database', columns)),
});

const Backup = operations.list_database_backups.response.shape.results.element;

export const listDatabaseBackups = defineTool(operations.list_database_backups, {
  toolset: 'services',
  title: 'Show each backup, dump of a database',
  description:
    'Backups (backup, dumps, snapshots) of a database (db), or newest of all databases: age, complete (DEPLOYED).',
  input: { database_id: reference('database').optional(), project: reference('project').optional() },
  rules: oneOfOrNone('database_id', 'project'),
  reads: readsOfNewest,
  output: z.object({
    page: z.int().optional(),
    page_size: z.int().optional(),
    results: z.array(Backup.extend({ path: z.string(), newer: z.string(), none: z.string() }).partial()),
  }),
  answer: async (args, context) => {
    if (args['database_id'] === undefined) return newestBackups(context, args);
    const input = args as InputOf<typeof operations.list_database_backups>;
    const answer = await context.read(operations.list_database_backups, input);
    // Only the first page has the newest ones.
    const newest = (input.page ?? 1) === 1 ? rowsIn(answer) : undefined;
    const why = newest?.length === 0 ? await whyNone(input.database_id, context) : undefined;
    const remarks = backupRemarks(newest ?? [], context.now());
    return {
      ...answer,
      ...(why !== undefined && { why_none: why.replace(/\.$/, '') }),
      ...(remarks.length > 0 && { remarks }),
    };
  },
  render: rendered(table('backup', backupColumns), table('database', newestColumns)),
});

const recoveryReads = readUses(
  'the plan does not show which backup is used, how old it is, and where the database would run',
  operations.get_database_recovery,
);

type Recovery = JsonRecord | undefined;

/** What the database has afterwards: a confirmation covers the backup, not the passing time. */
function backupLine(recovery: JsonRecord, now: number): PlanLine {
  const made = textAt(recovery, 'backup.created_at') ?? `an ${unknownTime}`;
  const old = Number.isNaN(Date.parse(made)) ? '' : ` (${age(Date.parse(made), now)})`;
  const which = `the backup ${show(textAt(recovery, 'backup.name'))} of ${made}`;
  const text = `Afterwards the database has what ${which}${old} has, and nothing else: what was written since is not in it.`;
  return { text, agreed: which };
}

/**
 * What becomes of the previous data. The platform never attaches the old volume again (docs/decisions/50), so that only a
 * backup that is made first leads back to it.
 */
function oldDataLines(recovery: JsonRecord, node: string, isLost: boolean): readonly PlanLine[] {
  const volume = textOf(recovery, 'old_volume');
  if (volume === undefined) return [notKnown('what becomes of its previous data')];
  const stays = `Its previous data stays in the volume ${show(volume)} on ${node}, and nothing uses it any more${isLost ? ', also when the node is back' : ''}.`;
  const noWayBack = 'No call brings it back from there; whoever runs the cluster can still read that volume.';
  return isLost
    ? [`${stays} ${noWayBack}`]
    : [
        `${stays} ${noWayBack}`,
        {
          text: 'To be able to come back to it, create a database backup first: that one can be restored later.',
          agreed: '',
          after: '',
        },
      ];
}

/** Where the database runs afterwards, and what happens to its previous data. */
function placeLines(recovery: JsonRecord): readonly PlanLine[] {
  const [node, to, lost] = [
    show(textOf(recovery, 'node')),
    show(textOf(recovery, 'to_node')),
    textOf(recovery, 'node_lost'),
  ];
  const moves =
    lost === undefined
      ? {
          text: `It stays on the node ${node}, and stops for a moment while the data is exchanged.`,
          agreed: `stays on ${node}`,
        }
      : { text: `Its node ${node} ${lost}. It moves to the node ${to}.`, agreed: `from ${node} to ${to}` };
  return [moves, ...oldDataLines(recovery, node, lost !== undefined)];
}

const whatReturns: Preview = reading(recoveryReads, async ({ backup_id }, { target, reader, now = Date.now() }) => {
  const recovery: Recovery =
    target.id === undefined
      ? undefined
      : await reader.attempt(operations.get_database_recovery, {
          database_id: target.id,
          ...(typeof backup_id === 'string' && { backup_id }),
        });
  return isRecord(recovery?.['backup'])
    ? [backupLine(recovery, now), ...placeLines(recovery)]
    : [notKnown('what is brought back, and how old it is')];
});

export const restoreDatabase = defineTool(operations.restore_database, {
  toolset: 'services',
  title: 'Restore a database from a backup: get data back',
  description: 'Bring a database (db), its data back from a backup: recover lost, deleted or wrong data.',
  ...startMoment('DEPLOY', 'database_id'),
  reads: [...recoveryReads, ...(startMoment('DEPLOY', 'database_id').reads ?? [])],
  expand: async (args, context) => {
    const { wait: _, ...input } = args as InputOf<typeof operations.restore_database> & { readonly wait?: boolean };
    const { database_id, backup_id } = input;
    const recovery: Recovery = await context.attempt(operations.get_database_recovery, {
      database_id,
      ...(backup_id !== undefined && { backup_id }),
    });
    const [refusal, mayComeBack] = [textOf(recovery, 'refusal'), textOf(recovery, 'may_come_back')];
    if (refusal !== undefined) return context.refuse(refusal.replace(/\.$/, ''), 'Nothing was changed.');
    if (mayComeBack !== undefined && input.without_waiting !== true)
      return context.refuse(
        mayComeBack.replace(/\.$/, ''),
        'If the user does not want to wait, set without_waiting to true.',
      );
    const chosen = backup_id ?? textAt(recovery, 'backup.id');
    return [
      planOperation(operations.restore_database, { ...input, ...(chosen !== undefined && { backup_id: chosen }) }),
    ];
  },
  preview: whatReturns,
});

const madeText = (backup: JsonRecord): string =>
  `${show(textOf(backup, 'name'))} of ${textOf(backup, 'created_at') ?? `an ${unknownTime}`}`;

/** What the database can be restored from without a backup. */
function withoutIt(backup: JsonRecord, all: readonly JsonRecord[]): readonly string[] {
  if (!isComplete(backup)) return ['It is not complete: nothing could be brought back from it now.'];
  const complete = all.filter(isComplete);
  const [other] = complete.filter((one) => one !== backup);
  if (!other) return ['No other complete backup of this database is shown here.'];
  return complete[0] === backup ? [`It is the newest complete one; the next is ${madeText(other)}.`] : [];
}

const goesAway: Preview = reading(
  readUses('the plan does not show which backup it is, and which others there are', operations.list_database_backups),
  async ({ database_id, backup_id }, { reader }) => {
    const all = (await newestUntil(({ id }) => id === backup_id, String(database_id), reader)) ?? [];
    const backup = all.find(({ id }) => id === backup_id);
    return [
      'Its files go with it: what only this backup has can not be brought back.',
      ...(backup
        ? [`The backup ${madeText(backup)} (${show(backup['message'])}).`, ...withoutIt(backup, all)]
        : [notKnown('which backup it is, and which others there are')]),
    ];
  },
);

export const deleteDatabaseBackup = defineTool(operations.delete_database_backup, {
  toolset: 'administration',
  title: 'Delete a backup of a database',
  description: 'Delete one old backup (dump, snapshot) of a database for good.',
  preview: goesAway,
  render: record(),
});
