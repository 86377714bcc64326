import type { Duplex, Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { BodyTooLarge, readBody, UnreadableEncoding } from '../../../../outgoing/index.ts';
import { type DockerAddress, dockerAddressText, type NodeAddress } from './address.ts';
import { commonDockerApi, type DockerVersion } from './api-version.ts';
import { openDockerConnection } from './connection.ts';
import { DockerError, dockerAnswerError, dockerConnectionError, isDockerError } from './errors.ts';
import { type DockerQuery, dockerQueryText } from './paths.ts';

/** Limits of a request. */
export interface DockerCall {
  /** Aborts the request. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * The deadline of the request, including its whole answer, in milliseconds. Default: 30 seconds; for streams 30
   * minutes.
   */
  readonly timeoutMilliseconds?: number;
}

/** A request. The path starts with a slash and has no version. */
export interface DockerRequest extends DockerCall {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: DockerQuery;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** A tar archive, sent unchanged. */
  readonly tar?: Buffer | Readable;
}

/**
 * The client of one engine, or of the managers of one swarm. The operations are functions in the other files of this
 * folder.
 */
export interface DockerClient {
  /** The address of the engine, for messages. */
  readonly address: string;
  /** Clients of its single engines: several if it fails over between managers, else only this one. */
  readonly engines: readonly DockerClient[];
  /**
   * The engine in use at present, for requests that have to go to the same machine.
   * @throws DockerError if none is usable
   */
  engine(): Promise<DockerClient>;
  /** What is wrong with its addresses, as text, apart from outages; undefined or absent if nothing is. */
  readonly problem?: () => string | undefined;
  /** The engine's versions, requested again with each call. */
  version(call?: DockerCall): Promise<DockerVersion>;
  /** The API version that requests use, negotiated once. @throws DockerError of the kind `version` if there is none */
  apiVersion(call?: DockerCall): Promise<string>;
  /**
   * Sends a request and reads its answer.
   * @returns the JSON of the answer; undefined for an empty one
   * @throws DockerError, or the reason of the signal
   */
  request<Answer = unknown>(request: DockerRequest): Promise<Answer>;
  /**
   * Sends a request and streams its answer. The stream must be read or destroyed; destroying it stops the request.
   * @throws DockerError, or the reason of the signal; so does reading the stream
   */
  stream(request: DockerRequest): Promise<AsyncIterable<Buffer>>;
  /**
   * Sends a request without a body that upgrades the connection to a stream in both directions. Its signal and deadline
   * apply until the upgrade.
   * @throws DockerError, or the reason of the signal
   */
  upgrade(request: DockerRequest): Promise<Duplex>;
  /** Closes all connections. Requests in flight fail. */
  close(): Promise<void>;
}

const defaultTimeout = 30_000;
const defaultStreamTimeout = 30 * 60_000;

/** The largest answer that is read as a whole, in bytes. */
const maximumAnswerBytes = 64 * 1024 * 1024;

/** The status of a request to start a container that runs, or to stop one that doesn't. */
const alreadySo = 304;

type Answer = Dispatcher.ResponseData;

/** Parses the JSON of an answer; undefined if the answer is empty. */
function parsed(request: DockerRequest, text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new DockerError('bad answer', 'the answer is not JSON, so it is not from a Docker engine', request);
  }
}

/** Creates the client of an engine. It connects on first use. @param address see `parseDockerAddress` */
export function createDockerClient(address: DockerAddress | NodeAddress): DockerClient {
  const text = dockerAddressText(address);
  const connection = openDockerConnection(address);
  let negotiated: Promise<string> | undefined;

  /** Translates an error of a request or its stream. */
  const failure = (request: DockerRequest, deadline: AbortSignal, milliseconds: number, error: unknown): unknown => {
    if (error instanceof DockerError) return error;
    if (request.signal?.aborted) return request.signal.reason;
    if (deadline.aborted)
      return new DockerError(
        'timeout',
        `the engine at ${text} did not answer within ${milliseconds / 1000} seconds`,
        request,
      );
    if (error instanceof BodyTooLarge) return new DockerError('bad answer', 'the answer is too large', request);
    if (error instanceof UnreadableEncoding) return new DockerError('bad answer', error.message, request);
    return dockerConnectionError(request, text, error);
  };

  /** Sends a request and handles its answer within the deadline. */
  const exchange = async <Result>(
    version: string,
    request: DockerRequest,
    milliseconds: number,
    use: (answer: Answer, fail: (error: unknown) => unknown) => Promise<Result>,
  ): Promise<Result> => {
    request.signal?.throwIfAborted();
    const deadline = AbortSignal.timeout(milliseconds);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    const fail = (error: unknown): unknown => failure(request, deadline, milliseconds, error);
    const { method, path, query = {}, headers, json, tar } = request;
    try {
      const answer = await connection.request({
        method,
        path: `${version}${path}${dockerQueryText(query)}`,
        signal,
        headers: {
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(tar !== undefined && { 'content-type': 'application/x-tar' }),
          ...headers,
        },
        body: json === undefined ? tar : JSON.stringify(json),
      });
      if ((answer.statusCode >= 200 && answer.statusCode < 300) || answer.statusCode === alreadySo)
        return await use(answer, fail);
      throw dockerAnswerError(request, answer.statusCode, await readBody(answer, maximumAnswerBytes));
    } catch (error) {
      throw fail(error);
    }
  };

  const whole = <Result>(version: string, request: DockerRequest): Promise<Result> =>
    exchange(
      version,
      request,
      request.timeoutMilliseconds ?? defaultTimeout,
      async (answer) => parsed(request, await readBody(answer, maximumAnswerBytes)) as Result,
    );

  const askVersion = (call: DockerCall = {}): Promise<DockerVersion> =>
    whole('', { method: 'GET', path: '/version', ...call });

  /** Has no signal or deadline of the first caller: other callers wait for the same answer. */
  const negotiate = async (): Promise<string> => {
    const ping: DockerRequest = { method: 'GET', path: '/_ping' };
    const newest = await exchange('', ping, defaultTimeout, async (answer) => {
      await readBody(answer, maximumAnswerBytes);
      return answer.headers['api-version'];
    });
    // A ping reports only the newest version. It goes first because it distinguishes an engine from any other server.
    if (typeof newest !== 'string')
      throw new DockerError('bad answer', `the server at ${text} is not a Docker engine`, ping);
    return commonDockerApi(await askVersion());
  };

  /** Waits for the negotiated version, within the deadline of the request. */
  const apiVersion = async ({ signal, timeoutMilliseconds = defaultTimeout }: DockerCall = {}): Promise<string> => {
    signal?.throwIfAborted();
    negotiated ??= negotiate().catch((error: unknown) => {
      negotiated = undefined;
      throw error;
    });
    const deadline = AbortSignal.timeout(timeoutMilliseconds);
    const stopped = AbortSignal.any(signal ? [signal, deadline] : [deadline]);
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (): void =>
      reject(failure({ method: 'GET', path: '/_ping', signal }, deadline, timeoutMilliseconds, stopped.reason));
    stopped.addEventListener('abort', stop, { once: true });
    return Promise.race([negotiated, promise]).finally(() => stopped.removeEventListener('abort', stop));
  };

  /**
   * Sends a request with the negotiated version. Negotiates again if the engine was replaced by one with another
   * version.
   */
  const negotiatedRequest = async <Result>(
    request: DockerRequest,
    send: (version: string) => Promise<Result>,
  ): Promise<Result> => {
    const version = await apiVersion(request);
    try {
      return await send(`/v${version}`);
    } catch (error) {
      // The engine has not carried it out. But a streamed body is consumed, and can't be sent again.
      if (!isDockerError(error, 'version')) throw error;
      negotiated = undefined;
      if (request.tar !== undefined) throw error;
      return send(`/v${await apiVersion(request)}`);
    }
  };

  const client: DockerClient = {
    address: text,
    get engines() {
      return [client];
    },
    engine: async () => client,
    version: askVersion,
    apiVersion,
    request: <Result>(request: DockerRequest) =>
      negotiatedRequest(request, (version) => whole<Result>(version, request)),
    stream: (request) =>
      negotiatedRequest(request, (version) =>
        exchange(version, request, request.timeoutMilliseconds ?? defaultStreamTimeout, async ({ body }, fail) =>
          translated(body, fail),
        ),
      ),
    upgrade: (request) =>
      negotiatedRequest(request, async (version) => {
        const milliseconds = request.timeoutMilliseconds ?? defaultTimeout;
        const deadline = AbortSignal.timeout(milliseconds);
        const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
        try {
          return await connection.upgrade({
            method: request.method,
            path: `${version}${request.path}${dockerQueryText(request.query ?? {})}`,
            signal,
          });
        } catch (error) {
          throw failure(request, deadline, milliseconds, error);
        }
      }),
    close: () => connection.close(),
  };
  return client;
}

/** The stream with its errors translated. */
async function* translated(
  body: AsyncIterable<Buffer>,
  fail: (error: unknown) => unknown,
): AsyncGenerator<Buffer, void> {
  try {
    yield* body;
  } catch (error) {
    throw fail(error);
  }
}
