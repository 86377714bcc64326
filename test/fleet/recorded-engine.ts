import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A moment of a task's beginning at which its process asks the engine: before it makes sure that the task is its own,
 * after it, and for the effect itself.
 */
export type Moment = 'prepared' | 'confirmed' | 'applied';

/** What a process tells an engine. */
export interface EngineCall {
  readonly moment: Moment;
  /** The number of the process. */
  readonly place: number;
  readonly serviceId: string;
  readonly deploymentId: string;
  readonly step: string;
  readonly token: number;
}

/** A call with what came of it. Calls with a smaller token than one that was applied to the service are refused. */
export interface RecordedCall extends EngineCall {
  readonly isRefused: boolean;
}

/** A call that waits for its answer. */
export interface HeldCall extends EngineCall {
  readonly answer: () => void;
}

/**
 * An engine of the tests, which records what processes do to its services and keeps the fencing token of the last
 * effect, as real ones do.
 */
export interface RecordedEngine {
  readonly url: string;
  readonly calls: readonly RecordedCall[];
  /** Keeps the next call of a kind waiting. */
  holdNext(matches: (call: EngineCall) => boolean): Promise<HeldCall>;
}

/** Starts an engine. It ends with the test. */
export async function startRecordedEngine(): Promise<RecordedEngine> {
  const calls: RecordedCall[] = [];
  const tokens = new Map<string, number>();
  let holds: { readonly matches: (call: EngineCall) => boolean; readonly resolve: (held: HeldCall) => void }[] = [];

  const answer = (call: EngineCall, response: ServerResponse): void => {
    const isRefused = call.token < (tokens.get(call.serviceId) ?? 0);
    if (!isRefused && call.moment === 'applied') tokens.set(call.serviceId, call.token);
    calls.push({ ...call, isRefused: isRefused && call.moment === 'applied' });
    response.writeHead(isRefused && call.moment === 'applied' ? 409 : 204).end();
  };

  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const call = JSON.parse(body) as EngineCall;
      const hold = holds.find(({ matches }) => matches(call));
      holds = holds.filter((each) => each !== hold);
      if (hold === undefined) answer(call, response);
      else hold.resolve({ ...call, answer: () => answer(call, response) });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    holdNext: (matches) => new Promise((resolve) => void holds.push({ matches, resolve })),
  };
}
