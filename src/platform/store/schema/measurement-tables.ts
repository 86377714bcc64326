import { flag, integer, json, long, numbered, table, text } from '../../../database/index.ts';

const ofCluster = () => text().references('cluster', { onDelete: 'cascade' });

const ofRule = () => text().references('alert_rule', { onDelete: 'cascade' });

/** Measurements, and the evaluations and notifications of alert rules. */
export const measurementTables = {
  /**
   * The last measured usage of a service. Each service has one row, which is replaced. `figures` is a `ServiceFigures`
   * of the engine.
   */
  service_measurement: table(
    { service_id: text().key().references('service', { onDelete: 'cascade' }), at_ms: long(), figures: json() },
    { since: 5 },
  ),
  /** When a cluster was measured last. */
  measured_cluster: table({ cluster_id: ofCluster().key(), at_ms: long() }, { since: 5 }),
  /** The last measured usage of a node of a cluster. `figures` is a `NodeFigures`. */
  node_measurement: table(
    { cluster_id: ofCluster(), node_id: text(), at_ms: long(), figures: json() },
    { since: 5, key: ['cluster_id', 'node_id'] },
  ),
  /**
   * The evaluation of an alert rule's condition, where that is not simulated. It counts only for the stored condition.
   */
  alert_evaluation: table(
    {
      rule_id: ofRule().key(),
      condition: json(),
      holds: flag(),
      /** Why it is not or only partly evaluated, as a condition of the contract; null if it is. */
      problem: text().orNull(),
      /**
       * The values for which it holds, or held last: `Matches` of the engine. Null if it never held, or an earlier
       * version evaluated it.
       */
      matches: json().orNull().since(7),
    },
    { since: 5 },
  ),
  /**
   * A notification to a receiver about an alert rule, kept until the rule's next notification. `due_ms` is null once it
   * was delivered or given up.
   */
  alert_notification: table(
    {
      seq: numbered(),
      rule_id: ofRule(),
      receiver_id: text(),
      event: text<'ALERT_TRIGGERED' | 'ALERT_RESOLVED'>(),
      body: json(),
      attempts: integer().default(0),
      due_ms: long().orNull(),
      /** Why the last attempt failed; null if none did. */
      failure: text().orNull(),
    },
    {
      since: 5,
      indexes: {
        alert_notification_of_rule: { on: ['rule_id'] },
        alert_notification_due: { on: ['due_ms'], where: 'due_ms is not null' },
      },
    },
  ),
};
