import {
  nodeLabels,
  nodeMetrics,
  serviceMetricLabels,
  serviceMetrics,
} from '../../src/platform/engine/measurements/metric-definitions.ts';
import { code, markdownTable } from './markdown.ts';

const rows = (metrics: Readonly<Record<string, { readonly help: string }>>): string[][] =>
  Object.entries(metrics).map(([name, { help }]) => [code(name), help]);

const list = (names: readonly string[]): string => names.map(code).join(', ');

/** What the platform measures, for docs/measurements.md. */
export const measurementsTable = (): string =>
  [
    markdownTable(['Metric', 'What it tells'], [...rows(serviceMetrics), ...rows(nodeMetrics)]),
    '',
    `Metrics of services have the labels ${list(serviceMetricLabels)}; those of nodes ${list(nodeLabels)}.`,
  ].join('\n');
