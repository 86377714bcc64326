import { STATUS_CODES } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type * as z from 'zod';
import type { RequestBudget, RequestEnd, RequestObserver } from '../../client/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { CallObserver } from '../../server/call/index.ts';
import type { ApprovalObserver } from '../../server/guard/index.ts';
import { definitions, type MetricDefinition, type MetricName, type Part } from './definitions.ts';
import {
  askedOperator,
  expiredAtOperator,
  questionResultOf,
  questionResults,
  type QuestionResult,
} from './question-results.ts';
import type { DeploymentActionStatus } from '../../contract/index.ts';

/** The media types in which metrics are served: Prometheus text and OpenMetrics. */
export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';
export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const quality = (parameters: readonly string[]): number => {
  const text = parameters.map((one) => one.trim()).find((one) => one.startsWith('q='));
  const value = text === undefined ? 1 : Number(text.slice(2));
  return Number.isFinite(value) ? value : 0;
};

/** Whether an Accept header prefers OpenMetrics. Without preference, it is Prometheus text, which a browser shows. */
export function prefersOpenMetrics(accept: string): boolean {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';');
    return { type: type.trim().toLowerCase(), quality: quality(parameters) };
  });
  const best = (...types: string[]): number =>
    Math.max(0, ...ranges.filter((one) => types.includes(one.type)).map((one) => one.quality));
  return best('application/openmetrics-text') > best('text/plain');
}

/**
 * Prometheus text as OpenMetrics: there, the name of a counter in HELP and TYPE has no suffix, no line is empty, and
 * the last one is EOF. The metrics library can write either, but not both from the same counters.
 */
export function asOpenMetrics(text: string): string {
  const counters = new Set(
    [...text.matchAll(/^# TYPE (?<name>\S+)_total counter$/gm)].map(({ groups }) => groups!['name']!),
  );
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      line.replace(/^(?<start># (?:HELP|TYPE) )(?<name>\S+)_total /, (whole: string, start: string, name: string) =>
        counters.has(name) ? `${start}${name} ` : whole,
      ),
    );
  return [...lines, '# EOF', ''].join('\n');
}

/**
 * Sources of values that are read when metrics are fetched, instead of being counted as events happen. If one rejects,
 * its metrics are left out.
 */
export interface MetricSources {
  /** Number of calls that wait for the operator. */
  readonly approvalsWaiting?: () => Promise<number>;
  readonly http?: () => {
    readonly running: number;
    readonly waiting: number;
    readonly streams: number;
    readonly sessions: number;
  };
  /** The load of the embedded platform; undefined while this process serves none. */
  readonly engine?: () => Promise<EngineFigures | undefined>;
}

/** Figures of the embedded platform's engine. Times are in milliseconds. */
export interface EngineFigures {
  readonly deployments: Readonly<Partial<Record<z.infer<typeof DeploymentActionStatus>, number>>>;
  readonly outbox: { readonly waiting: number; readonly lag: number };
  readonly deliveries: Readonly<Record<'delivered' | 'retried' | 'failed', number>>;
}

/** The metrics of this process. */
export interface Metrics {
  readonly calls: CallObserver;
  readonly requests: RequestObserver;
  readonly approvals: ApprovalObserver;
  /** Sets the sources that are read when metrics are fetched. */
  readonly read: (sources: MetricSources) => void;
  /** All metrics, in the format that an Accept header prefers. */
  readonly page: (accept: string) => Promise<{ readonly type: string; readonly text: string }>;
}

const resultOf = (end: RequestEnd): string => {
  if ('fault' in end) return end.fault;
  return STATUS_CODES[end.status] === undefined ? 'other' : String(end.status);
};

const secondsSince = (began: number): number => (performance.now() - began) / 1000;

const optionsOf = ({ name, help, labels }: MetricDefinition, registry: Registry) => ({
  name,
  help,
  labelNames: Object.keys(labels ?? {}),
  registers: [registry],
});

/** Creates the metrics of some parts of the program. */
export function createMetrics(parts: readonly Part[], log: ServerLogger): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const hidden = new Registry();
  const place = (name: MetricName): Registry => (parts.includes(definitions[name].part) ? registry : hidden);
  const counter = (name: MetricName) => new Counter(optionsOf(definitions[name], place(name)));
  const gauge = (name: MetricName) => new Gauge(optionsOf(definitions[name], place(name)));
  const histogram = (name: 'callDuration' | 'requestDuration') =>
    new Histogram({ ...optionsOf(definitions[name], place(name)), buckets: [...definitions[name].buckets] });
  /** A gauge that has no sample until its source returns one. */
  const emptyGauge = (name: MetricName) => {
    const created = gauge(name);
    created.remove();
    return created;
  };

  const [calls, callDuration, callsRunning] = [counter('calls'), histogram('callDuration'), gauge('callsRunning')];
  const [requests, requestDuration, retries] = [counter('requests'), histogram('requestDuration'), counter('retries')];
  const questions = counter('questions');
  const [deployments, deliveries] = [gauge('deployments'), counter('deliveries')];
  const count = (result: QuestionResult, times = 1): void => questions.inc({ ...result }, times);
  for (const result of questionResults) count(result, 0);

  const gauges = {
    budgetRemaining: emptyGauge('budgetRemaining'),
    budgetLimit: emptyGauge('budgetLimit'),
    approvalsWaiting: emptyGauge('approvalsWaiting'),
    httpRunning: emptyGauge('httpRunning'),
    httpWaiting: emptyGauge('httpWaiting'),
    httpStreams: emptyGauge('httpStreams'),
    httpSessions: emptyGauge('httpSessions'),
    outboxWaiting: emptyGauge('outboxWaiting'),
    outboxLag: emptyGauge('outboxLag'),
  };
  const show = (values: Partial<Record<keyof typeof gauges, number | undefined>>): void => {
    for (const [name, value] of Object.entries(values) as [keyof typeof gauges, number | undefined][]) {
      if (value === undefined) gauges[name].remove();
      else gauges[name].set(value);
    }
  };

  let lowestBudget: (() => RequestBudget | undefined) | undefined;
  let sources: MetricSources = {};

  /** Reads one source. Values that can't be read are left out, never shown as zero. */
  const readOr = async <Value>(
    what: string,
    read: (() => Value | Promise<Value>) | undefined,
  ): Promise<Value | undefined> => {
    try {
      return await read?.();
    } catch (error) {
      log.warn({ err: error, what }, 'left out of the metrics: it could not be read');
      return undefined;
    }
  };

  const showEngine = (figures: EngineFigures | undefined): void => {
    show({ outboxWaiting: figures?.outbox.waiting, outboxLag: figures && figures.outbox.lag / 1000 });
    deployments.reset();
    for (const [status, number] of Object.entries(figures?.deployments ?? {})) deployments.set({ status }, number);
    deliveries.reset();
    for (const [result, number] of Object.entries(figures?.deliveries ?? {})) deliveries.inc({ result }, number);
  };

  const refresh = async (): Promise<void> => {
    const [waiting, http, engine] = await Promise.all([
      readOr('approvals', sources.approvalsWaiting),
      readOr('HTTP', sources.http),
      readOr('embedded platform', sources.engine),
    ]);
    const budget = lowestBudget?.();
    // All at once, so that concurrent requests for the page can't mix.
    show({
      budgetRemaining: budget?.remaining,
      budgetLimit: budget?.limit,
      approvalsWaiting: waiting,
      httpRunning: http?.running,
      httpWaiting: http?.waiting,
      httpStreams: http?.streams,
      httpSessions: http?.sessions,
    });
    showEngine(engine);
  };

  return {
    calls: {
      begin: (tool = 'unknown') => {
        const began = performance.now();
        callsRunning.inc();
        return {
          end: (end) => {
            callsRunning.dec();
            calls.inc({ tool, outcome: end.outcome, risk: end.tier ?? 'none' });
            callDuration.observe({ tool }, secondsSince(began));
            const result = questionResultOf(end);
            if (result) count(result);
          },
        };
      },
    },
    requests: {
      begin: ({ operation: { name: operation }, attempt }) => {
        const began = performance.now();
        if (attempt > 1) retries.inc({ operation });
        return {
          end: (end) => {
            requests.inc({ operation, result: resultOf(end) });
            requestDuration.observe({ operation }, secondsSince(began));
          },
        };
      },
      watchBudget: (lowest) => {
        lowestBudget = lowest;
      },
    },
    approvals: { asked: () => count(askedOperator), expired: (number) => count(expiredAtOperator, number) },
    read: (given) => {
      sources = given;
    },
    page: async (accept) => {
      await refresh();
      const text = await registry.metrics();
      return prefersOpenMetrics(accept)
        ? { type: openMetricsType, text: asOpenMetrics(text) }
        : { type: prometheusType, text };
    },
  };
}
