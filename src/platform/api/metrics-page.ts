import type { FastifyInstance } from 'fastify';
import { metricHelp, type Series } from '../engine/index.ts';
import type { DataStore } from '../store/index.ts';
import type { HandlerDependencies } from './handler.ts';

/** The paths of the metrics for Prometheus, and of the scrape configuration for operators. */
export const metricsPaths = { metrics: '/metrics', scrapeConfiguration: '/metrics/scrape-config' } as const;

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const line = ({ metric, labels, value }: Series): string =>
  `${metric}{${Object.entries(labels)
    .map(([name, text]) => `${name}=${quoted(text)}`)
    .join(',')}} ${value}`;

/** Values of metrics in the text format of Prometheus. */
export const metricsText = (series: readonly Series[]): string =>
  [...Map.groupBy(series, ({ metric }) => metric)]
    .map(([metric, each]) =>
      [`# HELP ${metric} ${metricHelp(metric)}`, `# TYPE ${metric} gauge`, ...each.map(line), ''].join('\n'),
    )
    .join('');

/** The scrape configuration for a platform at a host, with port. The token stays in a file on Prometheus' machine. */
const scrapeConfiguration = (scheme: string, host: string): string => `scrape_configs:
  - job_name: infra-platform
    scheme: ${scheme}
    metrics_path: ${metricsPaths.metrics}
    scrape_interval: 30s
    authorization:
      # A file with a token of the permission read.
      credentials_file: /etc/prometheus/infra-platform.token
    static_configs:
      - targets: [${JSON.stringify(host)}]
`;

/** Serves the metrics to callers with a token. */
export function addMetricsPage(
  app: FastifyInstance,
  dependencies: Pick<HandlerDependencies, 'engine'> & { readonly db: DataStore },
): void {
  app.get(metricsPaths.metrics, async (_request, reply) =>
    reply.type(contentType).send(metricsText(await dependencies.db.read((trx) => dependencies.engine.metrics(trx)))),
  );
  app.get(metricsPaths.scrapeConfiguration, async ({ protocol, host }, reply) =>
    reply.type('text/plain; charset=utf-8').send(scrapeConfiguration(protocol, host)),
  );
}
