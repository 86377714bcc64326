import type { ServiceKind } from '../../../contract/index.ts';
import { isoNow, type ServiceSpecs } from '../../common/index.ts';
import { neverDeployed } from '../../store/index.ts';
import type { RequestContext } from '../handler.ts';
import { touchEnvironment } from './environment-changes.ts';
import { parseServiceRow, type ServiceRow } from './find.ts';
import { requireGitTokens } from './git-tokens.ts';

/** Adds a service to an environment. It is READY and was never deployed. */
export async function insertService<Kind extends ServiceKind>(
  kind: Kind,
  environmentId: string,
  name: string,
  spec: ServiceSpecs[Kind],
  context: RequestContext,
) {
  const { db, clock, random, engine } = context;
  await requireGitTokens(db, environmentId, kind, spec);
  await engine.requireRunnable(db, environmentId, [{ kind, name, spec }]);
  const now = isoNow(clock);
  const row = await db
    .insertInto('service')
    .values({
      id: random.uuid(),
      created_at: now,
      updated_at: now,
      environment_id: environmentId,
      kind,
      name,
      spec: JSON.stringify(spec),
      ...neverDeployed,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await touchEnvironment(environmentId, context);
  return parseServiceRow<Kind>(row);
}

/** Replaces a service's configuration and marks the service out of date. */
export async function replaceService<Kind extends ServiceKind>(
  row: ServiceRow<Kind>,
  name: string,
  spec: ServiceSpecs[Kind],
  context: RequestContext,
) {
  const { db, clock, engine } = context;
  await requireGitTokens(db, row.environment_id, row.kind, spec, row.spec);
  await engine.requireRunnable(db, row.environment_id, [{ id: row.id, kind: row.kind, name, spec }]);
  const updated = await db
    .updateTable('service')
    .set({ name, spec: JSON.stringify(spec), updated_at: isoNow(clock) })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await engine.markOutOfDate(db, [row.id]);
  await touchEnvironment(row.environment_id, context);
  return parseServiceRow<Kind>(updated);
}
