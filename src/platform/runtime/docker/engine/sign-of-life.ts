import { setTimeout as delay } from 'node:timers/promises';
import type { DockerClient, DockerRequest } from './client.ts';
import { DockerError } from './errors.ts';

/** How long an engine may be silent before it is asked whether it is there, in milliseconds. */
const silentMilliseconds = 2000;
/** How long it may take to say so, in milliseconds. */
export const signOfLifeMilliseconds = 5000;

/**
 * Watches whether an engine is still there while it works on a request: the connection to a host without power stays silent for ever.
 * @returns a signal that aborts the request, and what ends the watch
 */
export function watch(engine: DockerClient, { method, path, signal }: DockerRequest): { readonly signal: AbortSignal; readonly end: () => void } {
  const [over, lost] = [new AbortController(), new AbortController()];
  const look = async (): Promise<never> => {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other.
      await delay(silentMilliseconds, undefined, { signal: over.signal, ref: false });
      // oxlint-disable-next-line no-await-in-loop
      await engine.version({ timeoutMilliseconds: signOfLifeMilliseconds });
    }
  };
  void look().catch((error: unknown) => {
    if (!over.signal.aborted) lost.abort(new DockerError('unreachable', `the engine at ${engine.address} stopped answering`, { method, path }, { cause: error }));
  });
  return { signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal, end: () => over.abort() };
}

/** Passes a stream on, and says when it has ended. */
export async function* untilEnd(stream: AsyncIterable<Buffer>, end: () => void): AsyncGenerator<Buffer, void> {
  try {
    yield* stream;
  } finally {
    end();
  }
}
