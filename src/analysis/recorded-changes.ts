import { isWanted, tellEvent, type LenientEvent, type WantedEvents } from './events.ts';

/** A change of a service's configuration, or of a variable that it sees, as the platform recorded it. */
export interface RecordedChange {
  readonly at: string;
  readonly by?: string;
  /** The key of the variable; absent if the configuration of the service was changed. */
  readonly variable?: string;
  /** Scope of the variable, as rows of variables have it. */
  readonly scope?: string;
  readonly isRemoval: boolean;
  /** The changed members, old → new where both are known, without secrets. */
  readonly changes?: string;
}

const variableParts: readonly string[] = ['VARIABLE', 'SECRET'];

/** What an event tells of a service's configuration and variables; undefined if it is about something else. @param isSecret as for `tellEvent` */
export function recordedChange(event: LenientEvent, places: Pick<WantedEvents, 'service' | 'environment' | 'project'>, isSecret: (name: string) => boolean): RecordedChange | undefined {
  if (!event.timestamp || !isWanted(places, event)) return undefined;
  const { key, who: by, changes } = tellEvent(event, isSecret);
  const isRemoval = event.event_type === 'DELETE';
  const told = { at: event.timestamp, by, isRemoval, changes };
  if (variableParts.includes(event.sub_target_type ?? '')) return key === undefined ? undefined : { ...told, variable: key, scope: event.target_type ?? undefined };
  const isOwn = !event.sub_target_type && event.target_id?.toLowerCase() === places.service?.toLowerCase();
  return isOwn && event.event_type === 'UPDATE' ? told : undefined;
}

/** By whom, and from what to what, as words that follow a change. */
export const recordedText = ({ by, changes }: Pick<RecordedChange, 'by' | 'changes'>): string => `${by === undefined ? '' : ` by ${by}`}${changes === undefined ? '' : `: ${changes}`}`;
