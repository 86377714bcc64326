import type { Clock } from '../../../server/context/index.ts';
import type { ReleaseSlots } from '../concurrency-limiter.ts';
import { retryLater } from '../error-response.ts';
import type { HttpExchange } from '../exchange.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { isFromHere, pageHeaders } from './security.ts';
import { changes, type Change } from './tab.ts';

/** How often is looked for changes while somebody watches, in milliseconds. */
const lookInterval = 2000;

/** After how many looks the watchers hear that the connection stands, and their sessions are checked. */
const looksBetweenSigns = 5;

/** Maximum number of bytes that a browser may leave unread: many times what one that is merely slow needs. */
const mostUnread = 16 * 1024;

export interface LiveEventsDependencies {
  /** By change, a text that differs once something has changed. One that rejects is passed over until it resolves. */
  readonly marks: Readonly<Record<Exclude<Change, 'minute'>, () => Promise<string>>>;
  /** Takes a slot for a stream; undefined if too many are open. */
  readonly acquire: (exchange: HttpExchange, operator: OperatorSession) => Promise<ReleaseSlots | undefined>;
  readonly clock: Clock;
}

/** Streams of events that tell pages when to look again. They hold no data. */
export interface LiveEvents {
  /** Opens a stream for the changes that the query names. @param session finds the operator's session, without using it */
  readonly answer: (exchange: HttpExchange, session: () => Promise<OperatorSession | undefined>) => Promise<Response>;
}

interface Watcher {
  readonly wants: ReadonlySet<Change>;
  readonly session: () => Promise<OperatorSession | undefined>;
  readonly send: (event: string, data: string) => void;
  readonly end: () => void;
}

const isChange = (text: string): text is Change => (changes as readonly string[]).includes(text);

const wantedIn = ({ searchParams: query }: URL): ReadonlySet<Change> =>
  new Set((query.get('of') ?? '').split(' ').filter(isChange));

/**
 * Creates the streams of a server. What other processes change is found by looking, as long as anybody watches: for all
 * watchers together.
 */
export function createLiveEvents({ marks, acquire, clock }: LiveEventsDependencies): LiveEvents {
  const watchers = new Set<Watcher>();
  const seen = new Map<Change, string>();
  let looks = 0;
  let isRepeating = false;

  const marksNow = async (): Promise<readonly (readonly [Change, string])[]> => {
    const found = await Promise.all(
      Object.entries(marks).map(async ([change, mark]) =>
        mark().then(
          (text) => [[change as Change, text] as const],
          () => [],
        ),
      ),
    );
    return [...found.flat(), ['minute', String(Math.floor(clock.now() / 60_000))]];
  };

  const look = async (): Promise<void> => {
    for (const [change, mark] of await marksNow()) {
      const before = seen.get(change);
      seen.set(change, mark);
      if (before === undefined || before === mark) continue;
      for (const watcher of watchers) if (watcher.wants.has(change)) watcher.send('changed', change);
    }
    looks += 1;
    if (looks % looksBetweenSigns > 0) return;
    await Promise.all(
      [...watchers].map(async ({ session, send, end }) => {
        // While the store can't be used, nobody knows whether the session ended: the page then says what it gets.
        const isOpen = await session().then(
          (found) => found !== undefined,
          () => true,
        );
        send(isOpen ? 'here' : 'changed', isOpen ? '' : 'session');
        if (!isOpen) end();
      }),
    );
  };

  const repeat = (): void => {
    isRepeating = true;
    setTimeout(() => {
      void look().finally(() => {
        isRepeating = watchers.size > 0;
        if (isRepeating) repeat();
      });
    }, lookInterval).unref();
  };

  /** Notes how things are before a stream opens, so that it tells of everything that happens from then on. */
  const prepare = async (): Promise<void> => {
    const isCurrent = isRepeating;
    for (const [change, mark] of await marksNow()) if (!isCurrent || !seen.has(change)) seen.set(change, mark);
  };

  const open = ({ url, draining, forceClose }: HttpExchange, session: Watcher['session'], release: () => void) => {
    const encoder = new TextEncoder();
    let stop = release;
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const end = (): void => {
            if (!watchers.delete(watcher)) return;
            release();
            controller.close();
          };
          const watcher: Watcher = {
            wants: wantedIn(url),
            session,
            send: (event, data) => {
              if ((controller.desiredSize ?? 0) <= 0) end();
              else controller.enqueue(encoder.encode(`event: ${event}\ndata: ${data}\n\n`));
            },
            end,
          };
          watchers.add(watcher);
          stop = () => {
            watchers.delete(watcher);
            release();
          };
          for (const signal of [draining, forceClose]) {
            if (signal.aborted) end();
            else signal.addEventListener('abort', end, { once: true });
          }
          watcher.send('here', '');
          if (!isRepeating) repeat();
        },
        cancel: () => stop(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostUnread }),
    );
  };

  return {
    answer: async (exchange, session) => {
      const { request } = exchange;
      if (request.method !== 'GET')
        return new Response(null, { status: 405, headers: { ...pageHeaders, Allow: 'GET' } });
      const operator = isFromHere(request) ? await session() : undefined;
      if (!operator) return new Response(null, { status: 403, headers: pageHeaders });
      const release = await acquire(exchange, operator);
      if (!release) return retryLater(30, 'Too many pages of yours, or from your address, are open.');
      await prepare();
      return new Response(open(exchange, session, release), {
        headers: { ...pageHeaders, 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
      });
    },
  };
}
