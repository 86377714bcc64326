import { mostWatched } from '../server/browse/resources/watches.ts';
import { isRecord } from '../server/json/values.ts';

/** Ends what it was given for. Safe to call more than once. */
export type StopWatching = () => void;

/** Watches the resource at an address for one caller. @returns undefined where it can't be watched. */
export type WatchResource = (uri: string, changed: (uri: string) => void) => Promise<StopWatching | undefined>;

/** The method by which clients of the 2026 revision ask to be told of changes. */
const listenMethod = 'subscriptions/listen';

/** Whether a message opens a stream of changes. */
export const isListenRequest = (message: unknown): boolean => isRecord(message) && message['method'] === listenMethod;

const notificationsIn = (message: unknown): Record<string, unknown> | undefined => {
  const params = isRecord(message) ? message['params'] : undefined;
  const notifications = isRecord(params) ? params['notifications'] : undefined;
  return isRecord(notifications) ? notifications : undefined;
};

/** The resources that a message asks to be told changes of; no more than can be watched at most. */
function requestedResources(message: unknown): readonly string[] {
  const uris = notificationsIn(message)?.['resourceSubscriptions'];
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === 'string'))].slice(0, mostWatched) : [];
}

/** The same message asking for these resources only: what isn't watched must not be agreed to. */
export function withResources<Message>(message: Message, uris: readonly string[]): Message {
  const notifications = notificationsIn(message);
  if (notifications?.['resourceSubscriptions'] === undefined) return message;
  const { params } = message as { params: object };
  return { ...message, params: { ...params, notifications: { ...notifications, resourceSubscriptions: uris } } };
}

/** Something being watched, and what is still to be told where. */
export interface ResourceSubscription {
  /** The resources that are watched. */
  readonly uris: readonly string[];
  /** Where changes are told from now on; they are told nowhere before. */
  readonly onChange: (changed: (uri: string) => void) => void;
  readonly stop: StopWatching;
}

/** Watches what a message asks for, as far as it can be watched. */
export async function subscribe(message: unknown, watch: WatchResource): Promise<ResourceSubscription> {
  let told: ((uri: string) => void) | undefined;
  const asked = await Promise.all(requestedResources(message).map(async (uri) => ({ uri, stop: await watch(uri, (changed) => told?.(changed)) })));
  const watched = asked.flatMap(({ uri, stop }) => (stop ? [{ uri, stop }] : []));
  return {
    uris: watched.map(({ uri }) => uri),
    onChange: (changed) => (told = changed),
    stop: () => {
      for (const { stop } of watched) stop();
    },
  };
}
