import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { allowedRequests, EngineAnswer, notAllowed } from './allowed-requests.ts';
import { askEngineAt } from './ask-engine.ts';

/** Settings of an agent's server. */
export interface AgentSettings {
  /** The id of the platform that it works for. */
  readonly platformId: string;
  /** The engine's socket. */
  readonly socketPath: string;
  /**
   * The certificate of the authority that signs both sides, and the agent's certificate with its key, in PEM format.
   */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Parses the target of a request. Only plain characters match: nothing that another program might read as a different
 * path.
 */
const target = /^(?<version>\/v1\.\d{2})?(?<path>(?:\/[\w:@-][\w.:@-]*)+)(?:\?(?<query>[^#\s]*))?$/;

const refused = (status: number, message: string): never => {
  throw new EngineAnswer(status, message);
};

/**
 * Matches a request to an allowed one.
 * @returns a function that carries it out
 * @throws EngineAnswer 403 if none matches
 */
function allowedWork(
  { method, url = '', headers }: IncomingMessage,
  { platformId, socketPath }: AgentSettings,
): () => Promise<unknown> {
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
    refused(403, notAllowed);
  const { version = '', path = '', query = '' } = target.exec(url)?.groups ?? {};
  const found =
    allowedRequests.find((each) => each.method === method && each.path.test(path)) ?? refused(403, notAllowed);
  const pairs = [...new URLSearchParams(query)];
  const members = Object.fromEntries(pairs);
  const isWithin = pairs.every(([name, value]) => Object.hasOwn(found.query, name) && found.query[name]!.test(value));
  if (!isWithin || Object.keys(members).length !== pairs.length) refused(403, notAllowed);
  return () =>
    found.answer(askEngineAt(socketPath, version), { name: found.path.exec(path)![1]!, query: members, platformId });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  // Engine clients read it from a ping.
  const { ApiVersion: version } = (body ?? {}) as { ApiVersion?: string };
  const end = status === 400 || status === 403 ? { connection: 'close' } : {};
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(version !== undefined && { 'api-version': version }),
      ...end,
    })
    .end(text);
}

const fail = (response: ServerResponse, error: unknown): void =>
  error instanceof EngineAnswer
    ? send(response, error.status, { message: error.message })
    : send(response, 502, { message: 'The engine of this node did not answer.' });

/**
 * Creates the server of an agent: TLS 1.3 only, for clients with a certificate of the authority; HTTP/1.1 without
 * upgrades.
 */
export function createAgentServer(settings: AgentSettings): Server {
  const { ca, cert, key } = settings;
  /** Connections on which a request was refused: no further request on them is handled. */
  const refusing = new WeakSet<object>();
  const server = createServer(
    {
      ca,
      cert,
      key,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['http/1.1'],
      maxHeaderSize: 8192,
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 15 * 60_000,
      insecureHTTPParser: false,
    },
    (request, response) => {
      if (refusing.has(request.socket)) return;
      try {
        allowedWork(request, settings)().then(
          (body) => send(response, 200, body),
          (error: unknown) => fail(response, error),
        );
      } catch (error) {
        refusing.add(request.socket);
        fail(response, error);
      }
    },
  );
  server.maxConnections = 32;
  server.on('checkContinue', (_, response: ServerResponse) => send(response, 403, { message: notAllowed }));
  for (const event of ['upgrade', 'connect'])
    server.on(event, (_: unknown, socket: { destroy(): void }) => socket.destroy());
  return server;
}
