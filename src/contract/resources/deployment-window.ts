import * as z from 'zod';
import { isWindowTime } from '../deployment-window.ts';
import { DateTime, identity, Name, resourceOf, Uuid } from '../primitives.ts';
import { TimeZone } from './deployment-rule.ts';

/** What a window can be about. */
const windowTargets = ['CLUSTER', 'PROJECT', 'ENVIRONMENT'] as const;

const WindowTime = z
  .string()
  .refine(isWindowTime, { error: 'must be a weekday or date, and a time, such as FRIDAY 16:00 or 2026-12-24 16:00' });

/** A request for times at which deployments of a cluster, a project or an environment are refused. */
export const DeploymentWindowRequest = z.object({
  name: Name,
  reason: z.string().min(1).max(500).optional().describe('Shown to whoever is refused.'),
  target_type: z.enum(windowTargets),
  target_id: Uuid,
  production_only: z.boolean().default(false).describe('Only environments in PRODUCTION.'),
  begins: WindowTime.describe('FRIDAY 16:00, or 2026-12-24 16:00.'),
  ends: WindowTime.describe('As begins.'),
  time_zone: TimeZone,
});

/** A deployment window. Not in the API document. */
export const DeploymentWindow = resourceOf(
  'deployment_window',
  DeploymentWindowRequest.extend({
    ...identity,
    target_name: z.string().describe('With its project, if it is an environment.'),
    owner_name: z.string(),
    production_only: z.boolean(),
    in_force: z.boolean(),
    from: DateTime.optional().describe('When it began or begins next.'),
    until: DateTime.optional().describe('When that ends. Absent if it is over.'),
  }),
);
