import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ExportResultCode, parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { ProxyError, sendRequest } from '../../outgoing/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { ExportSettings } from './trace-settings.ts';

const formats = {
  'http/json': { type: 'application/json', serializer: JsonTraceSerializer },
  'http/protobuf': { type: 'application/x-protobuf', serializer: ProtobufTraceSerializer },
} as const;

const compressed = promisify(gzip);

/** Minimum time between two logs of lost spans, in milliseconds. */
const logInterval = 60_000;

/** The reason of a failed request, without the address, which may be secret. */
const reasonOf = (error: unknown): string => {
  if (error instanceof ProxyError) return error.message;
  const { name, code } = error as NodeJS.ErrnoException;
  return code ?? name;
};

/** An exporter that can stop immediately. */
export interface BoundedExporter extends SpanExporter {
  /** Aborts the requests in progress, whose spans are lost, and logs the spans lost since the last time. */
  readonly end: () => Promise<void>;
}

/**
 * Sends spans by OTLP over HTTP, each batch once. A batch that can't be delivered is dropped and logged.
 * OpenTelemetry's exporter retries with timers that would keep this process from exiting.
 */
export function otlpExporter(
  { url, headers, protocol, compression, timeout }: ExportSettings,
  log: Pick<ServerLogger, 'warn'>,
): BoundedExporter {
  const { type, serializer } = formats[protocol];
  const givenHeaders = Object.assign({}, ...headers.map((text) => parseKeyPairsIntoRecord(text))) as Record<
    string,
    string
  >;
  const isCompressed = compression === 'gzip';
  const ownHeaders = {
    'content-type': type,
    'user-agent': 'infra-mcp',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  };
  const stop = new AbortController();
  const underWay = new Set<Promise<void>>();
  let lost = 0;
  let reason = '';
  let loggedAt = Number.NEGATIVE_INFINITY;

  const send = async (serialized: Uint8Array): Promise<void> => {
    const body = isCompressed ? await compressed(serialized) : serialized;
    // Redirects are not followed: the headers, which may contain a key, must not go elsewhere.
    const { ok, status } = await sendRequest(url, {
      method: 'POST',
      headers: { ...givenHeaders, ...ownHeaders },
      body,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeout)]),
    });
    if (!ok) throw Object.assign(new Error('refused'), { code: `HTTP ${status}` });
  };

  const logLost = (): void => {
    if (lost > 0)
      log.warn(
        { spans: lost, reason },
        'traces were lost: the endpoint of OTEL_EXPORTER_OTLP_ENDPOINT did not accept them',
      );
    lost = 0;
    loggedAt = performance.now();
  };

  const drop = (spans: number, error: unknown): void => {
    lost += spans;
    reason = reasonOf(error);
    // At shutdown, one log entry covers all.
    if (!stop.signal.aborted && performance.now() - loggedAt >= logInterval) logLost();
  };

  const deliver = async (spans: ReadableSpan[]): Promise<void> => {
    const body = serializer.serializeRequest(spans);
    await (body && send(body).catch((error: unknown) => drop(spans.length, error)));
  };

  const exportSpans = async (spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): Promise<void> => {
    const delivered = deliver(spans);
    underWay.add(delivered);
    await delivered;
    underWay.delete(delivered);
    // Lost spans have been logged here.
    done({ code: ExportResultCode.SUCCESS });
  };

  return {
    export: (spans, done) => void exportSpans(spans, done),
    forceFlush: async () => void (await Promise.all(underWay)),
    shutdown: async () => void (await Promise.all(underWay)),
    end: async () => {
      stop.abort();
      await Promise.all(underWay);
      logLost();
    },
  };
}
