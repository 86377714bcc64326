import { systemRandom } from '../../../src/platform/common/index.ts';
import type { DataStore } from '../../../src/platform/store/index.ts';
import { clusterId, organizationId } from './engine-fixture.ts';

/** An alert rule of the fixture's cluster, as it is added. */
interface NewAlertRule {
  readonly promql: string;
  /** What its condition has otherwise than no operator, no function and a threshold of 0. */
  readonly condition?: object;
  /** The ids of its receivers. */
  readonly receivers?: readonly string[];
  /** The container that it watches. */
  readonly targetId: string;
}

/** Adds an enabled alert rule that is not rolled out yet. @param now milliseconds since the epoch @returns its id */
export async function addAlertRule(
  db: DataStore,
  now: number,
  { promql, condition = {}, receivers = [], targetId }: NewAlertRule,
): Promise<string> {
  const [id, at] = [systemRandom.uuid(), new Date(now).toISOString()];
  await db
    .insertInto('alert_rule')
    .values({
      id,
      created_at: at,
      updated_at: at,
      organization_id: organizationId,
      cluster_id: clusterId,
      name: 'rule',
      description: '',
      tag: '',
      condition: JSON.stringify({
        kind: 'CUSTOM',
        promql,
        operator: 'NONE',
        threshold: 0,
        function: 'NONE',
        ...condition,
      }),
      for_duration: 'PT0S',
      severity: 'LOW',
      enabled: 1,
      alert_receiver_ids: JSON.stringify(receivers),
      presentation: '{}',
      source: 'MANAGED',
      state: 'UNDEPLOYED',
      target_type: 'CONTAINER',
      target_id: targetId,
      is_up_to_date: 1,
      starts_at: null,
    })
    .execute();
  return id;
}
