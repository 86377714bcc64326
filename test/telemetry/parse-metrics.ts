/** One sample: the name of its metric, its labels and its value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A page of metrics. */
export interface ParsedMetrics {
  readonly samples: readonly Sample[];
  /** The types that the page declares, by name. */
  readonly types: ReadonlyMap<string, string>;
  /** The value of the only sample with this name and at least these labels; undefined without one. */
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => number | undefined;
}

// The metrics library writes Nan for NaN. Readers take both.
const sampleLine = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>NaN|Nan|[+-]?Inf|[-+.\deE]+)$/;
const labelPair = /(?<name>[a-zA-Z_]\w*)="(?<value>(?:[^"\\]|\\[\\"n])*)"(?:,|$)/y;
const suffixes = ['', '_bucket', '_sum', '_count'];

const unescape = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));

function labelsIn(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < text.length) {
    const groups = labelPair.exec(text)?.groups;
    if (!groups || Object.hasOwn(labels, groups['name']!)) throw new Error(`labels that are none: ${line}`);
    labels[groups['name']!] = unescape(groups['value']!);
  }
  return labels;
}

/**
 * Parses a page of metrics in Prometheus text or OpenMetrics.
 * @throws Error if a line is neither, a sample has no type, or occurs twice.
 */
export function parseMetrics(text: string, format: 'prometheus' | 'openmetrics' = 'prometheus'): ParsedMetrics {
  if (!text.endsWith(format === 'openmetrics' ? '\n# EOF\n' : '\n'))
    throw new Error('the page does not end as its format says');
  const lines = text.replace(/\n(?:# EOF\n)?$/, '').split('\n');
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of lines) {
    if (line === '' && format === 'prometheus') continue;
    const comment = /^# (?<kind>HELP|TYPE) (?<name>[a-zA-Z_:][\w:]*) (?<rest>.+)$/.exec(line)?.groups;
    if (comment) {
      if (comment['kind'] === 'HELP') continue;
      if (types.has(comment['name']!)) throw new Error(`a second type: ${line}`);
      types.set(comment['name']!, comment['rest']!);
      continue;
    }
    const groups = sampleLine.exec(line)?.groups;
    if (!groups) throw new Error(`no line of this format: ${line}`);
    const [name, labels] = [groups['name']!, labelsIn(groups['labels'] ?? '', line)];
    const family = [...suffixes, ...(format === 'openmetrics' ? ['_total'] : [])]
      .map((suffix) => (name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name))
      .find((one) => types.has(one));
    if (family === undefined) throw new Error(`no type: ${line}`);
    if (format === 'openmetrics' && types.get(family) === 'counter' && name !== `${family}_total`)
      throw new Error(`a counter without its suffix: ${line}`);
    const key = `${name} ${JSON.stringify(
      Object.entries(labels)
        .map((pair) => pair.join('='))
        .toSorted(),
    )}`;
    if (seen.has(key)) throw new Error(`a second sample: ${line}`);
    seen.add(key);
    samples.push({ name, labels, value: Number(groups['value']!.replace('Inf', 'Infinity').replace('Nan', 'NaN')) });
  }
  const value: ParsedMetrics['value'] = (name, labels = {}) => {
    const found = samples.filter(
      (one) => one.name === name && Object.entries(labels).every(([label, wanted]) => one.labels[label] === wanted),
    );
    if (found.length > 1) throw new Error(`${name} has ${found.length} samples with these labels`);
    return found[0]?.value;
  };
  return { samples, types, value };
}
