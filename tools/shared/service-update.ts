import type { AnyOperation } from '../../src/contract/index.ts';
import { isRecord, naming, partialUpdate, type CompositionDefinition, type JsonRecord, type PartialUpdate, type TextPart } from '../../src/server/tool/index.ts';

/** Members that hold exactly one kind of probe. */
const probes = ['healthchecks.readiness_probe.type', 'healthchecks.liveness_probe.type'];

const idOf = (pointer: unknown): unknown => (isRecord(pointer) ? pointer['id'] : undefined);

/** A record that names its registry by id, as requests do; answers may have the registry as a record only. */
export const withRegistryId = ({ registry, ...rest }: JsonRecord): JsonRecord => ({ ...rest, ...((rest['registry_id'] ?? undefined) === undefined && isRecord(registry) && { registry_id: idOf(registry) }) });

/** How every tool that changes a service says what it prints of the members that several kinds share. */
const fields: Readonly<Record<string, string>> = {
  name: 'New name.',
  healthchecks: 'readiness_probe (may get traffic?), liveness_probe (restart it?). Each {type: {http: {port, path}} or tcp {port}, grpc {port}, exec {command}; initial_delay_seconds, period_seconds, timeout_seconds, failure_threshold}.',
  autoscaling: '{polling_interval_seconds, cooldown_period_seconds, scalers: [{scaler_type, config_json, trigger_authentication}]}.',
  ports: '{name, internal_port, external_port, publicly_accessible, protocol: HTTP, GRPC, TCP, UDP}; with remove: true it goes.',
  storage: '{mount_point, size in GB, type FAST_SSD}; with remove: true it goes.',
};

const folded = ['healthchecks', 'autoscaling', 'ports[]', 'storage[]'];

/** Accepted, and seldom changed. */
const hidden = [
  'gpu', 'icon_uri', 'auto_preview', 'labels_groups', 'annotations_groups', 'build_mode', 'git_repository.provider', 'git_repository.git_token_id',
];

const merged = 'Give only what changes: records are merged, and lists item by item, by id or name. null removes.';

type Printing = Pick<CompositionDefinition<Record<never, never>>, 'fields' | 'folded' | 'hidden'>;

/** What a tool that changes a service of one kind has of its own. */
export interface ServiceUpdate extends PartialUpdate, Printing {
  /** What it is for, in everyday words. */
  readonly description: string;
}

/**
 * The definition of a tool that changes a service of any kind: what is given is merged into what is there, and the answer
 * is what has changed.
 */
export function serviceUpdate(operation: AnyOperation, { description, exclusive = [], asRequest, fixed, ...own }: ServiceUpdate) {
  return {
    toolset: 'services' as const,
    description: `${description} ${merged}`,
    ...partialUpdate(operation, { exclusive: [...probes, ...exclusive], asRequest, fixed }),
    fields: { ...fields, ...own.fields },
    folded: [...folded, ...(own.folded ?? [])],
    hidden: [...hidden, ...(own.hidden ?? [])],
    next: ['It takes effect with the next deployment.', naming`${'deploy_service'} deploys it.`] satisfies TextPart[],
  };
}
