import { asRestoration, eventMembers, isRestoration, tellEvent, type LenientEvent, type ToldEvent } from './events.ts';

/** An action on services, by the words of event types. A redeployment is a deployment. */
const actions: Readonly<Record<string, string>> = {
  DEPLOY: 'DEPLOY',
  REDEPLOY: 'DEPLOY',
  RESTART: 'RESTART',
  STOP: 'STOP',
  DELETE: 'DELETE',
  DEPLOYED: 'DEPLOY',
  RESTARTED: 'RESTART',
  STOPPED: 'STOP',
  DELETED: 'DELETE',
};

const form =
  /^(?<asked>TRIGGER_)?(?<word>DEPLOY|REDEPLOY|RESTART|STOP|DELETE|DEPLOYED|RESTARTED|STOPPED|DELETED)(?:_(?<phase>QUEUED|STARTED|FAILED|CANCELED|SUCCEEDED))?$/;

/** What an event says of a deployment: its action, and how far it is. */
interface Phase {
  readonly action: string;
  readonly phase: 'asked' | 'under way' | 'ended';
}

/** Undefined for an event about something else, and for a plain DELETE, which is a change. */
function phaseOf({ event_type: type }: LenientEvent): Phase | undefined {
  const { asked, word, phase } = form.exec(type ?? '')?.groups ?? {};
  const action = word === undefined ? undefined : actions[word];
  if (action === undefined) return undefined;
  if (asked !== undefined) return { action, phase: 'asked' };
  if (phase === 'QUEUED' || phase === 'STARTED') return { action, phase: 'under way' };
  return phase === undefined && !word!.endsWith('ED') ? undefined : { action, phase: 'ended' };
}

/** The events of one deployment, or one other event. Newest first. */
export interface EventGroup {
  readonly events: LenientEvent[];
  readonly action?: string;
  /** Whether the event that began it is in it. */
  isWhole: boolean;
}

const deploymentIn = ({ change }: LenientEvent): unknown => eventMembers(change)?.['deployment_id'];

const isSame = (one: string | null | undefined, other: string | null | undefined): boolean =>
  one != null && one.toLowerCase() === other?.toLowerCase();

/** Whether an event is the deletion of what events of a deployment took down, recorded when it was asked for. */
const isDeletionOf = (event: LenientEvent, { events, action, isWhole }: EventGroup): boolean =>
  action === 'DELETE' &&
  !isWhole &&
  event.event_type === 'DELETE' &&
  !event.sub_target_type &&
  events.every(
    ({ target_id: id, environment_id: environment }) =>
      isSame(event.target_id, id) || (event.target_type === 'ENVIRONMENT' && isSame(event.target_id, environment)),
  );

const isOf = (group: EventGroup, event: LenientEvent, { action, phase }: Phase): boolean => {
  if (group.action !== action || group.isWhole) return false;
  const [own, its] = [group.events.map(deploymentIn).find((id) => id !== undefined), deploymentIn(event)];
  if (own !== undefined && its !== undefined) return own === its;
  // Without the deployment's id: the end of an action on a target belongs to what began it last.
  return (
    phase !== 'ended' && event.target_id != null && group.events.every(({ target_id: id }) => id === event.target_id)
  );
};

/** Events, newest first, with all those of one deployment together, at the place of its newest. */
export function groupedByDeployment(events: readonly LenientEvent[]): readonly EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const phase = phaseOf(event);
    const found = groups.findLast((group) => (phase ? isOf(group, event, phase) : isDeletionOf(event, group)));
    if (found) {
      found.events.push(event);
      found.isWhole = phase === undefined || phase.phase === 'asked';
    } else
      groups.push({ events: [event], action: phase?.action, isWhole: phase === undefined || phase.phase === 'asked' });
  }
  return groups;
}

const stateIn = (event: LenientEvent): string => {
  const state = eventMembers(event.change)?.['state'];
  return (typeof state === 'string' ? state : (event.event_type ?? 'ended')).replaceAll('_', ' ');
};

const isEnd = (event: LenientEvent): boolean => phaseOf(event)?.phase === 'ended';

/** What was ordered, in the words of the request, without what its outcome tells as well. */
function orderIn(events: readonly LenientEvent[], isSecret: (name: string) => boolean): string | undefined {
  const [newest, first] = [events[0]!, events.at(-1)!];
  if (isEnd(first)) return undefined;
  const told = eventMembers(newest.change);
  const asked = Object.entries(eventMembers(first.change) ?? {}).filter(
    ([name, value]) => name !== 'deployment_id' && told?.[name] !== value,
  );
  const rest = { ...first, original_change: undefined, change: JSON.stringify(Object.fromEntries(asked)) };
  return asked.length === 0 ? undefined : tellEvent(rest, isSecret).changes;
}

/** How each of several ended. */
const outcomes = (ended: readonly LenientEvent[]): string =>
  ended.map((event) => `${event.target_name ?? '?'}: ${stateIn(event)}`).join('; ');

/** The events of one deployment in one row: who asked for it, and its outcome. @param isSecret as for `tellEvent` */
export function tellGroup({ events, isWhole }: EventGroup, isSecret: (name: string) => boolean): ToldEvent {
  const isRestored = events.some(isRestoration);
  const tell = (event: LenientEvent): ToldEvent => tellEvent(isRestored ? asRestoration(event) : event, isSecret);
  const newest = tell(events[0]!);
  if (events.length === 1) return newest;
  const first = events.at(-1)!;
  const environment = events.find(({ target_type: type }) => type === 'ENVIRONMENT');
  // Without what was asked for, the environment tells what the others are parts of.
  const subject = (isWhole ? undefined : environment) ?? first;
  const ended = events.filter(isEnd);
  const own = ended.find(({ target_id: id }) => isSame(id, subject.target_id));
  const begun = isEnd(first) ? undefined : `begun ${first.timestamp ?? 'at a time that is not told'}`;
  const inOneRow = (told: ToldEvent, what: string, outcome: string | undefined): ToldEvent => ({
    ...told,
    at: newest.at,
    what,
    changes: [orderIn(events, isSecret), outcome, begun].filter(Boolean).join('; '),
  });
  if (events.every(({ target_id: id }) => id === first.target_id))
    return inOneRow(tell(first), newest.what, newest.changes);
  if (isWhole || environment)
    return inOneRow(tell(subject), tell(own ?? subject).what, outcomes(ended.filter((event) => event !== own)));
  const several = tell({ ...first, target_type: `${ended.length} services`, target_name: undefined });
  return inOneRow(several, several.what, outcomes(ended));
}
