import type { Selectable } from 'kysely';
import type { Db, EnvironmentTable } from '../store/index.ts';
import { type PlacedEnvironment, type WindowOutlook, windowOutlooks } from './deployment-windows.ts';
import { type TimetableOutlook, timetableOutlooks } from './timetable.ts';

/** When the platform deletes an environment, why, and who set that. */
interface EndOutlook {
  readonly ends_at?: string;
  readonly end_reason?: string;
  readonly end_set_by?: string;
}

/** What the platform does to an environment, or refuses there, by itself. */
export type EnvironmentOutlook = TimetableOutlook & WindowOutlook & EndOutlook;

type OutlookColumns = Pick<Selectable<EnvironmentTable>, 'state' | 'ends_at' | 'end_reason' | 'end_set_by'>;

const endOf = ({ ends_at, end_reason, end_set_by }: OutlookColumns): EndOutlook => ({
  ...(ends_at !== null && { ends_at }),
  ...(end_reason !== null && { end_reason }),
  ...(end_set_by !== null && { end_set_by }),
});

/** The outlooks of environments, by environment. @param now milliseconds since the epoch */
export async function environmentOutlooks(
  db: Db,
  environments: readonly (PlacedEnvironment & OutlookColumns)[],
  now: number,
): Promise<ReadonlyMap<string, EnvironmentOutlook>> {
  const [timetables, windows] = await Promise.all([
    timetableOutlooks(db, environments, now),
    windowOutlooks(db, environments, now),
  ]);
  return new Map(
    environments.map((row) => [row.id, { ...timetables.get(row.id), ...windows.get(row.id), ...endOf(row) }]),
  );
}
