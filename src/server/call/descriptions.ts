import type { ResolvedResource } from '../tool/index.ts';
import type { Call } from './call.ts';
import type { CallSubject } from '../audit/index.ts';
import type { TargetedOperation } from '../guard/index.ts';

/** Whether one thing is, or holds, another. */
const holds = ({ kind, id }: ResolvedResource, other: ResolvedResource): boolean => kind === 'organization' || [other.id, other.project?.id, other.environment?.id].includes(id);

/** The narrowest of some things: nothing else that the call names lies in it. Of several, the first. */
const narrowest = (addresses: readonly ResolvedResource[]): ResolvedResource | undefined =>
  addresses.find((one) => addresses.every((other) => other.id === one.id || !holds(one, other))) ?? addresses[0];

/**
 * What the arguments of a call point at, for the record: the first of the narrowest things, and how many more there are
 * beside what it lies in. Asks nobody. Names are shown as everywhere: secrets masked, what can't be seen written out.
 */
export function subjectOf({ resolved: addresses, args, redactor }: Pick<Call, 'resolved' | 'args' | 'redactor'>): CallSubject | undefined {
  const all = Object.values(addresses);
  const one = narrowest(all);
  if (!one) return typeof args['organization_id'] === 'string' ? { kind: 'organization', id: args['organization_id'] } : undefined;
  const shown = (text: string): string => redactor.text(text);
  const more = new Set(all.filter((other) => !holds(other, one)).map(({ id }) => id)).size;
  return {
    kind: one.kind, id: one.id,
    ...(one.name !== undefined && { name: shown(one.name) }),
    ...(one.path !== undefined && { path: shown(one.path) }),
    ...(more > 0 && { more }),
  };
}

/** A request in words: its operation, what it is about, and its target. */
export const operationText = ({ operation, target, about }: TargetedOperation): string =>
  `${operation.name}${about === undefined ? '' : ` ${about}`}${target.id === undefined ? '' : ` on ${target.kind} ${target.id}`}`;
