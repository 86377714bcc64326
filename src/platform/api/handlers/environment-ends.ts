import { isProduction } from '../../../contract/index.ts';
import { invalid, isoNow, refused } from '../../common/index.ts';
import { environmentEndChanged } from '../../engine/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findUnlockedCluster, touchEnvironment } from './environment-changes.ts';
import { findById } from './find.ts';
import { environmentAnswers } from './projects.ts';

interface End {
  readonly ends_at: string | null;
  readonly end_reason: string | null;
  readonly end_set_by: string | null;
}

/** Stores the end of an environment, and sets its timer. @throws ApiProblem 400 while its cluster is locked */
async function setEnd(environmentId: string, end: End, context: RequestContext) {
  const { db } = context;
  await findUnlockedCluster(environmentId, context);
  await db.updateTable('environment').set(end).where('id', '=', environmentId).execute();
  await environmentEndChanged(db, environmentId, end.ends_at);
  await touchEnvironment(environmentId, context);
  return (await environmentAnswers(context, [await findById(db, 'environment', environmentId)]))[0]!;
}

export const environmentEndHandlers = {
  set_environment_end: async ({ environment_id, ends_at, reason }, context) => {
    const { db, clock, principal } = context;
    const { name, mode } = await findById(db, 'environment', environment_id);
    if (isProduction(mode))
      throw refused(`The environment ${name} (${environment_id}) is ${mode}, which never ends by itself.`);
    const end = Date.parse(ends_at);
    if (end <= clock.now()) throw invalid('ends_at', `must be later than now, ${isoNow(clock)}`);
    return setEnd(
      environment_id,
      { ends_at: new Date(end).toISOString(), end_reason: reason ?? null, end_set_by: principal.name },
      context,
    );
  },
  unset_environment_end: async ({ environment_id }, context) => {
    const { name, ends_at } = await findById(context.db, 'environment', environment_id);
    if (ends_at === null) throw refused(`The environment ${name} (${environment_id}) has no end.`);
    return setEnd(environment_id, { ends_at: null, end_reason: null, end_set_by: null }, context);
  },
} satisfies Partial<OperationHandlers<'set_environment_end' | 'unset_environment_end'>>;
