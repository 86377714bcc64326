import type { Generated } from 'kysely';
import type { BooleanColumn, Json } from './columns.ts';

/** What a service uses, as it was measured last: one row each, which is replaced. `figures` is a `ServiceFigures` of the engine. */
interface ServiceMeasurementTable {
  service_id: string;
  at_ms: number;
  figures: Json;
}

/** When a cluster was measured last. */
interface MeasuredClusterTable {
  cluster_id: string;
  at_ms: number;
}

/** What is used on a node of a cluster, as it was measured last; `figures` is a `NodeFigures`. */
interface NodeMeasurementTable {
  cluster_id: string;
  node_id: string;
  at_ms: number;
  figures: Json;
}

/** What the condition of an alert rule was found to be, where that is not simulated. It counts only for the condition that it names. */
interface AlertEvaluationTable {
  rule_id: string;
  condition: Json;
  holds: BooleanColumn;
  /** Why it is not evaluated, or by a part only, as sentences; null if it is. */
  problem: string | null;
  /** The values for which it holds, or held last: `Matches` of the engine. Null if it never held, or an older program evaluated it. */
  matches: Json | null;
}

/** That a receiver is to be told of an alert rule, until the next time that the rule's receivers are told. `due_ms` is null once it was, or was given up. */
interface AlertNotificationTable {
  seq: Generated<number>;
  rule_id: string;
  receiver_id: string;
  event: 'ALERT_TRIGGERED' | 'ALERT_RESOLVED';
  body: Json;
  attempts: Generated<number>;
  due_ms: number | null;
  /** Why the last attempt failed; null if none did. */
  failure: string | null;
}

/** What is measured, and what alert rules make of it. */
export interface MeasurementTables {
  service_measurement: ServiceMeasurementTable;
  measured_cluster: MeasuredClusterTable;
  node_measurement: NodeMeasurementTable;
  alert_evaluation: AlertEvaluationTable;
  alert_notification: AlertNotificationTable;
}
