import { isServiceKind, operations } from '../../src/contract/index.ts';
import type { WatchedService } from '../../src/analysis/index.ts';
import { recordsIn, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

/** Whether tools act on services of this kind. */
export const isActedOn = (kind: unknown): boolean => isServiceKind(String(kind).toLowerCase());

/** The members of an environment's statuses that contain services of kinds on which no tool acts. */
export const otherMembers = (statuses: JsonRecord): readonly string[] =>
  Object.keys(statuses).filter(
    (member) =>
      Array.isArray(statuses[member]) && recordsIn(statuses[member]).length > 0 && !isActedOn(kindOfMember(member)),
  );

/** The kind of the services in a member of an environment's statuses. */
export const kindOfMember = (member: string): string => member.replace(/s$/, '');

/** The text that no tool acts on services of these kinds; empty if tools act on all of them. */
export function notActedOn(kinds: readonly unknown[]): readonly string[] {
  const others = [...new Set(kinds.map(String))].filter((kind) => kind !== '' && !isActedOn(kind));
  return others.length === 0
    ? []
    : [`No tool acts on services of this kind, they are only shown: ${others.join(', ')}.`];
}

/**
 * The services of an environment on which no tool can act, because they are of another kind or have no id. Their `id`
 * is empty if they have none.
 */
export async function otherServicesIn(context: ToolContext, environmentId: string): Promise<readonly WatchedService[]> {
  const [list, statuses = {}] = await Promise.all([
    context.attempt(operations.list_services, { environment_id: environmentId }),
    context.attempt(operations.get_environment_status, { environment_id: environmentId }) as Promise<
      JsonRecord | undefined
    >,
  ]);
  const states = new Map(
    otherMembers(statuses).flatMap((member) =>
      recordsIn(statuses[member]).map(
        (status) => [textOf(status, 'id') ?? '', { kind: kindOfMember(member), status }] as const,
      ),
    ),
  );
  const listed = recordsIn(list?.results).filter(
    (row) => textOf(row, 'id') === undefined || !isActedOn(row['service_type']),
  );
  const unlisted = [...states].filter(([id]) => !listed.some((row) => row['id'] === id));
  return [
    ...listed.map((row): WatchedService => {
      const id = textOf(row, 'id') ?? '';
      return {
        id,
        name: textOf(row, 'name') ?? id,
        kind: textOf(row, 'service_type')?.toLowerCase() ?? 'service',
        status: states.get(id)?.status,
      };
    }),
    ...unlisted.map(([id, { kind, status }]): WatchedService => ({
      id,
      name: textOf(status, 'name') ?? id,
      kind,
      status,
    })),
  ];
}
