/** Environment variables; only those of OpenTelemetry are read. */
export type OtelVariables = Readonly<Record<string, string | undefined>>;

/** A variable's value; undefined if it is unset or empty, which are the same for OpenTelemetry. */
const valueOf = (env: OtelVariables, name: string): string | undefined => env[name]?.trim() || undefined;

/** The setting for traces, or else the one for all signals. */
const exporterValue = (env: OtelVariables, name: string): string | undefined =>
  valueOf(env, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? valueOf(env, `OTEL_EXPORTER_OTLP_${name}`);

/** Whether the environment enables traces: it sets an endpoint or exporter, and doesn't disable them. */
export function wantsTraces(env: OtelVariables): boolean {
  if (valueOf(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  const exporters = valueOf(env, 'OTEL_TRACES_EXPORTER')
    ?.split(',')
    .map((name) => name.trim());
  return exporters === undefined ? exporterValue(env, 'ENDPOINT') !== undefined : exporters.includes('otlp');
}

/** The destination of traces, and the transfer settings. */
export interface ExportSettings {
  readonly url: URL;
  /** As in the environment: pairs separated by commas. */
  readonly headers: readonly string[];
  readonly protocol: 'http/json' | 'http/protobuf';
  readonly compression: 'none' | 'gzip';
  /** Milliseconds. */
  readonly timeout: number;
}

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

const endpointOf = (env: OtelVariables): URL | null => {
  const own = valueOf(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  // Only the common endpoint is a base, to which the path of the signal is added.
  return URL.parse(
    own ?? `${(valueOf(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') ?? 'http://localhost:4318').replace(/\/$/, '')}/v1/traces`,
  );
};

/** The address that traces are sent to; undefined if there are none, or it is no URL. */
export const tracesAddress = (env: OtelVariables): URL | undefined =>
  wantsTraces(env) ? (endpointOf(env) ?? undefined) : undefined;

/**
 * Reads the destination of traces.
 * @throws Error that names the variable to change. It shows no value: an endpoint or a header may contain a secret.
 */
export function exportSettings(env: OtelVariables): ExportSettings {
  const url = endpointOf(env);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new Error(
      'no http or https address without user name is set in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT. Secrets belong in OTEL_EXPORTER_OTLP_HEADERS',
    );
  }
  const protocol = exporterValue(env, 'PROTOCOL') ?? 'http/protobuf';
  if (protocol !== 'http/json' && protocol !== 'http/protobuf') {
    throw new Error(
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json. Point OTEL_EXPORTER_OTLP_ENDPOINT to the HTTP port of the receiver, usually 4318',
    );
  }
  const compression = exporterValue(env, 'COMPRESSION') ?? 'none';
  if (compression !== 'none' && compression !== 'gzip')
    throw new Error('OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none');
  const headers = [
    valueOf(env, 'OTEL_EXPORTER_OTLP_HEADERS'),
    valueOf(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
  ].filter((text) => text !== undefined);
  return { url, headers, protocol, compression, timeout: wholeNumber(exporterValue(env, 'TIMEOUT')) ?? 10_000 };
}

/**
 * The resource settings of this program in traces. The attributes are as in the environment: pairs separated by commas.
 */
export const resourceSettings = (
  env: OtelVariables,
): { readonly serviceName?: string; readonly attributes?: string } => ({
  serviceName: valueOf(env, 'OTEL_SERVICE_NAME'),
  attributes: valueOf(env, 'OTEL_RESOURCE_ATTRIBUTES'),
});

/** Batch settings of spans; OpenTelemetry's defaults if a variable isn't set. Times in milliseconds. */
export function batchSettings(env: OtelVariables): {
  readonly scheduledDelayMillis?: number;
  readonly maxQueueSize?: number;
  readonly maxExportBatchSize?: number;
} {
  return {
    scheduledDelayMillis: wholeNumber(valueOf(env, 'OTEL_BSP_SCHEDULE_DELAY')),
    maxQueueSize: wholeNumber(valueOf(env, 'OTEL_BSP_MAX_QUEUE_SIZE')),
    maxExportBatchSize: wholeNumber(valueOf(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE')),
  };
}

/** Sampling settings of traces. */
export interface SamplerSettings {
  readonly name: 'always_on' | 'always_off' | 'traceidratio';
  /** From 0 to 1. */
  readonly ratio: number;
  /** Whether the caller's decision takes precedence. */
  readonly parentBased: boolean;
}

/** Reads which traces are sampled. @throws Error that names the variable to change. */
export function samplerSettings(env: OtelVariables): SamplerSettings {
  const given = valueOf(env, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const match = /^(?<parent>parentbased_)?(?<name>always_on|always_off|traceidratio)$/.exec(given)?.groups;
  const ratio = Number(valueOf(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!match)
    throw new Error(
      'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of them after parentbased_',
    );
  if (match['name'] === 'traceidratio' && !(ratio >= 0 && ratio <= 1))
    throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  return { name: match['name'] as SamplerSettings['name'], ratio, parentBased: match['parent'] !== undefined };
}
