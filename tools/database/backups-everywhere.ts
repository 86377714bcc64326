import { backupStates, defaultPageSizes, maximumPageSize, operations, segmentOf } from '../../src/contract/index.ts';
import {
  isPlatformFailure,
  pruneRecord,
  readUses,
  rowsIn,
  textAt,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin } from '../shared/allowance.ts';
import { lackingPlaces, lookedAtText, placesWithin, readsOfPlaces, unlessFailing } from '../shared/places.ts';

/** The reads that say why a database has no backups. */
export const readsOfNone: readonly ReadUse[] = readUses(
  'why a database has no backups is not known',
  operations.get_database_recovery,
);

/** The reads for the newest backup of each database. */
export const readsOfNewest: readonly ReadUse[] = [...readsOfPlaces, ...readsOfNone];

/** The columns of a database with its newest backup. */
export const newestColumns = ['path', 'name', 'status.state', 'created_at', 'bytes', 'message', 'newer', 'none', 'id'];

/** Number of requests for a database: its backups, and why there are none. */
const requestsEach = 2;

/** Why a database has no backups, such as that its cloud makes them; undefined if that is not known. */
export async function whyNone(databaseId: string, context: ToolContext): Promise<string | undefined> {
  return textOf(
    await unlessFailing(context.attempt(operations.get_database_recovery, { database_id: databaseId })),
    'refusal',
  );
}

interface Database {
  readonly id: string;
  readonly path: string;
}

/** Whether a database can be restored from a backup. */
export const isComplete = (backup: JsonRecord): boolean => textAt(backup, 'status.state') === backupStates.complete;

/**
 * The newest backups of a database: a page of them or, where a full page doesn't have what is looked for, the largest.
 * Undefined if they can't be read.
 */
export async function newestUntil(
  isSought: (backup: JsonRecord) => boolean,
  database_id: string,
  { attempt }: Pick<ToolContext, 'attempt'>,
): Promise<readonly JsonRecord[] | undefined> {
  const page = await attempt(operations.list_database_backups, { database_id });
  if (!page) return undefined;
  const newest = rowsIn(page);
  if (newest.length < defaultPageSizes.rows || newest.some(isSought)) return newest;
  const more = await attempt(operations.list_database_backups, { database_id, page_size: maximumPageSize }).catch(
    // Some platforms have no page size, and refuse it.
    (error: unknown) =>
      isPlatformFailure(error) && error.kind === 'invalid_input' ? undefined : Promise.reject(error as Error),
  );
  return more ? rowsIn(more) : newest;
}

/** That there is no complete backup, as far as the page that was read tells. */
const noneText = (listed: number): string =>
  listed === defaultPageSizes.rows || listed === maximumPageSize
    ? `no complete one among the newest ${listed}`
    : 'no complete backup';

/** The path of a database with its newest complete backup, the state of a newer one, or why there is none. */
async function newestOf({ id, path }: Database, context: ToolContext): Promise<JsonRecord | undefined> {
  const backups = await unlessFailing(newestUntil(isComplete, id, context));
  if (!backups) return undefined;
  const newest = backups.find(isComplete);
  const latest = backups[0];
  return pruneRecord({
    ...newest,
    path,
    newer: latest && latest !== newest ? `${textOf(latest, 'name')}: ${textAt(latest, 'status.state')}` : undefined,
    none: newest ? undefined : ((await whyNone(id, context)) ?? noneText(backups.length)),
  });
}

/**
 * The newest backup of each database of a project or all, or why it has none, with what was looked at and what could
 * not be read.
 * @throws ApiError if the platform fails as a whole
 */
export async function newestBackups(
  context: ToolContext,
  { project }: { readonly project?: string },
): Promise<JsonRecord> {
  const { places, allowance } = await placesWithin(context, { project }, () => ({
    remainingRequests: allowedRequests(context),
  }));
  const listed = places.environments.filter(({ services }) => services);
  const databases = listed.flatMap(({ path, services = [] }) =>
    services
      .filter((row) => textOf(row, 'service_type') === 'DATABASE')
      .map((row): Database => {
        const id = textOf(row, 'id') ?? '';
        return { id, path: `${path}/${segmentOf(textOf(row, 'name') ?? id)}` };
      }),
  );
  const rows = await eachWithin(databases, allowance, (one) => newestOf(one, context), { cost: requestsEach });
  const pathsWhere = (isIt: (row: JsonRecord | undefined) => boolean): readonly string[] =>
    databases.slice(0, rows.length).flatMap(({ path }, index) => (isIt(rows[index]) ? [path] : []));
  return {
    results: rows.filter((row) => row !== undefined),
    looked_at: lookedAtText(listed.length, project, context),
    ...lackingPlaces({
      unread: [...places.unread, ...pathsWhere((row) => row === undefined)],
      notReached: [...places.notReached, ...databases.slice(rows.length).map(({ path }) => path)],
    }),
  };
}
