import { createMasker, minimumMaskedLength, shortened } from '../../contract/index.ts';
import { BodyTooLarge, createConnections, readBody } from '../../outgoing/index.ts';
import { errorMessage } from '../common/index.ts';
import type { LabelledValue } from './alert-matches.ts';

/** Evaluates PromQL expressions. */
export interface Prometheus {
  /**
   * Evaluates an expression at the current time.
   * @returns one value for each series, or the value of a scalar
   * @throws Error with a readable reason if it can't be evaluated
   */
  query(expression: string, signal: AbortSignal): Promise<PrometheusValues>;
  close(): Promise<void>;
}

export interface PrometheusValues {
  readonly kind: 'series' | 'number';
  readonly values: readonly LabelledValue[];
}

/** The address of a Prometheus server, and how to authenticate. */
export interface PrometheusSettings {
  /** Without a trailing slash. */
  readonly url: string;
  /** The value of the `Authorization` header. */
  readonly authorization?: string;
  /** The CA certificates to verify it with, in PEM format; default: the publicly trusted ones. */
  readonly ca?: string;
}

/** How long an evaluation may take, in milliseconds. */
const timeoutMilliseconds = 10_000;

/** The maximum size of a response in bytes, and of a reported reason in characters. */
const mostBytes = 1024 * 1024;
const longestReason = 200;

const clipped = (text: string): string => shortened(text, longestReason);

/** Parses a number as Prometheus formats it. */
const numberOf = (text: unknown): number =>
  typeof text === 'string' ? Number(text.replace(/^([+-])Inf$/, '$1Infinity')) : Number.NaN;

/** The labels of a series that are strings. */
const labelsOf = (metric: unknown): LabelledValue['labels'] =>
  Object.fromEntries(
    Object.entries(metric ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

interface Answer {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly data?: { readonly resultType?: unknown; readonly result?: unknown };
}

/** The values in a response. @throws Error if it has none */
export function valuesIn(text: string): PrometheusValues {
  const answer = parsed(text);
  if (answer?.status !== 'success')
    throw new Error(
      typeof answer?.error === 'string'
        ? `it says: ${clipped(answer.error)}`
        : 'the server at this address is not a Prometheus',
    );
  const { resultType, result } = answer.data ?? {};
  if (resultType === 'scalar' && Array.isArray(result))
    return { kind: 'number', values: [{ labels: {}, value: numberOf(result[1]) }] };
  if (resultType === 'vector' && Array.isArray(result))
    return {
      kind: 'series',
      values: (result as { metric?: unknown; value?: unknown[] }[]).map(({ metric, value }) => ({
        labels: labelsOf(metric),
        value: numberOf(value?.[1]),
      })),
    };
  throw new Error(
    `the expression returns a ${typeof resultType === 'string' ? clipped(resultType) : 'value of another kind'}, but a condition needs an instant vector or a number`,
  );
}

function parsed(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

/**
 * The secrets in an `Authorization` header that a proxy may repeat in its error: the whole value, the credentials, and
 * the password of Basic credentials.
 */
function credentialsIn(authorization: string | undefined): readonly string[] {
  const [scheme = '', credentials = ''] = authorization?.split(' ', 2) ?? [];
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(credentials, 'base64').toString() : '';
  return [authorization, credentials, pair, pair.slice(pair.indexOf(':') + 1)].flatMap((text) =>
    text !== undefined && text.length >= minimumMaskedLength ? text : [],
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof BodyTooLarge)
    return `its answer has more than ${mostBytes} bytes: make the expression return fewer series`;
  return error instanceof Error && error.name === 'TimeoutError'
    ? `it did not answer within ${timeoutMilliseconds / 1000} seconds`
    : errorMessage(error);
}

/** Creates a Prometheus client. It loads and connects nothing until the first query. */
export function createPrometheus({ url, authorization, ca }: PrometheusSettings): Prometheus {
  const masked = createMasker(credentialsIn(authorization));
  const connections = createConnections({ connectTimeout: 5000, ca });
  return {
    query: async (expression, signal) => {
      try {
        const { origin, pathname } = new URL(`${url}/api/v1/query`);
        const response = await connections.request({
          origin,
          path: pathname,
          method: 'POST',
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]),
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            ...(authorization !== undefined && { authorization }),
          },
          body: new URLSearchParams({ query: expression, timeout: `${timeoutMilliseconds / 1000 - 2}s` }).toString(),
        });
        return valuesIn(masked(await readBody(response, mostBytes)));
      } catch (error) {
        signal.throwIfAborted();
        throw new Error(`The Prometheus at ${url} could not evaluate it: ${reasonOf(error)}.`, { cause: error });
      }
    },
    close: () => connections.close(),
  };
}
