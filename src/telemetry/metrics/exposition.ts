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
  const best = (...types: string[]): number => Math.max(0, ...ranges.filter((one) => types.includes(one.type)).map((one) => one.quality));
  return best('application/openmetrics-text') > best('text/plain');
}

/**
 * Prometheus text as OpenMetrics: there, the name of a counter in HELP and TYPE has no suffix, no line is empty, and the last one is EOF.
 * The metrics library can write either, but not both from the same counters.
 */
export function asOpenMetrics(text: string): string {
  const counters = new Set([...text.matchAll(/^# TYPE (?<name>\S+)_total counter$/gm)].map(({ groups }) => groups!['name']!));
  const lines = text.split('\n').filter((line) => line !== '').map((line) =>
    line.replace(/^(?<start># (?:HELP|TYPE) )(?<name>\S+)_total /, (whole: string, start: string, name: string) => (counters.has(name) ? `${start}${name} ` : whole)));
  return [...lines, '# EOF', ''].join('\n');
}
