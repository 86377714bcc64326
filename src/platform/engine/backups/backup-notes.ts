import type { Selectable } from 'kysely';
import { condition, type Condition } from '../../../contract/index.ts';
import type { ServiceSpecs } from '../../common/index.ts';
import { onlyPostgres } from '../../runtime/index.ts';
import type { Db, ServiceTable } from '../../store/index.ts';
import { shownState, type RunningFacts } from '../running-facts.ts';
import { newestBackup, shownBackup } from './backup-rows.ts';

type NotedService = Pick<Selectable<ServiceTable>, 'id' | 'kind' | 'spec' | 'deployed_state'>;

/** Whether a problem, such as a lost node, keeps a database from running. */
const isKeptAway = (service: NotedService, facts: RunningFacts | undefined): boolean =>
  service.kind === 'database' && facts?.problem !== undefined && shownState(service, facts) === 'UNAVAILABLE';

/** Conditions about the backups of databases that can't run where their data is, by database id. */
export async function backupNotes(
  db: Db,
  services: readonly NotedService[],
  facts: ReadonlyMap<string, RunningFacts>,
): Promise<ReadonlyMap<string, Condition>> {
  const notes = new Map<string, Condition>();
  for (const service of services.filter((each) => isKeptAway(each, facts.get(each.id)))) {
    const spec = JSON.parse(service.spec) as ServiceSpecs['database'];
    const newest = await newestBackup(db, service.id);
    notes.set(
      service.id,
      condition('DATA_ON_NODE', {
        backup: newest && shownBackup(newest),
        isBackedUpHere: onlyPostgres({ spec }) === undefined,
      }),
    );
  }
  return notes;
}
