import manifest from '../../../package.json' with { type: 'json' };
import type { RequestObserver } from '../../client/index.ts';
import type { CallObserver } from '../../server/call/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { ApprovalObserver } from '../../server/guard/index.ts';
import {
  combinedCallObserver,
  combinedRequestObserver,
  wantsTraces,
  type Metrics,
  type MetricSources,
  type Part,
  type Traces,
} from '../../telemetry/index.ts';
import type { MetricsServer } from '../../transport/index.ts';
import type { Config } from '../config/index.ts';

/** The metrics and traces of this process. Without any, every member is empty and nothing is loaded. */
export interface Telemetry {
  readonly calls?: CallObserver;
  readonly requests?: RequestObserver;
  readonly approvals?: ApprovalObserver;
  /** Serves the metrics, if enabled. @returns their URL. @throws Error if the address can't be bound. */
  readonly serve: (sources: MetricSources) => Promise<string | undefined>;
  /** Stops serving metrics, and sends the remaining traces for a limited time. */
  readonly close: () => Promise<void>;
}

const openMetrics = async (
  { metricsPort }: Config,
  parts: readonly Part[],
  log: ServerLogger,
): Promise<Metrics | undefined> =>
  metricsPort === undefined
    ? undefined
    : (await import('../../telemetry/metrics/create-metrics.ts')).createMetrics(parts, log);

/** Traces are an addition: settings that can't be used are logged, and the program runs without traces. */
async function openTraces(env: NodeJS.ProcessEnv, log: ServerLogger): Promise<Traces | undefined> {
  if (!wantsTraces(env)) return undefined;
  const { createTraces } = await import('../../telemetry/traces/create-traces.ts');
  try {
    return createTraces(env, { version: manifest.version, log });
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'no traces are sent: an OTEL_ variable cannot be used');
    return undefined;
  }
}

/**
 * Opens the telemetry that the options and the OTEL_* variables enable.
 * @param parts of the program that the metrics cover.
 */
export async function openTelemetry(config: Config, parts: readonly Part[], log: ServerLogger): Promise<Telemetry> {
  const { metricsHost: host, metricsPort: port = 0 } = config;
  const [metrics, traces] = await Promise.all([openMetrics(config, parts, log), openTraces(process.env, log)]);
  const observers = [metrics, traces].filter((one) => one !== undefined);
  let server: MetricsServer | undefined;
  return {
    calls: combinedCallObserver(observers.map(({ calls }) => calls)),
    requests: combinedRequestObserver(observers.map(({ requests }) => requests)),
    approvals: metrics?.approvals,
    serve: async (sources) => {
      if (!metrics) return undefined;
      metrics.read(sources);
      const [{ startMetricsServer }, { listeningOn }] = await Promise.all([
        import('../../transport/http/metrics-server.ts'),
        import('./listen-error.ts'),
      ]);
      server = await listeningOn({ host, port }, () => startMetricsServer({ host, port, page: metrics.page, log }), {
        host: '--metrics-host',
        port: '--metrics-port',
      });
      return server.url;
    },
    close: async () => {
      await Promise.all([server?.close(), traces?.close()]);
    },
  };
}
