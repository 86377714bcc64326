import * as z from 'zod';
import { DateTimeOfClock, Uuid } from '../primitives.ts';
import { isTimeZone, weekdays } from '../zoned-times.ts';

export const Weekday = z.enum(weekdays);

/** The name of a time zone. */
export const TimeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be the name of a time zone, such as Europe/Paris' });

const clockTimeOnly = 'Only its time of day counts.';

/** When an environment is stopped and started by itself. A replacement sets all of it. */
export const DeploymentRuleRequest = z.object({
  timezone: TimeZone,
  start_time: DateTimeOfClock.describe(clockTimeOnly),
  stop_time: DateTimeOfClock.describe(clockTimeOnly),
  weekdays: z.array(Weekday).min(1),
  auto_stop: z.boolean().default(false).describe('Whether the times apply.'),
  auto_preview: z.boolean().default(false),
  on_demand_preview: z.boolean().default(false),
});

/** The deployment rule of an environment. Each has one. */
export const DeploymentRule = DeploymentRuleRequest.extend({
  id: Uuid,
  weekdays: z.array(Weekday),
  auto_stop: z.boolean(),
  auto_preview: z.boolean(),
  on_demand_preview: z.boolean(),
});
