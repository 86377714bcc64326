import * as z from 'zod';
import { count, plainReason, reasonWith, texts, words } from './reason.ts';

/** Unknown parts of what a rule watches, such as an instance that can't be measured; `more` counts the omitted ones. */
const unknownParts = { gaps: z.array(z.object({ of: words, reasons: texts })), more: count };

type UnknownParts = z.output<z.ZodObject<typeof unknownParts>>;

const partsTexts = ({ gaps, more }: UnknownParts): readonly string[] => [
  ...gaps.map(({ of, reasons }) => `${of}: ${reasons.join(' ')}`),
  ...(more > 0 ? [`And ${more} more.`] : []),
];

/** Why alert rules are not or only partly evaluated, and why receivers are not notified. */
export const alertReasons = {
  RULE_NOT_EVALUATED: plainReason('It was not evaluated yet.'),
  /** `metrics` are those that a condition can be about without a Prometheus. */
  PROMETHEUS_MISSING: reasonWith(
    { metrics: texts },
    ({ metrics }) =>
      `It is not evaluated: that needs a Prometheus, and the clusters file of the platform names none. Without one, a condition can be one of these metrics, with labels such as {service="web"} or without, compared by operator and threshold: ${metrics.join(', ')}.`,
  ),
  CLUSTER_NOT_MEASURED: plainReason(
    'Its cluster is not measured at present, so nobody knows whether its condition holds.',
  ),
  METRIC_WITHOUT_VALUE: reasonWith({ metric: words, ...unknownParts }, ({ metric, ...parts }) =>
    [`There is no value of ${metric} for what it watches at present.`, ...partsTexts(parts)].join(' '),
  ),
  RULE_PARTLY_EVALUATED: reasonWith(unknownParts, (parts) =>
    ['It is evaluated by a part of what it watches.', ...partsTexts(parts)].join(' '),
  ),
  /** `said` is the message about the Prometheus. */
  RULE_EVALUATION_FAILED: reasonWith({ said: words }, ({ said }) => said),
  RECEIVERS_MISSING: plainReason('Nobody is told: it has no receivers.'),
  RECEIVER_WITHOUT_ADDRESS: reasonWith(
    { receiver: words },
    ({ receiver }) =>
      `The receiver ${receiver} is not told: the platform has no address for it. Give it one with webhook_url.`,
  ),
  RECEIVER_BY_MAIL: reasonWith(
    { receiver: words },
    ({ receiver }) => `The receiver ${receiver} is not told: the platform sends no e-mail.`,
  ),
  /** `why` is a part of a sentence. */
  RECEIVER_NOT_REACHED: reasonWith(
    { receiver: words, why: words },
    ({ receiver, why }) => `The receiver ${receiver} could not be told: ${why}.`,
  ),
};
