import type { DecisionOutcome } from '../approval-queue.ts';
import { createDeliveries, type Attempt, type DeliveriesConfig } from '../deliveries.ts';
import type { Pending } from '../pending-calls.ts';
import type { ChatChannel } from './channel.ts';
import { createEndings, tellingTime } from './endings.ts';
import { messageContent, type MessageContent } from './message.ts';

/** What a chat does with messages. */
export interface MessageApi {
  /** Posts a message; its result has the id of the message. */
  readonly post: (
    content: MessageContent,
    signal: AbortSignal,
  ) => Promise<Attempt & { readonly message?: string | undefined }>;
  /** Replaces a message. What fails for good, such as for a message that was deleted, may not be repeated. */
  readonly replace: (message: string, content: MessageContent, signal: AbortSignal) => Promise<Attempt>;
  /** Tells one person something that the others don't see. */
  readonly whisper?: (user: string, text: string, signal: AbortSignal) => Promise<Attempt>;
}

/** The messages of a channel. Functions return at once and never throw. */
export interface Messages extends Pick<ChatChannel, 'post' | 'edit' | 'close'> {
  /** Tells one person of the chat something about a call. Tried once. */
  readonly whisper: (code: string, user: string, text: string) => void;
}

export interface MessagesConfig extends Omit<DeliveriesConfig, 'name'> {
  /** Address of the approvals page, if this process serves it. */
  readonly page: () => string | undefined;
}

/** The messages about one call, in their order. */
interface Thread {
  /** The id of the message that this process posted. */
  message?: string | undefined;
  last: Promise<void>;
  readonly expiresAt: number;
}

/**
 * Posts a message for each waiting call, and replaces it after decisions and when its time is over. Where the message isn't known, because another
 * server posted it or this one was restarted, or where somebody deleted it, the decision gets a message of its own.
 */
export function createMessages(api: MessageApi, { page, ...config }: MessagesConfig): Messages {
  const deliveries = createDeliveries({ ...config, name: 'approvals chat' });
  const threads = new Map<string, Thread>();

  /** Runs after everything that was to be said of the call before. */
  const inTurn = ({ code, expiresAt }: Pending, run: (thread: Thread) => Promise<unknown>): void => {
    for (const [other, thread] of threads) if (thread.expiresAt + tellingTime <= Date.now()) threads.delete(other);
    const thread = threads.get(code) ?? { last: Promise.resolve(), expiresAt };
    threads.set(code, thread);
    thread.last = thread.last.then(async () => void (await run(thread)));
  };

  const post = ({ code, expiresAt }: Pending, thread: Thread, content: () => MessageContent): Promise<boolean> =>
    deliveries.deliver({
      code,
      expiresAt,
      attempt: async (signal) => {
        const result = await api.post(content(), signal);
        thread.message = result.message ?? thread.message;
        return result;
      },
    });

  const replace = async (pending: Pending, thread: Thread, outcome: DecisionOutcome): Promise<void> => {
    const content = (): MessageContent => messageContent(pending, page(), outcome);
    const message = outcome.message ?? thread.message;
    let isGone = message === undefined;
    if (message !== undefined)
      await deliveries.deliver({
        code: pending.code,
        expiresAt: pending.expiresAt,
        attempt: async (signal) => {
          const result = await api.replace(message, content(), signal);
          isGone = result.kind === 'failed' && !result.mayRepeat;
          return result;
        },
      });
    if (isGone) await post(pending, thread, content);
  };

  /** Takes the buttons from the message of a call whose time is over. */
  const end = async (pending: Pending, { message }: Thread): Promise<void> => {
    if (message === undefined) return;
    await deliveries.deliver({
      code: pending.code,
      expiresAt: pending.expiresAt + tellingTime,
      attempt: (signal) => api.replace(message, messageContent(pending, page(), 'over'), signal),
    });
  };
  const endings = createEndings((pending) => inTurn(pending, (thread) => end(pending, thread)));

  return {
    post: (pending) => {
      inTurn(pending, (thread) => post(pending, thread, () => messageContent(pending, page())));
      endings.expect(pending);
    },
    edit: (pending, outcome) => {
      if (outcome.result !== 'counted') endings.settle(pending.code);
      inTurn(pending, (thread) => replace(pending, thread, outcome));
    },
    whisper: (code, user, text) =>
      // Nobody waits for it any more when it could be repeated.
      void deliveries.deliver({
        code,
        expiresAt: 0,
        attempt: async (signal) => (await api.whisper?.(user, text, signal)) ?? { kind: 'delivered' },
      }),
    close: () => {
      endings.close();
      return deliveries.close();
    },
  };
}
