import { operations, serviceKinds, type ServiceKind } from '../../src/contract/index.ts';
import type { LenientServiceStatus } from '../../src/analysis/index.ts';
import {
  anyOf,
  recordsIn,
  readUses,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/** A service with its configuration and status, as the lists of its environment show it. */
export interface ObservedService {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  readonly configuration?: JsonRecord;
  readonly status?: LenientServiceStatus;
}

/** The reads for the services of an environment. */
export const readsOfServices: readonly ReadUse[] = anyOf(
  ...readUses('services are shown without names and configuration', operations.list_services),
  ...readUses('services are shown without their states', operations.get_environment_status),
);

const kindOf = (service: JsonRecord): ServiceKind | undefined =>
  serviceKinds.find((kind) => kind === textOf(service, 'service_type')?.toLowerCase());

/** The services of an environment with their configuration and status; undefined if the platform shows neither. */
export async function observedServices(
  context: Pick<ToolContext, 'attempt'>,
  environmentId: string,
): Promise<ObservedService[] | undefined> {
  const [list, statuses] = await Promise.all([
    context.attempt(operations.list_services, { environment_id: environmentId }),
    context.attempt(operations.get_environment_status, { environment_id: environmentId }),
  ]);
  if (!list && !statuses) return undefined;
  const configured = new Map(recordsIn(list?.results).map((row) => [row['id'], row]));
  const statusIn = (id: string, kind: ServiceKind): LenientServiceStatus | undefined =>
    recordsIn(statuses?.[`${kind}s`]).find((row) => row['id'] === id);
  if (list) {
    return [...configured.values()].flatMap((row) => {
      const [kind, id] = [kindOf(row), textOf(row, 'id')];
      return kind && id
        ? [{ kind, id, name: textOf(row, 'name') ?? id, configuration: row, status: statusIn(id, kind) }]
        : [];
    });
  }
  return serviceKinds.flatMap((kind) =>
    recordsIn(statuses?.[`${kind}s`]).map((status) => ({
      kind,
      id: String(status['id']),
      name: String(status['id']),
      status,
    })),
  );
}
