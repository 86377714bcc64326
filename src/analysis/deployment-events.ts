import { eventMembers, tellEvent, type LenientEvent, type ToldEvent } from './events.ts';

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
    const found = phase && groups.findLast((group) => isOf(group, event, phase));
    if (found) {
      found.events.push(event);
      found.isWhole = phase.phase === 'asked';
    } else
      groups.push({ events: [event], action: phase?.action, isWhole: phase === undefined || phase.phase === 'asked' });
  }
  return groups;
}

const stateIn = (event: LenientEvent): string => {
  const state = eventMembers(event.change)?.['state'];
  return (typeof state === 'string' ? state : (event.event_type ?? 'ended')).replaceAll('_', ' ');
};

/** The events of one deployment in one row: who asked for it, and its outcome. @param isSecret as for `tellEvent` */
export function tellGroup({ events }: EventGroup, isSecret: (name: string) => boolean): ToldEvent {
  const [newest, ...others] = events;
  const told = tellEvent(newest!, isSecret);
  const first = events.at(-1)!;
  if (others.length === 0) return told;
  const began = tellEvent(first, isSecret);
  const ended = events.filter((event) => phaseOf(event)?.phase === 'ended');
  const isOfOne = events.every(({ target_id: id }) => id === first.target_id);
  const outcome = isOfOne
    ? told.changes
    : ended.map((event) => `${event.target_name ?? '?'}: ${stateIn(event)}`).join('; ');
  const asked = Object.entries(eventMembers(first.change) ?? {}).filter(([name]) => name !== 'deployment_id');
  const rest = { ...first, change: JSON.stringify(Object.fromEntries(asked)) };
  const wanted = asked.length === 0 ? undefined : tellEvent(rest, isSecret).changes;
  const changes = [wanted, outcome, `begun ${first.timestamp ?? 'at a time that is not told'}`]
    .filter(Boolean)
    .join('; ');
  return { ...began, at: told.at, what: isOfOne ? told.what : began.what, changes };
}
