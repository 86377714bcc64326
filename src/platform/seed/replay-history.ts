import { silentLog, type Random } from '../common/index.ts';
import { runtimesOf, simulatedRuntimeName } from '../runtime/index.ts';
import { createSimulatedRuntime, type SimulationContext } from '../runtime/simulated/index.ts';
import type { DataStore, Vault } from '../store/index.ts';
import {
  advanceDeployment,
  createLease,
  heartbeatMilliseconds,
  requestDeployment,
  secretsBy,
  type DeploymentOrder,
  type DeploymentRequest,
  type EngineContext,
} from '../engine/index.ts';

/** A deployment request in the past. */
export interface HistoricalOrder extends DeploymentOrder {
  /** When it was requested, in milliseconds since the epoch. */
  readonly at: number;
  /** The simulation's context at that time. */
  readonly simulation?: SimulationContext;
}

const neverAborted = new AbortController().signal;

/**
 * Requests a deployment at a time in the past and carries it out, on a clock that jumps from step to step. States,
 * histories and logs are those that the engine would have written, without the wait.
 * @returns the accepted request, and when the deployment finished, in milliseconds since the epoch
 * @throws ApiProblem if the engine refuses the request, Error if another process takes the deployment over
 */
export async function replayOrder(
  db: DataStore,
  { random, vault }: { readonly random: Random; readonly vault: Vault },
  order: HistoricalOrder,
): Promise<DeploymentRequest & { endedAt: number }> {
  let now = order.at;
  const clock = { now: () => now };
  const timeScale = 1;
  const { simulation } = order;
  const runtime = createSimulatedRuntime({
    clock,
    timeScale,
    linesEvery: Number.POSITIVE_INFINITY,
    ...(simulation && { simulation }),
  });
  const context: EngineContext = {
    db,
    clock,
    random,
    runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }),
    ...secretsBy(vault),
    timeScale,
    log: silentLog,
    isReplay: true,
  };
  // The lease belongs to this process, so it runs on present time.
  const lease = createLease(db, db.clock, random.uuid());
  let renewedAt = db.clock.now();
  await lease.renew(db);
  const accepted = await db.write(async (trx) => {
    const request = await requestDeployment(context, trx, order);
    // It must never be visible without an owner, because engines of other processes would claim it.
    await trx.updateTable('deployment').set({ owner: lease.owner }).where('id', '=', request.id).execute();
    return request;
  });
  for (;;) {
    if (db.clock.now() - renewedAt >= heartbeatMilliseconds) {
      renewedAt = db.clock.now();
      await lease.renew(db);
    }
    await advanceDeployment(context, accepted.id, lease.owner, neverAborted);
    const { due_ms: due, owner } = await db
      .selectFrom('deployment')
      .select(['due_ms', 'owner'])
      .where('id', '=', accepted.id)
      .executeTakeFirstOrThrow();
    if (due === null) break;
    if (owner !== lease.owner)
      throw new Error(`Deployment ${accepted.id} was taken over by another process while it was carried out.`);
    now = Math.max(now + 1, due);
  }
  await lease.release();
  return { ...accepted, endedAt: now };
}
