import { finished } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** What lets requests through, or has them wait for a moment. */
export interface Gate {
  /** Has every request of this server go through the gate. */
  guard(app: FastifyInstance): void;
  /** Waits until the requests in hand are answered, and does `work` while others wait. One such work at a time. */
  whileClosed<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A gate that stands open. */
export function createGate(): Gate {
  let closed: Promise<unknown> | undefined;
  let inHand = 0;
  let answered: (() => void) | undefined;

  const leave = (): void => {
    inHand -= 1;
    if (inHand === 0) answered?.();
  };

  const drained = async (): Promise<void> => {
    if (inHand > 0) await new Promise<void>((resolve) => (answered = resolve));
    answered = undefined;
  };

  const settled = (promise: Promise<unknown>): Promise<void> => promise.then(() => undefined, () => undefined);

  return {
    guard: (app) => {
      app.addHook('onRequest', async (_request, reply) => {
        while (closed) await closed;
        inHand += 1;
        finished(reply.raw, leave);
      });
    },
    whileClosed: async (work) => {
      while (closed) await closed;
      const working = drained().then(work);
      const ended = settled(working).then(() => (closed = undefined));
      closed = ended;
      return working;
    },
  };
}
