import { startRecordingProxy } from '../../support/recording-proxy.ts';

/** How much longer every request takes to a platform that is far away, in milliseconds. */
export const distance = 80;

/** A platform that is far away, and what was asked of it. */
export interface FarPlatform {
  readonly url: string;
  readonly requests: () => number;
  /** The most requests of which each began only after the one before it had ended. */
  readonly longestChain: () => number;
  /** What is asked from now on is for another call. */
  readonly beginCall: () => void;
  /** What is asked from now on is for the same call, once somebody has agreed. */
  readonly beginRound: () => void;
  /** The longest chain of each round of each call: what somebody waits for until there is a question or an answer. */
  readonly depths: () => readonly (readonly number[])[];
  close(): Promise<void>;
}

interface Span {
  readonly begun: number;
  readonly ended: number;
}

/** The most spans that don't overlap. */
export function longestChain(spans: readonly Span[]): number {
  let last = -Infinity;
  return spans
    .toSorted((one, other) => one.ended - other.ended)
    .filter(({ begun, ended }) => {
      if (begun < last) return false;
      last = ended;
      return true;
    }).length;
}

/** Puts a platform at a distance. */
export async function farFrom(url: string, milliseconds: number): Promise<FarPlatform> {
  const spans: Span[] = [];
  const calls: Span[][][] = [];
  const proxy = await startRecordingProxy(url, {
    beforeRequest: async (_method, _request, response) => {
      const begun = performance.now();
      const round = calls.at(-1)?.at(-1);
      response.once('finish', () => {
        const span = { begun, ended: performance.now() };
        spans.push(span);
        round?.push(span);
      });
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    },
  });
  return {
    url: proxy.url,
    close: () => proxy.close(),
    requests: () => spans.length,
    longestChain: () => longestChain(spans),
    beginCall: () => void calls.push([[]]),
    beginRound: () => void calls.at(-1)?.push([]),
    depths: () => calls.map((rounds) => rounds.map(longestChain)),
  };
}
