import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createDockerClient,
  type DockerClient,
  parseDockerAddress,
} from '../../../../src/platform/runtime/docker/api/index.ts';

/** A request that a fake engine got. */
interface SeenRequest {
  readonly method: string;
  /** With version and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that answers as an engine could. */
export interface FakeEngine {
  readonly docker: DockerClient;
  readonly address: string;
  /** All requests but those that ask for versions. */
  readonly seen: SeenRequest[];
  /** How often versions were asked for. */
  readonly versionsAsked: () => number;
  /** Ends the server, and its connections. */
  stop(): Promise<void>;
}

interface Versions {
  readonly Os?: string;
  readonly Version?: string;
  readonly ApiVersion?: string;
  readonly MinAPIVersion?: string;
}

const read = async (request: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  return body;
};

/**
 * Starts a server on a unix socket. It ends with the test.
 * @param answer to everything but requests for versions; default: an empty object
 * @param versions what it says of its versions; a function is asked each time
 */
export async function startFakeEngine(
  answer: (response: ServerResponse, request: SeenRequest) => void = (response) => response.end('{}'),
  versions: Versions | (() => Versions) = {},
): Promise<FakeEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-engine-'));
  const path = join(directory, 'docker.sock');
  const seen: SeenRequest[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    void read(request)
      .catch(() => '')
      .then((body) => {
        const told = {
          Version: '28.5.2',
          ApiVersion: '1.51',
          MinAPIVersion: '1.24',
          ...(typeof versions === 'function' ? versions() : versions),
        };
        if (request.url === '/_ping') return response.setHeader('api-version', told.ApiVersion).end('OK');
        if (request.url === '/version') {
          asked += 1;
          return response.end(JSON.stringify(told));
        }
        const one = { method: request.method!, url: request.url!, headers: request.headers, body };
        seen.push(one);
        return answer(response, one);
      });
  });
  server.listen(path);
  await once(server, 'listening');
  const address = `unix://${path}`;
  const docker = createDockerClient(parseDockerAddress(address));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(async () => {
    await docker.close();
    await stop();
    await rm(directory, { recursive: true, force: true });
  });
  return { docker, address, seen, versionsAsked: () => asked, stop };
}

/** The error that a promise rejects with. @throws Error if it resolves */
export const rejectionOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('It resolved.');
    },
    (error: unknown) => error,
  );

/** All items of something that yields them one by one. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
