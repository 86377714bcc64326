import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { allOperations, type EnvironmentMode } from '../../src/contract/index.ts';

/** A proxy in front of a platform that records its requests, and can delay, drop and alter its responses. */
export interface RecordingProxy {
  readonly url: string;
  /** Method and path of every request, oldest first. */
  readonly requests: string[];
  /** Every request that isn't a GET. */
  readonly writes: () => string[];
  close(): Promise<void>;
}

export interface RecordingProxyOptions {
  /**
   * The mode that every environment is reported to have. With `unknown` the proxy answers 404 to reads that the API
   * document doesn't have.
   */
  readonly mode?: EnvironmentMode | 'unknown';
  /** Runs before a request is forwarded. The request is not forwarded if this ends or destroys the response. */
  readonly beforeRequest?: (method: string, request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Receives the body of each request. */
  readonly onBody?: (body: string) => void;
  /** Requests that the platform carries out, but whose response is lost. */
  readonly dropsResponse?: (method: string) => boolean;
  /** Alters the body of a response. @param token the platform token of the request. */
  readonly alter?: (method: string, path: string, body: unknown, token: string) => unknown;
  /** More headers of the responses, by the platform token of the request. */
  readonly responseHeaders?: (token: string) => Record<string, string>;
}

const extensionReads = allOperations
  .filter(({ documented, method }) => !documented && method === 'GET')
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
const documentedReads = allOperations
  .filter((operation) => operation.documented && operation.method === 'GET')
  .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));

const isExtensionRead = (method: string, path: string): boolean =>
  method === 'GET' &&
  extensionReads.some((form) => form.test(path)) &&
  !documentedReads.some((form) => form.test(path));

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

/** For `alter`: every environment appears to be deploying, and every application to run a new commit. */
export const withDeploymentUnderWay = (_method: string, path: string, body: unknown): unknown => {
  const { environment, results, ...rest } = body as { environment?: object; results?: { details?: object }[] };
  if (environment && /^\/environment\/[^/]+\/statuses$/.test(path))
    return { ...rest, environment: { ...environment, state: 'DEPLOYING' } };
  if (!results || !/^\/application\/[^/]+\/deploymentHistoryV2$/.test(path)) return body;
  const [newest, ...others] = results;
  return {
    ...rest,
    results: [{ ...newest, details: { ...newest?.details, commit: { git_commit_id: 'f'.repeat(40) } } }, ...others],
  };
};

/** For `alter`: the organization's name says which token asked for it. */
export const withTokenLabel =
  (labelOf: (token: string) => string): RecordingProxyOptions['alter'] =>
  (_method, path, body, token) =>
    path === '/organization' ? { ...(body as object), name: labelOf(token), results: undefined } : body;

/** Starts a recording proxy in front of the platform at this URL. */
export async function startRecordingProxy(
  url: string,
  {
    mode,
    beforeRequest,
    onBody,
    dropsResponse,
    alter = (_method, _path, body) => body,
    responseHeaders,
  }: RecordingProxyOptions = {},
): Promise<RecordingProxy> {
  const requests: string[] = [];
  const platform = new Pool(url);

  const withMode = (method: string, path: string, body: unknown): unknown =>
    mode && mode !== 'unknown' && method === 'GET' && /^\/environment\/[^/]+$/.test(path) && typeof body === 'object'
      ? { ...body, mode }
      : body;

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method!;
    const path = request.url!.split('?')[0]!;
    const authorization = request.headers.authorization ?? '';
    requests.push(`${method} ${path}`);
    const requestBody = await text(request);
    onBody?.(requestBody);
    await beforeRequest?.(method, request, response);
    if (response.writableEnded || response.destroyed) return;
    if (mode === 'unknown' && isExtensionRead(method, path)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
      return;
    }
    const answer = await platform.request({
      path: request.url!,
      method,
      headers: { authorization, ...(requestBody && { 'content-type': 'application/json' }) },
      ...(requestBody && { body: requestBody }),
    });
    const responseBody = await answer.body.text();
    if (dropsResponse?.(method)) {
      request.socket.destroy();
      return;
    }
    const token = authorization.replace('Token ', '');
    const body = parseJson(responseBody);
    const rateHeaders = Object.entries(answer.headers).filter(([name]) => name.startsWith('x-ratelimit-'));
    response.writeHead(answer.statusCode, {
      ...Object.fromEntries(rateHeaders),
      ...responseHeaders?.(token),
      'content-type': String(answer.headers['content-type'] ?? 'application/json'),
    });
    response.end(
      body === undefined ? responseBody : JSON.stringify(alter(method, path, withMode(method, path, body), token)),
    );
  };

  const server = createServer((request, response) => void forward(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    writes: () => requests.filter((line) => !line.startsWith('GET ')),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await platform.close();
    },
  };
}
