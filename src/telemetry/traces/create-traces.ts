import { setTimeout as pause } from 'node:timers/promises';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traceApi,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { RequestObserver, Trace } from '../../client/index.ts';
import type { CallObserver } from '../../server/call/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { otlpExporter } from './otlp-exporter.ts';
import {
  batchSettings,
  exportSettings,
  resourceSettings,
  samplerSettings,
  type OtelVariables,
  type SamplerSettings,
} from './trace-settings.ts';

/** Traces of calls and of requests to the platform. */
export interface Traces {
  readonly calls: CallObserver;
  readonly requests: RequestObserver;
  /** Sends the remaining spans, for a limited time, and logs lost ones. */
  readonly close: () => Promise<void>;
}

/** How long closing waits for the endpoint, in milliseconds. */
const longestFlush = 2_000;

const samplerOf = ({ name, ratio, parentBased }: SamplerSettings): Sampler => {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[name]();
  return parentBased ? new ParentBasedSampler({ root }) : root;
};

/** Outcomes of a call that are faults of the server or of the platform. A refusal by a policy or a person isn't one. */
const faults: ReadonlySet<string> = new Set(['failed', 'unknown']);

/**
 * Creates traces as configured by the OTEL_* variables. Attributes are names of tools, stages and operations, outcomes
 * and statuses: no arguments, answers, resource names or identities.
 * @throws Error that names the variable to change.
 */
export function createTraces(
  env: OtelVariables,
  { version, log }: { readonly version: string; readonly log: ServerLogger },
): Traces {
  const exporter = otlpExporter(exportSettings(env), log);
  const { serviceName, attributes: resourceAttributes } = resourceSettings(env);
  const provider = new TracerProvider({
    sampler: samplerOf(samplerSettings(env)),
    resource: resourceFromAttributes({
      'service.name': 'infra-mcp',
      'service.version': version,
      ...parseKeyPairsIntoRecord(resourceAttributes),
      ...(serviceName !== undefined && { 'service.name': serviceName }),
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchSettings(env) })],
  });
  const tracer = provider.getTracer('infra-mcp', version);
  // The traces that spans of this process created. All others come from callers.
  const own = new WeakSet<Trace>();

  // The caller's tracestate is passed on to the platform, but isn't part of a span, because the caller controls its
  // text.
  const parentOf = (trace: Trace | undefined): Context => {
    const parent = trace && parseTraceParent(trace.traceparent);
    return parent ? traceApi.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: !own.has(trace) }) : ROOT_CONTEXT;
  };

  const traceOf = (span: Span, { tracestate }: Partial<Trace> = {}): Trace => {
    const { traceId, spanId, traceFlags } = span.spanContext();
    const trace: Trace = {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      ...(tracestate !== undefined && { tracestate }),
    };
    own.add(trace);
    return trace;
  };

  const begin = (
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    trace: Trace | undefined,
  ): { readonly span: Span; readonly trace: Trace } => {
    const span = tracer.startSpan(name, { kind, attributes }, parentOf(trace));
    return { span, trace: traceOf(span, parentOf(trace) === ROOT_CONTEXT ? {} : trace) };
  };

  return {
    calls: {
      begin: (tool = 'unknown', given) => {
        const { span, trace } = begin(
          `tools/call ${tool}`,
          SpanKind.SERVER,
          { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool },
          given,
        );
        return {
          trace,
          stage: (name) => void span.addEvent(name),
          end: ({ outcome, tier = 'none' }) => {
            span.setAttributes({ 'infra_mcp.outcome': outcome, 'infra_mcp.risk': tier });
            if (faults.has(outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
            span.end();
          },
        };
      },
    },
    requests: {
      begin: ({ operation, attempt, trace: given }) => {
        const attributes = {
          'http.request.method': operation.method,
          'url.template': operation.path,
          'infra_mcp.operation': operation.name,
          ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
        };
        const { span, trace } = begin(operation.name, SpanKind.CLIENT, attributes, given);
        return {
          trace,
          end: (end) => {
            const failure = 'fault' in end ? end.fault : end.status >= 400 ? String(end.status) : undefined;
            if ('status' in end) span.setAttribute('http.response.status_code', end.status);
            if (failure !== undefined)
              span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
            span.end();
          },
        };
      },
      watchBudget: () => undefined,
    },
    close: async () => {
      const timer = new AbortController();
      const flushed = provider.shutdown().catch(() => undefined);
      await Promise.race([flushed, pause(longestFlush, undefined, { signal: timer.signal }).catch(() => undefined)]);
      timer.abort();
      await exporter.end();
      await flushed;
    },
  };
}
