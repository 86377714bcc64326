import { clockTimeIn, isRecord, joinPath, parseJson, shortened } from '../contract/index.ts';

/** An event as platforms list it; any member may be missing. */
export interface LenientEvent {
  readonly timestamp?: string | null;
  readonly event_type?: string | null;
  readonly target_type?: string | null;
  readonly target_id?: string | null;
  readonly target_name?: string | null;
  readonly sub_target_type?: string | null;
  readonly change?: string | null;
  readonly original_change?: string | null;
  readonly origin?: string | null;
  readonly triggered_by?: string | null;
  readonly project_id?: string | null;
  readonly project_name?: string | null;
  readonly environment_id?: string | null;
  readonly environment_name?: string | null;
}

/** An event as text. */
export interface ToldEvent {
  readonly at?: string;
  readonly who?: string;
  readonly via?: string;
  readonly what: string;
  /** The key, for a variable or secret. */
  readonly key?: string;
  readonly where: string;
  /** The changed members, old → new if both are known. */
  readonly changes?: string;
}

const verbs: Readonly<Record<string, string>> = {
  CREATE: 'created',
  UPDATE: 'updated',
  DELETE: 'deleted',
  CLONE: 'cloned',
  IMPORT: 'imported',
  LOCK: 'locked',
  UNLOCK: 'unlocked',
  MAINTENANCE: 'upgraded',
};

const lower = (words: string): string => words.toLowerCase().replaceAll('_', ' ');

const failure = '_FAILED';

function verbOf(type: string): string {
  if (type.startsWith('TRIGGER_')) return `asked to ${lower(type.slice('TRIGGER_'.length))}`;
  return verbs[type] ?? (type.endsWith(failure) ? `failed to ${lower(type.slice(0, -failure.length))}` : lower(type));
}

const mostChanges = 6;
const longestValue = 120;

/** A text, shortened. @param length the maximum number of characters; default: that for a value of a changed member */
export const clip = (text: string, length = longestValue): string => shortened(text, length);

/** A value in plain text: lists and records as their items, those within them in parentheses. */
const plain = (value: unknown, isSecret: (name: string) => boolean, isInner = false): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Array.isArray(value)
    ? value.map((item) => plain(item, isSecret, true))
    : Object.entries(value).map(
        ([name, member]) => `${name}: ${isSecret(name) ? 'hidden' : plain(member, isSecret, true)}`,
      );
  const text = parts.length === 0 ? 'none' : parts.join(', ');
  return isInner && parts.length > 1 ? `(${text})` : text;
};

const valueText = (value: unknown, isSecret: (name: string) => boolean): string =>
  value === undefined ? 'nothing' : value === '' ? '""' : plain(value, isSecret);

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** Members that only identify the target. */
const naming: readonly string[] = ['key', 'name', 'domain'];

/** The members of timetables that are times of day, with a date that says nothing. */
const ofTimetables: readonly string[] = ['start_time', 'stop_time'];

const asClockTime = (path: string, value: unknown): unknown =>
  typeof value === 'string' && ofTimetables.includes(lastName(path)) ? (clockTimeIn(value) ?? value) : value;

type Members = Readonly<Record<string, unknown>>;

/** The members in the `change` or `original_change` of an event, by dotted path; undefined if it has none. */
export const eventMembers = (text: string | null | undefined): Members | undefined => {
  const value = parseJson(text ?? '');
  return isRecord(value) ? value : undefined;
};

/** A change that has no members, as text. */
const textIn = (change: string | null | undefined, isSecret: (name: string) => boolean): string =>
  plain(parseJson(change ?? '') ?? change ?? '', isSecret);

function changesIn(now: Members, before: Members | undefined, isSecret: (name: string) => boolean): string {
  const paths = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now)])].filter(
    (path) => !naming.includes(path) || before?.[path] !== now[path],
  );
  const hidesValue = [now, before].some((members) => typeof members?.['key'] === 'string' && isSecret(members['key']));
  const told = paths.map((path) => {
    if (isSecret(lastName(path)) || (hidesValue && path === 'value')) return `${path}: hidden`;
    const text = (members: Members): string => clip(valueText(asClockTime(path, members[path]), isSecret));
    return before === undefined ? `${path}: ${text(now)}` : `${path}: ${text(before)} → ${text(now)}`;
  });
  return [
    ...told.slice(0, mostChanges),
    ...(told.length > mostChanges ? [`and ${told.length - mostChanges} more`] : []),
  ].join('; ');
}

/** Members of the event of a restoration, which deploys a database with what a backup has. */
const ofRestorations: readonly string[] = ['restored_from', 'backup_id'];

/** Whether a deployment brings a database back from a backup. */
export const isRestoration = ({ event_type: type, change }: LenientEvent): boolean =>
  /DEPLOY/.test(type ?? '') && Object.keys(eventMembers(change) ?? {}).some((name) => ofRestorations.includes(name));

/** An event of a deployment, told as the restoration that it is a part of. */
export const asRestoration = (event: LenientEvent): LenientEvent => ({
  ...event,
  event_type: event.event_type?.replace('DEPLOYED', 'RESTORED').replace('DEPLOY', 'RESTORE'),
});

/** An event as text. @param isSecret whether a member or variable of this name holds a secret, which is never shown */
export function tellEvent(given: LenientEvent, isSecret: (name: string) => boolean): ToldEvent {
  const event = isRestoration(given) ? asRestoration(given) : given;
  const [now, before] = [eventMembers(event.change), eventMembers(event.original_change)];
  const key = now?.['key'] ?? before?.['key'];
  const part = event.sub_target_type
    ? ` ${lower(event.sub_target_type)}${typeof key === 'string' ? ` ${key}` : ''} of`
    : '';
  const names = [event.project_name, event.environment_name, event.target_name].filter(
    (name) => typeof name === 'string' && name !== '',
  );
  // The path already contains the name of an environment or a project.
  const path = joinPath(names.filter((name, index) => index === 0 || name !== names[index - 1]));
  const changes = now ? changesIn(now, before, isSecret) : clip(textIn(event.change, isSecret));
  // Work for some services is asked of their environment, and isn't work for all of it.
  const chosen = event.target_type === 'ENVIRONMENT' && Array.isArray(now?.['services']) ? 'services of ' : '';
  return {
    ...(typeof key === 'string' && { key }),
    at: event.timestamp ?? undefined,
    who: event.triggered_by ?? undefined,
    via: event.origin ?? undefined,
    what: `${verbOf(event.event_type ?? 'CHANGE')}${part} ${chosen}${lower(event.target_type ?? 'something')}`,
    where: path,
    ...(changes !== '' && { changes }),
  };
}

/** Criteria of an event search. Ids are compared ignoring case. */
export interface WantedEvents {
  readonly who?: string;
  readonly kind?: string;
  /**
   * Ids of a service, an environment or a project. With a service, events of settings that it inherits from the others
   * count too; with an environment, those of variables that it inherits from the project.
   */
  readonly service?: string;
  readonly environment?: string;
  readonly project?: string;
  /** Milliseconds since the epoch. */
  readonly from?: number;
  readonly to?: number;
}

const has = (whole: string | null | undefined, part: string): boolean =>
  (whole ?? '').toLowerCase().includes(part.toLowerCase());
const same = (one: string | null | undefined, other: string | undefined): boolean =>
  other !== undefined && one?.toLowerCase() === other.toLowerCase();

const variableTypes: readonly unknown[] = ['VARIABLE', 'SECRET'];

const isAt = ({ service, environment, project }: WantedEvents, event: LenientEvent): boolean => {
  const isTarget = (id: string | undefined): boolean => same(event.target_id, id);
  if (service !== undefined) return [service, environment, project].some(isTarget);
  if (environment !== undefined)
    return (
      isTarget(environment) ||
      same(event.environment_id, environment) ||
      (isTarget(project) && variableTypes.includes(event.sub_target_type))
    );
  return project === undefined || isTarget(project) || same(event.project_id, project);
};

/** Whether an event meets the criteria. */
export function isWanted(wanted: WantedEvents, event: LenientEvent): boolean {
  const { who, kind, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = wanted;
  const at = Date.parse(event.timestamp ?? '');
  const isSecret = [event.sub_target_type, event.target_type].some((type) => has(type, 'secret'));
  const words = [
    event.event_type,
    event.sub_target_type,
    event.target_type,
    tellEvent(event, () => true).what,
    // A secret is a variable whose value isn't shown.
    ...(isSecret ? ['variable'] : []),
  ]
    .join(' ')
    .replaceAll('_', ' ');
  return (
    (who === undefined || has(event.triggered_by, who)) &&
    (kind === undefined || has(words, kind.replaceAll('_', ' '))) &&
    isAt(wanted, event) &&
    !(at < from) &&
    !(at > to)
  );
}
