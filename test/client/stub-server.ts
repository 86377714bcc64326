import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createClient, type Client, type ClientConfig } from '../../src/client/client.ts';
import { credentialOf, ApiError } from '../../src/client/index.ts';

/** A request as the server saw it. */
export interface RecordedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What the server answers; an object as body is sent as JSON. */
export interface StubResponse {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Answers by value, or by hand on the response. */
export type StubHandler = (
  request: RecordedRequest,
  response: ServerResponse,
  count: number,
) => StubResponse | undefined | Promise<StubResponse | undefined>;

const send = (response: ServerResponse, { status = 200, headers, body }: StubResponse): void => {
  response.writeHead(status, headers);
  response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
};

/** A real local server that answers as the test says, and the requests it got. It is closed after the test. */
export async function startStubServer(
  answering: StubHandler,
): Promise<{ url: string; requests: RecordedRequest[]; sockets: Set<Socket> }> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const answer = async (body: string): Promise<void> => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      requests.push(one);
      const reply = await answering(one, response, requests.length);
      if (reply) send(response, reply);
    };
    text(request)
      .then(answer)
      .catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, sockets };
}

/** An address on this machine where nothing listens. */
export async function unusedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

export const token = 'tok_8fK2mQ9xZr';

/** A client that is closed with the test. */
export function connectClient(baseUrl: string, config: Partial<ClientConfig> = {}): Client {
  const client = createClient({ baseUrl, credential: credentialOf(token), sleep: async () => {}, ...config });
  onTestFinished(() => client.close());
  return client;
}

/** A clock that moves only when the client waits, and the waits in milliseconds. */
export function fakeTime(start = Date.UTC(2026, 0, 1)): {
  now: () => number;
  waits: number[];
  config: Partial<ClientConfig>;
} {
  const waits: number[] = [];
  let now = start;
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
    now += milliseconds;
  };
  return { now: () => now, waits, config: { clock: { now: () => now }, random: () => 1, sleep } };
}

/** The ApiError a call fails with. */
export async function apiErrorOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`expected an ApiError, got ${String(error)}`, { cause: error });
}

/** Lets the event loop turn until the condition holds; the test's own time limit ends a condition that never does. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

export const ids = {
  organization: '11111111-1111-4111-8111-111111111111',
  environment: '22222222-2222-4222-8222-222222222222',
  application: '33333333-3333-4333-8333-333333333333',
  cluster: '44444444-4444-4444-8444-444444444444',
  container: '55555555-5555-4555-8555-555555555555',
} as const;
