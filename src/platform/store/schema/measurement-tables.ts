import { flag, integer, json, long, numbered, table, text } from '../../../database/index.ts';

const ofCluster = () => text().references('cluster', { onDelete: 'cascade' });

const ofRule = () => text().references('alert_rule', { onDelete: 'cascade' });

/** What is measured, and what alert rules make of it. */
export const measurementTables = {
  /**
   * What a service uses, as it was measured last: one row each, which is replaced. `figures` is a `ServiceFigures` of
   * the engine.
   */
  service_measurement: table(
    { service_id: text().key().references('service', { onDelete: 'cascade' }), at_ms: long(), figures: json() },
    { since: 5 },
  ),
  /** When a cluster was measured last. */
  measured_cluster: table({ cluster_id: ofCluster().key(), at_ms: long() }, { since: 5 }),
  /** What is used on a node of a cluster, as it was measured last; `figures` is a `NodeFigures`. */
  node_measurement: table(
    { cluster_id: ofCluster(), node_id: text(), at_ms: long(), figures: json() },
    { since: 5, key: ['cluster_id', 'node_id'] },
  ),
  /**
   * What the condition of an alert rule was found to be, where that is not simulated. It counts only for the condition
   * that it names.
   */
  alert_evaluation: table(
    {
      rule_id: ofRule().key(),
      condition: json(),
      holds: flag(),
      /** Why it is not evaluated, or by a part only, as sentences; null if it is. */
      problem: text().orNull(),
      /**
       * The values for which it holds, or held last: `Matches` of the engine. Null if it never held, or an older
       * program evaluated it.
       */
      matches: json().orNull().since(7),
    },
    { since: 5 },
  ),
  /**
   * That a receiver is to be told of an alert rule, until the next time that the rule's receivers are told. `due_ms` is
   * null once it was, or was given up.
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
