import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { allOperations } from '../../src/contract/operations.ts';
import type { EnvironmentMode } from '../../src/contract/resources/environment.ts';

/** A platform as it looks through a lens: the real one behind it, some answers altered. */
export interface RecordingProxy {
  readonly url: string;
  /** Method and path of every request that came through, oldest first. */
  readonly requests: string[];
  /** Every request that isn't a GET. */
  readonly writes: () => string[];
  close(): Promise<void>;
}

export interface RecordingProxyOptions {
  /** The mode that every environment seems to have; `unknown`: only documented reads are offered. */
  readonly mode?: EnvironmentMode | 'unknown';
  /** Told of each request before the platform sees it. */
  readonly beforeRequest?: (method: string) => Promise<void>;
  /** Told of each body that is sent. */
  readonly onBody?: (body: string) => void;
  /** Requests that the platform carries out, and whose answer gets lost. */
  readonly dropsResponse?: (method: string) => boolean;
  /** Alters an answer's body. */
  readonly alter?: (method: string, path: string, body: unknown) => unknown;
}

const extensionReads = allOperations.filter(({ documented, method }) => !documented && method === 'GET').map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
const documentedReads = allOperations.filter((operation) => operation.documented && operation.method === 'GET').map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));

const isExtensionRead = (method: string, path: string): boolean => method === 'GET' && extensionReads.some((form) => form.test(path)) && !documentedReads.some((form) => form.test(path));

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Lets every environment seem to deploy something, and every application to run a new commit: for `alter`. */
export const withDeploymentUnderWay = (_method: string, path: string, body: unknown): unknown => {
  const { environment, results, ...rest } = body as { environment?: object; results?: { details?: object }[] };
  if (environment && /^\/environment\/[^/]+\/statuses$/.test(path)) return { ...rest, environment: { ...environment, state: 'DEPLOYING' } };
  if (!results || !/^\/application\/[^/]+\/deploymentHistoryV2$/.test(path)) return body;
  const [newest, ...others] = results;
  return { ...rest, results: [{ ...newest, details: { ...newest?.details, commit: { git_commit_id: 'f'.repeat(40) } } }, ...others] };
};

/** Puts a lens before a platform. */
export async function startRecordingProxy(url: string, { mode, beforeRequest: before, onBody: tell, dropsResponse: cut, alter = (_method, _path, body) => body }: RecordingProxyOptions = {}): Promise<RecordingProxy> {
  const seen: string[] = [];
  const behind = new Pool(url);

  const withMode = (method: string, path: string, body: unknown): unknown =>
    mode && mode !== 'unknown' && method === 'GET' && /^\/environment\/[^/]+$/.test(path) && typeof body === 'object' ? { ...body, mode } : body;

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method!;
    const path = request.url!.split('?')[0]!;
    seen.push(`${method} ${path}`);
    const sent = await textOf(request);
    tell?.(sent);
    await before?.(method);
    if (mode === 'unknown' && isExtensionRead(method, path)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
      return;
    }
    const answer = await behind.request({
      path: request.url!,
      method,
      headers: { authorization: request.headers.authorization ?? '', ...(sent && { 'content-type': 'application/json' }) },
      ...(sent && { body: sent }),
    });
    const text = await answer.body.text();
    if (cut?.(method)) {
      request.socket.destroy();
      return;
    }
    const body = parseJson(text);
    const rates = Object.entries(answer.headers).filter(([name]) => name.startsWith('x-ratelimit-'));
    response.writeHead(answer.statusCode, { ...Object.fromEntries(rates), 'content-type': String(answer.headers['content-type'] ?? 'application/json') });
    response.end(body === undefined ? text : JSON.stringify(alter(method, path, withMode(method, path, body))));
  };

  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: seen,
    writes: () => seen.filter((line) => !line.startsWith('GET ')),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await behind.close();
    },
  };
}
