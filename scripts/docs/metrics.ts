import { definitions, type MetricDefinition } from '../../src/telemetry/index.ts';
import { code, markdownTable } from './markdown.ts';

const partHeadings: Readonly<Record<MetricDefinition['part'], string>> = {
  calls: '`stdio` and `http`',
  http: '`http`',
  engine: 'the process that serves an embedded platform',
};

const labelsText = ({ labels = {} }: MetricDefinition): string =>
  Object.entries(labels)
    .map(([name, values]) => `${code(name)}: ${values}`)
    .join('.<br>');

/** The metrics, for docs/metrics.md. */
export const metricsTable = (): string => {
  const all: readonly MetricDefinition[] = Object.values(definitions);
  return markdownTable(
    ['Metric', 'Type', 'What it tells', 'Labels', 'Served by'],
    all.map((one) => [code(one.name), one.type, one.help, labelsText(one), partHeadings[one.part]]),
  );
};
