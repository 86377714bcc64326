import { mostWatched, type Unsubscribe } from '../server/browse/index.ts';
import { isRecord } from '../server/json/index.ts';

/** Watches a resource for one caller. @returns undefined if it can't be watched. */
export type WatchUri = (uri: string, changed: (uri: string) => void) => Promise<Unsubscribe | undefined>;

/** The method with which clients of the 2026 revision subscribe to changes. */
const listenMethod = 'subscriptions/listen';

/** Whether a message opens a stream of change notifications. */
export const isListenRequest = (message: unknown): boolean => isRecord(message) && message['method'] === listenMethod;

const notificationsIn = (message: unknown): Record<string, unknown> | undefined => {
  const params = isRecord(message) ? message['params'] : undefined;
  const notifications = isRecord(params) ? params['notifications'] : undefined;
  return isRecord(notifications) ? notifications : undefined;
};

/** The resources that a message subscribes to, up to the maximum that can be watched. */
function requestedResources(message: unknown): readonly string[] {
  const uris = notificationsIn(message)?.['resourceSubscriptions'];
  return Array.isArray(uris)
    ? [...new Set(uris.filter((uri) => typeof uri === 'string' && uri.isWellFormed()))].slice(0, mostWatched)
    : [];
}

/** The same message for these resources only: the server must not acknowledge resources that it doesn't watch. */
export function withResources<Message>(message: Message, uris: readonly string[]): Message {
  const notifications = notificationsIn(message);
  if (notifications?.['resourceSubscriptions'] === undefined) return message;
  const { params } = message as { params: object };
  return { ...message, params: { ...params, notifications: { ...notifications, resourceSubscriptions: uris } } };
}

/** The resources that one message subscribed to. */
export interface ResourceSubscription {
  /** URIs of the watched resources. */
  readonly uris: readonly string[];
  /** Sets the listener. Earlier changes are not reported. */
  readonly onChange: (changed: (uri: string) => void) => void;
  readonly stop: Unsubscribe;
}

/** Watches the resources that a message requests and that can be watched. */
export async function subscribe(message: unknown, watch: WatchUri): Promise<ResourceSubscription> {
  let listener: ((uri: string) => void) | undefined;
  const requested = await Promise.all(
    requestedResources(message).map(async (uri) => ({ uri, stop: await watch(uri, (changed) => listener?.(changed)) })),
  );
  const watched = requested.flatMap(({ uri, stop }) => (stop ? [{ uri, stop }] : []));
  return {
    uris: watched.map(({ uri }) => uri),
    onChange: (changed) => (listener = changed),
    stop: () => {
      for (const { stop } of watched) stop();
    },
  };
}
