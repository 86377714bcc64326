import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { fillIn } from './template.ts';

const home = join(import.meta.dirname, '../../deploy/helm/infra-mcp');

/** The release values that Helm passes to a chart. */
export interface HelmRelease {
  /** The release name of `helm install`. */
  readonly name: string;
  /** The value of the managed-by label. */
  readonly service: string;
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The Kubernetes objects of the chart with its default values, in the order of the template files. */
export async function objectsOf({ name, service }: HelmRelease, chart: { readonly name: string; readonly appVersion: string }): Promise<Record<string, unknown>[]> {
  const files = (await readdir(join(home, 'templates'))).toSorted();
  const templates = await Promise.all(files.map((file) => readFile(join(home, 'templates', file), 'utf8')));
  const Values = parse(await readFile(join(home, 'values.yaml'), 'utf8')) as unknown;
  const filledIn = fillIn(templates, { Values, Release: { Name: name, Service: service }, Chart: { Name: chart.name, AppVersion: chart.appVersion } });
  return filledIn.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS({}) as unknown)).filter(isMap);
}

/** The objects as a file for `kubectl apply`. */
export async function plainManifests(chart: { readonly name: string; readonly appVersion: string }): Promise<string> {
  const objects = await objectsOf({ name: chart.name, service: 'kubectl' }, chart);
  const heading = '# Generated from the Helm chart by `npm run docs`. Change the URLs before you apply it.\n';
  return heading + objects.map((object) => `---\n${stringify(object)}`).join('');
}
