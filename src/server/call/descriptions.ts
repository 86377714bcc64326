import type { ResolvedResource } from '../tool/index.ts';
import type { Call } from './call.ts';
import type { CallSubject } from '../audit/index.ts';
import type { TargetedOperation } from '../guard/index.ts';

/** Whether one resource is the other one, or contains it. */
const holds = ({ kind, id }: ResolvedResource, other: ResolvedResource): boolean =>
  kind === 'organization' || [other.id, other.project?.id, other.environment?.id].includes(id);

/** The first resource that contains none of the others. */
const narrowest = (resources: readonly ResolvedResource[]): ResolvedResource | undefined =>
  resources.find((one) => resources.every((other) => other.id === one.id || !holds(one, other))) ?? resources[0];

/**
 * The resource that the arguments of a call refer to, for the audit record: the first one that contains none of the
 * others, with the number of further ones, not counting those that contain it. Sends no request. Names are cleaned and
 * masked.
 */
export function subjectOf({
  resolved,
  args,
  redactor,
}: Pick<Call, 'resolved' | 'args' | 'redactor'>): CallSubject | undefined {
  const all = Object.values(resolved);
  const one = narrowest(all);
  if (!one)
    return typeof args['organization_id'] === 'string'
      ? { kind: 'organization', id: args['organization_id'] }
      : undefined;
  const shown = (text: string): string => redactor.text(text);
  const more = new Set(all.filter((other) => !holds(other, one)).map(({ id }) => id)).size;
  return {
    kind: one.kind,
    id: one.id,
    ...(one.name !== undefined && { name: shown(one.name) }),
    ...(one.path !== undefined && { path: shown(one.path) }),
    ...(more > 0 && { more }),
  };
}

/** A planned operation as text: its name, its subject, and its target. */
export const operationText = ({ operation, target, about }: TargetedOperation): string =>
  `${operation.name}${about === undefined ? '' : ` ${about}`}${target.id === undefined ? '' : ` on ${target.kind} ${target.id}`}`;
