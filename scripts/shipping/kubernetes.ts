import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { fillIn } from './template.ts';

const home = join(import.meta.dirname, '../../deploy/helm/infra-mcp');
const notes = 'NOTES.txt';

/** The release values that Helm passes to a chart. */
export interface HelmRelease {
  /** The release name of `helm install`. */
  readonly name: string;
  /** The value of the managed-by label. */
  readonly service: string;
  readonly namespace?: string;
}

interface Chart {
  readonly name: string;
  readonly appVersion: string;
}

type Values = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values with others over them, as Helm lays them: map by map, and null takes a member away. */
export const withValues = (values: Values, over: Values): Values => {
  const merged = Object.entries(over).map(([name, value]) => [
    name,
    isMap(value) && isMap(values[name]) ? withValues(values[name], value) : value,
  ]);
  return Object.fromEntries(
    Object.entries({ ...values, ...(Object.fromEntries(merged) as Values) }).filter(([, value]) => value !== null),
  );
};

/** The chart's own values. */
export const chartValues = async (): Promise<Values> =>
  parse(await readFile(join(home, 'values.yaml'), 'utf8')) as Values;

/** The files of the chart, filled in, by their name. @param given values over the chart's own. */
async function renderedFiles(
  { name, service, namespace = 'default' }: HelmRelease,
  chart: Chart,
  given: Values,
): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(join(home, 'templates'))).toSorted();
  const templates = await Promise.all(files.map((file) => readFile(join(home, 'templates', file), 'utf8')));
  const filledIn = fillIn(templates, {
    Values: withValues(await chartValues(), given),
    Release: { Name: name, Service: service, Namespace: namespace },
    Chart: { Name: chart.name, AppVersion: chart.appVersion },
  });
  return new Map(files.map((file, index) => [file, filledIn[index]!]));
}

/**
 * The Kubernetes objects of the chart, in the order of the template files.
 * @param given values over the chart's own.
 */
export async function objectsOf(
  release: HelmRelease,
  chart: Chart,
  given: Values = {},
): Promise<Record<string, unknown>[]> {
  const files = [...(await renderedFiles(release, chart, given))].filter(([file]) => file !== notes);
  return files
    .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS({}) as unknown))
    .filter(isMap);
}

/** What Helm says after it installed the chart. */
export const notesOf = async (release: HelmRelease, chart: Chart, given: Values = {}): Promise<string> =>
  (await renderedFiles(release, chart, given)).get(notes)!;

/** The objects as a file for `kubectl apply`. */
export async function plainManifests(chart: Chart): Promise<string> {
  const objects = await objectsOf({ name: chart.name, service: 'kubectl' }, chart);
  const heading = '# Generated from the Helm chart by `npm run docs`. Change the URLs before you apply it.\n';
  return heading + objects.map((object) => `---\n${stringify(object)}`).join('');
}
