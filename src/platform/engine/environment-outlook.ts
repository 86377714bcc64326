import type { Db } from '../store/index.ts';
import { type PlacedEnvironment, type WindowOutlook, windowOutlooks } from './deployment-windows.ts';
import { type TimetableOutlook, timetableOutlooks } from './timetable.ts';

/** What the platform does to an environment, or refuses there, by itself. */
export type EnvironmentOutlook = TimetableOutlook & WindowOutlook;

/** The outlooks of environments, by environment. @param now milliseconds since the epoch */
export async function environmentOutlooks(
  db: Db,
  environments: readonly (PlacedEnvironment & { readonly state: string })[],
  now: number,
): Promise<ReadonlyMap<string, EnvironmentOutlook>> {
  const timetables = await timetableOutlooks(db, environments, now);
  const windows = await windowOutlooks(db, environments, now);
  return new Map(environments.map(({ id }) => [id, { ...timetables.get(id), ...windows.get(id) }]));
}
