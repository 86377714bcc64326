import { type Reason, reasons } from './conditions.ts';

/** How severe a condition is, as a level of a log. */
export type ConditionLevel = 'error' | 'warn' | 'info';

/** What is fine, wanted or only awaited. */
const information: ReadonlySet<Reason> = new Set<Reason>([
  'AVAILABLE',
  'CANCELED',
  'CHANGES_UNDONE',
  'CLUSTER_REACHABLE',
  'REGISTRY_AWAITED',
  'REGISTRY_BEING_CLEANED',
  'REGISTRY_NOT_SET_UP',
]);

/** What limits something, may pass by itself, or leaves something unknown. */
const warnings: ReadonlySet<Reason> = new Set<Reason>([
  'NODE_DOWN',
  'NODE_NOT_ANSWERING',
  'NODE_DRAINED',
  'NODE_PAUSED',
  'NODES_UNREADABLE',
  'CLUSTER_UNREACHABLE',
  'WAITING_FOR_NODE',
  'NODE_UNREACHABLE',
  'INSTANCES_MAY_RUN',
  'INSTANCES_CROWDED',
  'HEALTH_UNKNOWN',
  'NOT_BEGUN',
  'MAY_GO_ON',
  'CHANGED_EXTERNALLY',
  'DATA_ON_NODE',
  'SCHEDULE_NOT_BEGUN',
  'RUNS_MISSED',
  'RUN_SKIPPED',
  'EARLIER_RUN_MAY_GO_ON',
  'LOG_UNREADABLE',
  'LOG_INCOMPLETE',
  'LOG_ON_LOST_NODE',
  'LOG_END_UNREADABLE',
  'LINES_LEFT_OUT',
  'ADDRESS_SLOW',
  'ADDRESS_UNTRIED',
  'CERTIFICATE_MISSING',
  'PROXY_IMPAIRED',
  'BACKUP_KEPT',
  'BACKUP_OUT_OF_REACH',
  'RULE_NOT_EVALUATED',
  'RULE_PARTLY_EVALUATED',
  'CLUSTER_NOT_MEASURED',
  'METRIC_WITHOUT_VALUE',
]);

const isReason = (reason: string): reason is Reason => Object.hasOwn(reasons, reason);

/**
 * The level of a condition, whatever its sentence says. Undefined if its reason says nothing about that: it is unknown
 * here, or that of a sentence which was stored without one.
 */
export function levelOfReason(reason: string | null | undefined): ConditionLevel | undefined {
  if (typeof reason !== 'string' || !isReason(reason) || reason === 'OTHER') return undefined;
  if (information.has(reason)) return 'info';
  return warnings.has(reason) ? 'warn' : 'error';
}
