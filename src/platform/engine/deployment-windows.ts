import type { Selectable } from 'kysely';
import { isInForce, isProduction, occurrenceOf } from '../../contract/index.ts';
import { refused } from '../common/index.ts';
import { compiled, type Db, type DeploymentWindowTable } from '../store/index.ts';
import { iso } from './context.ts';

type WindowRow = Selectable<DeploymentWindowTable>;

/** The members of an environment that decide which windows are about it. */
export interface PlacedEnvironment {
  readonly id: string;
  readonly project_id: string;
  readonly cluster_id: string;
  readonly mode: string;
}

const isAbout = (window: WindowRow, { id, project_id: project, cluster_id: cluster, mode }: PlacedEnvironment) =>
  (window.environment_id === id || window.project_id === project || window.cluster_id === cluster) &&
  (window.production_only === 0 || isProduction(mode));

/** A window in force, and when it ends, in milliseconds since the epoch. */
interface WindowInForce {
  readonly window: WindowRow;
  readonly until: number;
}

/** The windows among these that are in force, the one that ends last first. */
const inForceAmong = (windows: readonly WindowRow[], now: number): readonly WindowInForce[] =>
  windows
    .flatMap((window) => {
      const occurrence = occurrenceOf(window, now);
      return occurrence !== undefined && isInForce(occurrence, now) ? [{ window, until: occurrence.ends }] : [];
    })
    .toSorted((one, other) => other.until - one.until);

type Places = Readonly<Record<'ids' | 'projects' | 'clusters', readonly string[]>>;

const windowsAbout = compiled((db, { ids, projects, clusters }: Places) =>
  db
    .selectFrom('deployment_window')
    .selectAll()
    .where((where) =>
      where.or([
        where('environment_id', 'in', ids),
        where('project_id', 'in', projects),
        where('cluster_id', 'in', clusters),
      ]),
    ),
);

/** The windows that may be about some of these environments. */
async function windowsAround(db: Db, environments: readonly PlacedEnvironment[]): Promise<readonly WindowRow[]> {
  if (environments.length === 0) return [];
  const all = (name: 'id' | 'project_id' | 'cluster_id') => [...new Set(environments.map((one) => one[name]))];
  return windowsAbout(db, { ids: all('id'), projects: all('project_id'), clusters: all('cluster_id') });
}

const refusalBy = ({ window, until }: WindowInForce, what: string): Error =>
  refused(
    `${what} before ${iso(until)}: the deployment window "${window.name}" of ${window.owner_name} is in force${window.reason === null ? '' : ` ("${window.reason}")`}. Wait for its end; in an emergency, an administrator can delete the window.`,
  );

type Named = { readonly id: string; readonly name: string };

/**
 * Refuses to change what runs in an environment while a deployment window is in force.
 * @throws ApiProblem 400 with the window, its owner, its reason and its end
 */
export async function requireNoWindow(db: Db, environment: PlacedEnvironment & Named, now: number): Promise<void> {
  const windows = (await windowsAround(db, [environment])).filter((window) => isAbout(window, environment));
  const [inForce] = inForceAmong(windows, now);
  if (inForce)
    throw refusalBy(
      inForce,
      `The environment ${environment.name} (${environment.id}) can't be deployed, restarted, stopped or deleted`,
    );
}

/** Refuses to upgrade a cluster while a deployment window of its own is in force. @throws ApiProblem 400 likewise */
export async function requireNoClusterWindow(db: Db, { id, name }: Named, now: number): Promise<void> {
  const windows = await db
    .selectFrom('deployment_window')
    .selectAll()
    .where('cluster_id', '=', id)
    .where('production_only', '=', 0)
    .execute();
  const [inForce] = inForceAmong(windows, now);
  if (inForce) throw refusalBy(inForce, `The cluster ${name} (${id}) can't be upgraded`);
}

/** What a deployment window refuses in an environment. */
export interface WindowOutlook {
  readonly refused_until?: string;
  readonly refused_by?: string;
  readonly refused_because?: string;
}

/** The windows in force, by environment. @param now milliseconds since the epoch */
export async function windowOutlooks(
  db: Db,
  environments: readonly PlacedEnvironment[],
  now: number,
): Promise<ReadonlyMap<string, WindowOutlook>> {
  const windows = inForceAmong(await windowsAround(db, environments), now);
  return new Map(
    environments.map((environment) => {
      const inForce = windows.find(({ window }) => isAbout(window, environment));
      return [
        environment.id,
        inForce
          ? {
              refused_until: iso(inForce.until),
              refused_by: inForce.window.name,
              ...(inForce.window.reason !== null && { refused_because: inForce.window.reason }),
            }
          : {},
      ];
    }),
  );
}
