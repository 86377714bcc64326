import { isServiceKind, joinPath, segmentsOf, serviceKinds, unescaped, type ReferenceKind } from '../contract/index.ts';
import type { LenientEvent } from './events.ts';

/** What a list of events can be about; `service` is one of any kind. */
export type PlaceKind = Extract<ReferenceKind, 'project' | 'environment'> | 'service' | (typeof serviceKinds)[number];

/** A project, an environment or a service, as events name it: it may be gone, or have another name by now. */
export interface EventPlace {
  readonly kind: Exclude<PlaceKind, 'service'>;
  readonly id: string;
  /** The names on the way to it, at the time of its newest event. */
  readonly path: string;
  /** The times of its oldest and newest events. */
  readonly first: string;
  readonly last: string;
  /** The time of the event of its deletion, if there is one. */
  readonly deletedAt?: string;
}

interface Mention {
  readonly kind: EventPlace['kind'];
  readonly id: string;
  readonly names: readonly string[];
}

const isText = (text: string | null | undefined): text is string => typeof text === 'string' && text !== '';

const mentionOf = (
  kind: EventPlace['kind'],
  id: string | null | undefined,
  names: (string | null | undefined)[],
): Mention | undefined =>
  isText(id) && isText(names.at(-1)) ? { kind, id: id.toLowerCase(), names: names.filter(isText) } : undefined;

/** What of this kind an event is about, or lies in; undefined if nothing is. */
function mentionIn(event: LenientEvent, kind: PlaceKind): Mention | undefined {
  const { target_id: target, target_name: name, project_name: project, environment_name: environment } = event;
  const type = event.target_type?.toLowerCase() ?? '';
  const isTarget = type === kind;
  if (kind === 'project')
    return mentionOf(kind, event.project_id ?? (isTarget ? target : undefined), [
      project ?? (isTarget ? name : undefined),
    ]);
  if (kind === 'environment')
    return mentionOf(kind, event.environment_id ?? (isTarget ? target : undefined), [
      project,
      environment ?? (isTarget ? name : undefined),
    ]);
  return isServiceKind(type) && (kind === 'service' || isTarget)
    ? mentionOf(type, target, [project, environment, name])
    : undefined;
}

const folded = (name: string): string => name.normalize('NFC').toLowerCase();

const kindPrefix = new RegExp(`^(?:${serviceKinds.join('|')}):`, 'i');

/** Whether a reference is the id of what an event mentions, or the end of the names on the way to it. */
function isReferredTo({ id, names }: Mention, reference: string): boolean {
  const segments = segmentsOf(reference);
  // The last name may have its kind in front of it.
  const withoutKind = [...segments.slice(0, -1), segments.at(-1)!.replace(kindPrefix, '')];
  const readings = [segments, withoutKind].map((reading) => folded(reading.map(unescaped).join('/')));
  return (
    id === reference.trim().toLowerCase() ||
    names.some((_, index) => readings.includes(folded(names.slice(index).join('/'))))
  );
}

const deletions: readonly unknown[] = ['DELETE', 'DELETED', 'UNINSTALLED'];

/**
 * The projects, environments or services that events name by a reference: a name, a path, or an id. Several have the
 * same name one after the other. Those with the newest events first.
 * @param events newest first
 */
export function placesNamed(
  events: readonly LenientEvent[],
  kind: PlaceKind,
  reference: string,
): readonly EventPlace[] {
  const places = new Map<string, EventPlace>();
  for (const event of events) {
    const mention = mentionIn(event, kind);
    if (!mention || !isText(event.timestamp) || !isReferredTo(mention, reference)) continue;
    const { id, names } = mention;
    const isItsEnd =
      event.target_id?.toLowerCase() === id && !event.sub_target_type && deletions.includes(event.event_type);
    const known: Omit<EventPlace, 'first'> = places.get(id) ?? {
      kind: mention.kind,
      id,
      path: joinPath(names),
      last: event.timestamp,
    };
    places.set(id, {
      ...known,
      first: event.timestamp,
      ...(isItsEnd && known.deletedAt === undefined && { deletedAt: event.timestamp }),
    });
  }
  return [...places.values()];
}
