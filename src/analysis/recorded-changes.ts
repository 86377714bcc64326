import { hiddenSecret, Probe } from '../contract/index.ts';
import { eventMembers, isWanted, tellEvent, type LenientEvent, type WantedEvents } from './events.ts';

/** A change of a service's configuration, or of one of its visible variables, as the platform recorded it. */
export interface RecordedChange {
  readonly at: string;
  readonly by?: string;
  /** The key of the variable; absent if the configuration of the service was changed. */
  readonly variable?: string;
  /** Scope of the variable, as rows of variables have it. */
  readonly scope?: string;
  /** Id of the variable's owner. */
  readonly ownerId?: string;
  /** Whether it is a change of a stored secret, which no list of variables shows. */
  readonly isSecret?: boolean;
  readonly isAddition?: boolean;
  readonly isRemoval: boolean;
  /** For a plain variable: its values before and after, if they are recorded and not secret. */
  readonly values?: { readonly before?: string | undefined; readonly after?: string | undefined };
  /** The changed members, old → new if both are known, without secrets. */
  readonly changes?: string;
  /** The previous values of the settings that a fix may restore. */
  readonly before?: PreviousSettings;
}

/** Timing of a probe, in seconds and attempts; absent members have their defaults. */
export const ProbeTiming = Probe.pick({ initial_delay_seconds: true, period_seconds: true, failure_threshold: true });

/** Settings before a change; for probes only the changed members. */
interface PreviousSettings {
  readonly registryId?: string | undefined;
  readonly branch?: string | undefined;
  readonly memory?: number | undefined;
  readonly chartVersion?: string | undefined;
  readonly readiness_probe?: Readonly<Record<string, number>> | undefined;
  readonly liveness_probe?: Readonly<Record<string, number>> | undefined;
}

/** The value at a path in the members of an event, under any prefix. */
const valueAt = (members: Readonly<Record<string, unknown>>, path: string): unknown =>
  Object.entries(members).find(([name]) => name === path || name.endsWith(`.${path}`))?.[1];

const textAt = (members: Readonly<Record<string, unknown>>, path: string): string | undefined => {
  const value = valueAt(members, path);
  return typeof value === 'string' ? value : undefined;
};

const numberAt = (members: Readonly<Record<string, unknown>>, path: string): number | undefined => {
  const value = valueAt(members, path);
  return typeof value === 'number' ? value : undefined;
};

/** The timing of a probe in the members of an event, without values that no probe can have. */
function timingAt(
  members: Readonly<Record<string, unknown>>,
  probe: string,
): Readonly<Record<string, number>> | undefined {
  const timing = Object.entries(ProbeTiming.shape).flatMap(([name, valid]) => {
    const value = numberAt(members, `${probe}.${name}`);
    return value === undefined || !valid.safeParse(value).success ? [] : [[name, value] as const];
  });
  return timing.length === 0 ? undefined : Object.fromEntries(timing);
}

function previousSettings({ original_change }: LenientEvent): PreviousSettings | undefined {
  const members = eventMembers(original_change) ?? {};
  const before: PreviousSettings = {
    registryId: textAt(members, 'registry_id'),
    branch: textAt(members, 'git_repository.branch'),
    memory: numberAt(members, 'memory'),
    chartVersion: textAt(members, 'repository.chart_version'),
    readiness_probe: timingAt(members, 'readiness_probe'),
    liveness_probe: timingAt(members, 'liveness_probe'),
  };
  return Object.values(before).every((value) => value === undefined) ? undefined : before;
}

/** Whether a member or variable of this name holds a secret, with this value if one is given. */
export type IsSecret = (name: string, value?: string) => boolean;

const variableParts: readonly string[] = ['VARIABLE', 'SECRET'];

const plainTypes: readonly unknown[] = [undefined, 'VALUE'];

/**
 * The values of a variable before and after a change. Those of secrets are left out, as are those of files, which
 * consist of more than a value.
 */
function valuesIn(
  { change, original_change, sub_target_type: part }: LenientEvent,
  key: string,
  isSecret: IsSecret,
): RecordedChange['values'] {
  if (part === 'SECRET') return {};
  const plain = (text: string | null | undefined): string | undefined => {
    const { value, variable_type: type } = eventMembers(text) ?? {};
    return typeof value === 'string' &&
      plainTypes.includes(type) &&
      !value.includes(hiddenSecret) &&
      !isSecret(key, value)
      ? value
      : undefined;
  };
  return { before: plain(original_change), after: plain(change) };
}

/**
 * The change of a service's configuration or variables that an event records; undefined if it is about something else.
 */
export function recordedChange(
  event: LenientEvent,
  places: Pick<WantedEvents, 'service' | 'environment' | 'project'>,
  isSecret: IsSecret,
): RecordedChange | undefined {
  if (!event.timestamp || !isWanted(places, event)) return undefined;
  const { key, who: by, changes } = tellEvent(event, (name) => isSecret(name));
  const isRemoval = event.event_type === 'DELETE';
  const told = { at: event.timestamp, by, isRemoval, changes };
  if (variableParts.includes(event.sub_target_type ?? '')) {
    if (key === undefined) return undefined;
    return {
      ...told,
      variable: key,
      scope: event.target_type ?? undefined,
      ownerId: event.target_id ?? undefined,
      isSecret: event.sub_target_type === 'SECRET',
      isAddition: event.event_type === 'CREATE',
      values: valuesIn(event, key, isSecret),
    };
  }
  const isOwn = !event.sub_target_type && event.target_id?.toLowerCase() === places.service?.toLowerCase();
  return isOwn && event.event_type === 'UPDATE' ? { ...told, before: previousSettings(event) } : undefined;
}

/** Distinguishes variables with the same key. */
export const variablePlace = (key: string, scope: string | null | undefined): string => `${key} ${scope ?? ''}`;

/** The records of each variable of each scope, oldest first. */
export const recordsByVariable = (
  recorded: readonly RecordedChange[],
): ReadonlyMap<string, readonly RecordedChange[]> =>
  Map.groupBy(
    recorded
      .filter(({ variable }) => variable !== undefined)
      .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
    ({ variable, scope }) => variablePlace(variable!, scope),
  );

/** How a variable or secret differs from before; undefined if it neither existed nor exists. */
export function howChanged({
  wasThere,
  isThere,
  isSecret,
}: {
  readonly wasThere: boolean;
  readonly isThere: boolean;
  readonly isSecret: boolean;
}): 'added' | 'changed' | 'replaced' | 'removed' | undefined {
  if (wasThere) return isThere ? (isSecret ? 'replaced' : 'changed') : 'removed';
  return isThere ? 'added' : undefined;
}

/** The author and the old and new values, as text that follows a change. */
export const recordedText = ({ by, changes }: Pick<RecordedChange, 'by' | 'changes'>): string =>
  `${by === undefined ? '' : ` by ${by}`}${changes === undefined ? '' : `: ${changes}`}`;
