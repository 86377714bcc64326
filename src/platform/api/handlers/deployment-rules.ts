import { timeOfDay, asRuleTime, type DeploymentRule } from '../../../contract/index.ts';
import type * as z from 'zod';
import { invalid, isoNow, notFound } from '../../common/index.ts';
import { ruleOf, type StoredRule, timetableChanged, timetableIn } from '../../engine/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { findUnlockedCluster, touchEnvironment } from './environment-changes.ts';
import { findById } from './find.ts';

const ruleAnswer = (rule: StoredRule): z.output<typeof DeploymentRule> => ({
  id: rule.id,
  ...timetableIn(rule),
  weekdays: [...timetableIn(rule).weekdays],
  auto_preview: rule.auto_preview === 1,
  on_demand_preview: rule.on_demand_preview === 1,
});

const asFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);

export const deploymentRuleHandlers = {
  get_deployment_rule: async ({ environment_id }, { db }) => {
    await findById(db, 'environment', environment_id);
    return ruleAnswer(await ruleOf(db, environment_id));
  },
  update_deployment_rule: async ({ environment_id, deployment_rule_id, ...wanted }, context) => {
    const { db, clock } = context;
    await findUnlockedCluster(environment_id, context);
    const { id } = await ruleOf(db, environment_id);
    if (id !== deployment_rule_id) throw notFound('deployment_rule', deployment_rule_id);
    const [start, stop] = [timeOfDay(wanted.start_time), timeOfDay(wanted.stop_time)];
    if (start === stop) throw invalid('stop_time', 'must have another time of day than start_time');
    const columns = {
      timezone: wanted.timezone,
      start_time: asRuleTime(start),
      stop_time: asRuleTime(stop),
      weekdays: JSON.stringify([...new Set(wanted.weekdays)]),
      auto_stop: asFlag(wanted.auto_stop),
      auto_preview: asFlag(wanted.auto_preview),
      on_demand_preview: asFlag(wanted.on_demand_preview),
      updated_at: isoNow(clock),
    };
    await db
      .insertInto('deployment_rule')
      .values({ id, environment_id, created_at: isoNow(clock), ...columns })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
      .execute();
    await timetableChanged(db, environment_id, clock.now());
    await touchEnvironment(environment_id, context);
    return ruleAnswer(await ruleOf(db, environment_id));
  },
} satisfies Partial<OperationHandlers<'get_deployment_rule' | 'update_deployment_rule'>>;
