import type { Selectable } from 'kysely';
import { createMasker, isRecord, parseJson, shortened } from '../../contract/index.ts';
import { BodyTooLarge, type Connections, ProxyError, readBody, UnreadableEncoding } from '../../outgoing/index.ts';
import { errorMessage, refused } from '../common/index.ts';
import type { HelmRepositoryTable } from '../store/index.ts';
import type { EngineContext } from './context.ts';
import { basicCredentials } from './linked-credentials.ts';
import { type Chart, isSample, sampleCharts } from './sample-charts.ts';
import { type AddressPolicy, connectionsWithin, findRefusal } from './webhooks/target.ts';

type Repository = Pick<
  Selectable<HelmRepositoryTable>,
  'id' | 'name' | 'kind' | 'url' | 'skip_tls_verification' | 'config' | 'sealed_config'
>;

/** How long a repository may take to answer, in milliseconds. */
const timeoutMilliseconds = 10_000;

/** The maximum size of an index in bytes. It is parsed while everything else waits. */
const mostBytes = 2 * 1024 * 1024;

const mostRedirects = 3;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** The maximum numbers of charts in an answer, and of versions of each. */
const mostCharts = 1000;
const mostVersions = 100;

const longestReason = 200;

/** Why the charts of a repository are not known, as part of a sentence. */
class Unreadable extends Error {}

/** The address of the index, below the repository's. */
const indexOf = (url: string): URL => {
  const index = new URL(url);
  index.pathname = `${index.pathname.replace(/\/+$/, '')}/index.yaml`;
  return index;
};

/** Reads the index. Credentials are sent to the repository's own origin only. @throws Unreadable, or another error */
async function readIndex(
  connections: Connections,
  first: URL,
  authorization: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  let url = first;
  for (let hop = 0; ; hop += 1) {
    // In sequence: each request follows the last redirect.
    const response = await connections.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { ...(authorization !== undefined && url.origin === first.origin && { authorization }) },
      signal,
      headersTimeout: timeoutMilliseconds,
      bodyTimeout: timeoutMilliseconds,
    });
    const { statusCode: status } = response;
    if (status === 200) return readBody(response, mostBytes);
    response.body.on('error', () => undefined).destroy();
    const location = response.headers['location'];
    if (!redirects.includes(status) || typeof location !== 'string')
      throw new Unreadable(`${first.host} answered ${status} to the request for its index.yaml`);
    const next = URL.parse(location, url);
    if (hop === mostRedirects || next?.protocol !== 'https:')
      throw new Unreadable(`${first.host} redirects too often, or to an address without https`);
    url = next;
  }
}

const textIn = (record: unknown, name: string): string | undefined => {
  const value = isRecord(record) ? record[name] : undefined;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
};

/** The charts in the text of an index. @throws Unreadable if it is none */
async function chartsIn(text: string, only: string | undefined): Promise<Chart[]> {
  const { parse } = await import('yaml');
  const index: unknown = parseJson(text) ?? parsedYaml(parse, text);
  const entries = isRecord(index) ? index['entries'] : undefined;
  // A repository without charts has no entries.
  if (!isRecord(index) || (entries !== undefined && entries !== null && !isRecord(entries)))
    throw new Unreadable('what it has as index.yaml is no index of charts');
  return Object.entries(entries ?? {})
    .filter(([name, versions]) => Array.isArray(versions) && (only === undefined || name === only))
    .slice(0, mostCharts)
    .map(([name, versions]) => ({
      chart_name: name,
      versions: (versions as unknown[]).slice(0, mostVersions).flatMap((row) => textIn(row, 'version') ?? []),
    }));
}

function parsedYaml(parse: typeof import('yaml').parse, text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    throw new Unreadable('its index.yaml is no YAML');
  }
}

/** Why an index can't be read, as part of a sentence. */
function reasonText(error: unknown, timedOut: boolean): string {
  const refusal = findRefusal(error);
  if (refusal)
    return `${refusal.where} is a private or reserved address, and the operator of the platform doesn't allow those`;
  if (error instanceof Unreadable) return error.message;
  if (timedOut) return `it did not answer within ${timeoutMilliseconds / 1000} seconds`;
  if (error instanceof BodyTooLarge) return `its index.yaml has more than ${mostBytes / 1024 / 1024} MB`;
  if (error instanceof UnreadableEncoding) return error.message;
  // The organization's members read this: they learn of the proxy, not of its address.
  if (error instanceof ProxyError) return `the platform's proxy did not let the request through: ${error.reason}`;
  return shortened(
    error instanceof AggregateError ? error.errors.map(String).join('; ') : errorMessage(error),
    longestReason,
  );
}

const withOnly = (charts: readonly Chart[], only: string | undefined): Chart[] =>
  charts.filter(({ chart_name: name }) => only === undefined || name === only);

/**
 * Lists the charts of a repository, with their versions, from its index. Sends a request, so it must run outside any
 * transaction.
 * @param only the only chart to list
 * @throws ApiProblem 400 that says why they can't be read
 */
export async function chartsOf(
  { db, openSecret, simulatesCharts }: Pick<EngineContext, 'db' | 'openSecret' | 'simulatesCharts'>,
  policy: AddressPolicy,
  repository: Repository,
  only: string | undefined,
  stopping: AbortSignal,
): Promise<Chart[]> {
  const { name, kind, url } = repository;
  const unreadable = (why: string) =>
    refused(`The charts of the repository ${name} can't be read: ${why}. Whether it has any is not known.`);
  if (kind !== 'HTTPS') throw unreadable('registries of OCI kinds have no list of charts');
  if (url === null) throw unreadable('it has no address');
  if (simulatesCharts && isSample(url)) return withOnly(await sampleCharts(db, repository.id), only);
  const credentials = basicCredentials(repository, openSecret);
  const basic = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  const connections = connectionsWithin(policy, undefined, { isUnverified: repository.skip_tls_verification === 1 });
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  try {
    const text = await readIndex(
      connections,
      indexOf(url),
      basic && `Basic ${basic}`,
      AbortSignal.any([stopping, timeout]),
    );
    return await chartsIn(text, only);
  } catch (error) {
    stopping.throwIfAborted();
    const mask = createMasker(credentials ? [credentials.password, basic!] : []);
    throw unreadable(mask(reasonText(error, timeout.aborted)));
  } finally {
    await connections.close();
  }
}
