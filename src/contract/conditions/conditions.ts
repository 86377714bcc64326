import * as z from 'zod';
import { DateTime } from '../primitives.ts';
import { alertReasons } from './alerts.ts';
import { backupReasons, restorationReasons, scriptReasons } from './backups.ts';
import { buildReasons, deploymentReasons, imageReasons } from './deployments.ts';
import { causeReasons, healthReasons } from './failures.ts';
import { gitReasons } from './git.ts';
import { instanceNodeReasons, nodeReasons } from './nodes.ts';
import { logReasons } from './logs.ts';
import { placementReasons } from './placement.ts';
import { type AnyCondition, ConditionShape, reasonWith, words } from './reason.ts';
import { registryReasons } from './registry.ts';
import { routeReasons } from './routes.ts';
import { runReasons } from './runs.ts';
import { serviceReasons } from './services.ts';

/** Every reason: its data, and its sentence. */
export const reasons = {
  ...nodeReasons,
  ...instanceNodeReasons,
  ...placementReasons,
  ...causeReasons,
  ...healthReasons,
  ...serviceReasons,
  ...deploymentReasons,
  ...imageReasons,
  ...buildReasons,
  ...gitReasons,
  ...scriptReasons,
  ...backupReasons,
  ...restorationReasons,
  ...runReasons,
  ...logReasons,
  ...routeReasons,
  ...registryReasons,
  ...alertReasons,
  /** From a record of an earlier program version: a sentence, and nothing else. */
  OTHER: reasonWith({ told: words }, ({ told }) => told),
};

export type Reason = keyof typeof reasons;

/** The data of a condition with this reason. */
export type DataOf<R extends Reason> = z.output<(typeof reasons)[R]['data']>;

/** The names of all reasons. */
export const reasonNames = Object.keys(reasons) as [Reason, ...Reason[]];

/** A problem and its reason: data for programs, and a sentence for people. */
export const Condition = z.object({
  reason: z.enum(reasonNames),
  message: z.string().describe('For people.'),
  since: DateTime.optional(),
  node: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional().describe('By reason.'),
});
export type Condition<R extends Reason = Reason> = Omit<AnyCondition, 'reason'> & { readonly reason: R };

/** Creates a condition from its reason and its data. */
export function condition<R extends Reason>(reason: R, data: DataOf<R>): Condition<R> {
  const { since, node, ...rest } = data as { readonly since?: string; readonly node?: string };
  // The form after sending or storing: without undefined members.
  const details = JSON.parse(JSON.stringify(rest)) as Record<string, unknown>;
  const message = (reasons[reason].sentence as (of: DataOf<R>) => string)(data);
  return {
    reason,
    message,
    ...(since !== undefined && { since }),
    ...(node !== undefined && { node }),
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/** A condition as a platform may return it: any member may be missing. */
export type ReadableCondition = { readonly [K in keyof AnyCondition]?: AnyCondition[K] | null };

/** The data of a condition, if it has this reason and matching data. */
export function dataOf<R extends Reason>(found: ReadableCondition, reason: R): DataOf<R> | undefined {
  if (found.reason !== reason) return undefined;
  const data = {
    ...found.details,
    ...(typeof found.since === 'string' && { since: found.since }),
    ...(typeof found.node === 'string' && { node: found.node }),
  };
  return reasons[reason].data.safeParse(data).data as DataOf<R> | undefined;
}

/** A condition, the one that caused it, and so on. */
export function conditionChain(found: ReadableCondition): readonly ReadableCondition[] {
  const cause = ConditionShape.safeParse(found.details?.['cause']).data;
  return [found, ...(cause ? conditionChain(cause) : [])];
}

/** The messages of other programs in a condition and those that caused it; undefined if there are none. */
export function saidIn(found: ReadableCondition): string | undefined {
  const said = conditionChain(found)
    .flatMap(({ details }) => [details?.['said'], details?.['registrySaid']])
    .filter((each) => typeof each === 'string');
  return said.length === 0 ? undefined : said.join('; ');
}

/** Serializes a condition for storage. */
export const storedCondition = (stored: Condition): string => JSON.stringify(stored);

/** Reads a stored condition. Earlier program versions stored its sentence only. */
export function readCondition(stored: string): Condition {
  if (!stored.startsWith('{"reason":')) return condition('OTHER', { told: stored });
  return JSON.parse(stored) as Condition;
}
