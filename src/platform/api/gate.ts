import { finished } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** What lets requests through, or has them wait for a moment. */
export interface Gate {
  /** Has every request of this server go through the gate. */
  install(app: FastifyInstance): void;
  /** Waits until the requests in hand are answered, and does `work` while others wait. One such work at a time. */
  whileClosed<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Waits for the end of something, however it ends. */
const whenSettled = (promise: Promise<unknown>): Promise<void> => promise.then(() => undefined, () => undefined);

/** A gate that stands open. */
export function createGate(): Gate {
  const gate: { closed?: Promise<void> | undefined } = {};
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

  const open = async (): Promise<void> => {
    while (gate.closed) await gate.closed;
  };

  return {
    install: (app) => {
      app.addHook('onRequest', async (_request, reply) => {
        await open();
        inHand += 1;
        finished(reply.raw, leave);
      });
    },
    whileClosed: async (work) => {
      await open();
      const working = drained().then(work);
      gate.closed = whenSettled(working);
      try {
        return await working;
      } finally {
        gate.closed = undefined;
      }
    },
  };
}
