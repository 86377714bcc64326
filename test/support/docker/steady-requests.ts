import { setTimeout as delay } from 'node:timers/promises';
import { askProxy } from './public-requests.ts';

/** What came of the requests to one public address. Times are in seconds. */
export interface AddressRecord {
  readonly host: string;
  readonly sent: number;
  readonly failed: number;
  /** The longest time from one answer to the next. */
  readonly longestGap: number;
}

/** Requests to public addresses that go on until they are ended. */
export interface SteadyRequests {
  /** When an address last answered, in milliseconds of `performance.now()`. */
  lastAnswer(host: string): number;
  /** What came of them since the last call. */
  take(): readonly AddressRecord[];
  end(): Promise<void>;
}

const perSecond = 5;

/** What is counted between two calls. */
const fresh = () => ({ sent: 0, failed: 0, longestGap: 0 });

/** Asks public addresses five times a second each. @param address of the proxy */
export function askSteadily(hosts: readonly string[], address: string): SteadyRequests {
  const ending = new AbortController();
  const records = new Map(hosts.map((host) => [host, { ...fresh(), lastAnswer: performance.now() }]));

  const one = async (host: string): Promise<void> => {
    const record = records.get(host)!;
    record.sent += 1;
    const isAnswered = await askProxy({ host, address, port: 80, path: '/' }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (!isAnswered) {
      record.failed += 1;
      return;
    }
    const now = performance.now();
    record.longestGap = Math.max(record.longestGap, (now - record.lastAnswer) / 1000);
    record.lastAnswer = now;
  };

  const loop = async (host: string): Promise<void> => {
    const pending = new Set<Promise<void>>();
    while (!ending.signal.aborted) {
      const asked = one(host).finally(() => pending.delete(asked));
      pending.add(asked);
      await delay(1000 / perSecond, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    await Promise.all(pending);
  };
  const looping = hosts.map(loop);

  return {
    lastAnswer: (host) => records.get(host)!.lastAnswer,
    take: () =>
      [...records].map(([host, record]) => {
        const { sent, failed, longestGap } = record;
        Object.assign(record, fresh());
        return { host, sent, failed, longestGap };
      }),
    end: async () => {
      ending.abort();
      await Promise.all(looping);
    },
  };
}
