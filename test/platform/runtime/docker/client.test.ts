import { describe, expect, test } from 'vitest';
import {
  buildDockerImage,
  createDockerClient,
  createDockerService,
  dockerInfo,
  inspectDockerDistribution,
  inspectDockerImage,
  inspectDockerService,
  inspectDockerSwarm,
  isDockerError,
  listDockerServices,
  listDockerTasks,
  parseDockerAddress,
  pullDockerImage,
  updateDockerService,
} from '../../../../src/platform/runtime/docker/api/index.ts';
import { collect, rejectionOf, startFakeEngine } from './fake-engine.ts';

const spec = { Name: 'web', TaskTemplate: { ContainerSpec: { Image: 'app:1', Env: ['TOKEN=hidden-word'] } } };
const credentials = { username: 'puller', password: 'hidden-word?>~', serveraddress: 'registry.example:5' };

/** Everything that an error could show of itself. */
const shown = (error: unknown): string =>
  `${String(error)} ${JSON.stringify(error)} ${String((error as Error).stack)} ${String((error as Error).cause)}`;

describe('the version of the API', () => {
  test.each([
    ['20.10.24', '1.41', '1.12', '/v1.41/info'],
    ['25.0.0', '1.44', '1.24', '/v1.44/info'],
    ['28.5.2', '1.51', '1.24', '/v1.51/info'],
    ['29.1.0', '1.52', '1.44', '/v1.51/info'],
  ])('with the engine %s is the newest that both know', async (Version, ApiVersion, MinAPIVersion, url) => {
    const { docker, seen } = await startFakeEngine(undefined, { Version, ApiVersion, MinAPIVersion });
    await dockerInfo(docker);
    expect(seen.map((one) => one.url)).toEqual([url]);
  });

  test.each([
    [
      '19.03.15',
      '1.40',
      '1.12',
      'the engine 19.03.15 is too old: it speaks API versions up to 1.40, and at least 1.41 is needed',
    ],
    ['17.05.0', '1.9', '1.1', 'is too old: it speaks API versions up to 1.9,'],
    [
      '99.0.0',
      '1.99',
      '1.60',
      'the engine 99.0.0 is too new: it speaks API versions from 1.60, and the newest that this program speaks is 1.51',
    ],
  ])('with the engine %s is none: nothing else is sent', async (Version, ApiVersion, MinAPIVersion, message) => {
    const { docker, seen } = await startFakeEngine(undefined, { Version, ApiVersion, MinAPIVersion });
    const error = await rejectionOf(dockerInfo(docker));
    expect(error).toMatchObject({ kind: 'version' });
    expect(String(error)).toContain(message);
    expect(seen).toEqual([]);
  });

  test('is asked for once, also by requests at the same time', async () => {
    const { docker, versionsAsked } = await startFakeEngine();
    await Promise.all([dockerInfo(docker), dockerInfo(docker)]);
    await dockerInfo(docker);
    expect(versionsAsked()).toBe(1);
  });

  test('is asked for again after the engine was replaced by an older one', async () => {
    let newest = '1.51';
    const { docker, seen } = await startFakeEngine(
      (response, { url }) => {
        if (url.startsWith(`/v${newest}/`)) return response.end('{}');
        return response
          .writeHead(400)
          .end(
            JSON.stringify({
              message: `client version ${url.split('/')[1]!.slice(1)} is too new. Maximum supported API version is ${newest}`,
            }),
          );
      },
      () => ({ ApiVersion: newest }),
    );
    await dockerInfo(docker);
    newest = '1.41';
    await dockerInfo(docker);
    expect(seen.map((one) => one.url)).toEqual(['/v1.51/info', '/v1.51/info', '/v1.41/info']);
  });

  test('is asked for again after it could not be asked for', async () => {
    let newest: string | undefined = '1.40';
    const { docker } = await startFakeEngine(undefined, () => ({ ApiVersion: newest }));
    await rejectionOf(dockerInfo(docker));
    newest = '1.51';
    expect(await dockerInfo(docker)).toEqual({});
  });
});

describe('a request', () => {
  test('has its query, JSON and credentials where engines look for them', async () => {
    const { docker, seen } = await startFakeEngine((response) => response.end('{"ID":"s1"}'));
    await createDockerService(docker, spec, credentials);
    await updateDockerService(docker, 's1', 7, spec);
    await listDockerTasks(docker, { service: ['s1'] });
    expect(seen.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`)).toEqual([
      'POST /v1.51/services/create',
      'POST /v1.51/services/s1/update?version=7',
      'GET /v1.51/tasks?filters={"service":["s1"]}',
    ]);
    expect(JSON.parse(seen[0]!.body)).toEqual(spec);
    const header = seen[0]!.headers['x-registry-auth'] as string;
    // Engines ignore credentials without padding.
    expect(header).toMatch(/^[\w-]+=+$/);
    expect(JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))).toEqual(credentials);
    expect(seen[1]!.headers['x-registry-auth']).toBeUndefined();
  });

  test('keeps the slashes and colons of names of images', async () => {
    const { docker, seen } = await startFakeEngine();
    await inspectDockerImage(docker, 'registry.example:5000/team/app:1.0');
    await inspectDockerDistribution(docker, `app@sha256:${'0'.repeat(64)}`);
    expect(seen.map((one) => one.url)).toEqual([
      '/v1.51/images/registry.example:5000/team/app:1.0/json',
      `/v1.51/distribution/app@sha256:${'0'.repeat(64)}/json`,
    ]);
  });

  test.each(['', '..', 'a/../../info', 'a//b', '.'])('for "%s" is not sent', async (name) => {
    const { docker, seen } = await startFakeEngine();
    expect(await rejectionOf(inspectDockerService(docker, name))).toMatchObject({ kind: 'refused' });
    expect(seen).toEqual([]);
  });

  test('for a name with signs that mean something in a URL is for that name', async () => {
    const { docker, seen } = await startFakeEngine();
    await inspectDockerService(docker, 'a?b#c%2F d');
    expect(seen.map((one) => one.url)).toEqual(['/v1.51/services/a%3Fb%23c%252F%20d']);
  });

  test('for the swarm does not tell its join tokens', async () => {
    const { docker } = await startFakeEngine((response) =>
      response.end(JSON.stringify({ ID: 'w1', JoinTokens: { Worker: 'hidden-word' } })),
    );
    expect(await inspectDockerSwarm(docker)).toEqual({ ID: 'w1' });
  });
});

describe('a refused request', () => {
  test.each([
    [404, 'service web not found', 'not found'],
    [409, 'name conflicts with an existing object', 'conflict'],
    [500, 'rpc error: code = Unknown desc = update out of sequence', 'stale'],
    [500, 'rpc error: code = Unknown desc = name conflicts with an existing object', 'conflict'],
    [503, 'This node is not a swarm manager. Use "docker swarm init"', 'no manager'],
    [400, 'invalid name', 'refused'],
    [501, 'not implemented', 'failed'],
    [500, 'something broke', 'failed'],
    [301, 'Moved', 'bad answer'],
  ])('with the status %d and "%s" is %s', async (status, message, kind) => {
    const { docker } = await startFakeEngine((response) => response.writeHead(status).end(JSON.stringify({ message })));
    const error = await rejectionOf(createDockerService(docker, spec, credentials));
    expect(error).toMatchObject({ kind, status, reason: message, method: 'POST', path: '/services/create' });
    expect(String(error)).toBe(`DockerError: POST /services/create (${status}): ${message}`);
    expect(shown(error)).not.toContain('hidden-word');
    expect(shown(error)).not.toContain(Buffer.from('hidden-word').toString('base64').slice(0, -3));
  });

  test('does not show its query: build arguments are in it', async () => {
    const { docker } = await startFakeEngine((response) => response.writeHead(400).end('{"message":"no"}'));
    const build = {
      context: Buffer.alloc(1024),
      tags: ['app:1'],
      buildArguments: { TOKEN: 'hidden-word' },
      credentials: [credentials],
    };
    expect(shown(await rejectionOf(collect(buildDockerImage(docker, build))))).not.toContain('hidden-word');
  });

  test.each([
    ['of a proxy, in HTML', '<html>502</html>', 'the engine gave no reason'],
    ['with control characters', '{"message":"a\\u001b[31m\\nb"}', 'a [31m b'],
    ['that is very long', JSON.stringify({ message: 'x'.repeat(5000) }), `${'x'.repeat(1999)}…`],
  ])('and an answer %s', async (_, body, reason) => {
    const { docker } = await startFakeEngine((response) => response.writeHead(502).end(body));
    expect(await rejectionOf(dockerInfo(docker))).toMatchObject({ kind: 'failed', status: 502, reason });
  });
});

describe('an engine that does not answer as it should', () => {
  test('is told from another server', async () => {
    const { docker } = await startFakeEngine((response) => response.end('<html>'), {});
    expect(await rejectionOf(dockerInfo(docker))).toMatchObject({
      kind: 'bad answer',
      reason: 'the answer is not JSON, so it is not from a Docker engine',
    });
  });

  test('tells no version, so it is no engine', async () => {
    const { docker, seen } = await startFakeEngine(undefined, { ApiVersion: 'nginx' });
    expect(await rejectionOf(dockerInfo(docker))).toMatchObject({
      kind: 'bad answer',
      reason: expect.stringContaining('not from a Docker engine'),
    });
    expect(seen).toEqual([]);
  });

  test('is gone: the error says where it was', async () => {
    const engine = await startFakeEngine();
    await dockerInfo(engine.docker);
    await engine.stop();
    const error = await rejectionOf(dockerInfo(engine.docker));
    expect(isDockerError(error, 'unreachable')).toBe(true);
    expect(String(error)).toContain(engine.address);
  });

  test('was never there', async () => {
    const docker = createDockerClient(parseDockerAddress('unix:///nowhere/docker.sock'));
    expect(String(await rejectionOf(dockerInfo(docker)))).toContain(
      "the engine at unix:///nowhere/docker.sock can't be reached: the socket does not exist",
    );
    await docker.close();
  });

  test('breaks off in the middle of an answer', async () => {
    const { docker } = await startFakeEngine((response) => {
      response.write('{"half":');
      setImmediate(() => response.destroy());
    });
    expect(await rejectionOf(dockerInfo(docker))).toMatchObject({ kind: 'unreachable' });
  });

  test('is silent: the deadline ends the request', async () => {
    const { docker } = await startFakeEngine(() => undefined);
    expect(await rejectionOf(dockerInfo(docker, { timeoutMilliseconds: 50 }))).toMatchObject({
      kind: 'timeout',
      reason: expect.stringContaining('did not answer within 0.05 seconds'),
    });
  });

  test('is silent in the middle of a stream: the deadline ends it', async () => {
    const { docker } = await startFakeEngine((response) => void response.write('{"status":"Pulling"}\n'));
    const messages: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const message of pullDockerImage(docker, 'app:1', undefined, { timeoutMilliseconds: 500 }))
        messages.push(message);
    };
    expect(await rejectionOf(reading())).toMatchObject({ kind: 'timeout' });
    expect(messages).toEqual([{ status: 'Pulling' }]);
  });

  test('is silent: the signal ends the request, with its reason', async () => {
    const { docker } = await startFakeEngine(() => undefined);
    const stopping = new AbortController();
    const request = rejectionOf(listDockerServices(docker, {}, { signal: stopping.signal }));
    const reason = new Error('stopping');
    setTimeout(() => stopping.abort(reason), 20);
    expect(await request).toBe(reason);
    expect(await rejectionOf(listDockerServices(docker, {}, { signal: stopping.signal }))).toBe(reason);
  });
});

/** Pulls from an engine whose stream has these chunks. */
const pull = (chunks: readonly string[]) => async () => {
  const { docker } = await startFakeEngine((response) => {
    for (const chunk of chunks) response.write(chunk);
    response.end();
  });
  return collect(pullDockerImage(docker, 'app:1'));
};

describe('a stream', () => {
  test('has its messages, however they are cut', async () => {
    expect(await pull(['{"status":"a"}\r\n{"sta', 'tus":"b"}\n', '\n{"status":"c"}'])()).toEqual([
      { status: 'a' },
      { status: 'b' },
      { status: 'c' },
    ]);
  });

  test.each([
    [
      '{"errorDetail":{"code":7,"message":"The command returned a non-zero code: 7"},"error":"old text"}',
      { kind: 'failed', code: 7, reason: 'The command returned a non-zero code: 7' },
    ],
    ['{"error":"pull access denied"}', { kind: 'failed', reason: 'pull access denied' }],
    ['oops', { kind: 'bad answer' }],
  ])('with the failure %s is an error although its status is 200', async (message, expected) => {
    expect(await rejectionOf(pull(['{"status":"a"}\n', `${message}\n`])())).toMatchObject({
      ...expected,
      method: 'POST',
      path: '/images/create',
    });
  });

  test('that the reader leaves is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { docker } = await startFakeEngine((response) => {
      response.on('close', resolve);
      response.write('{"status":"a"}\n');
    });
    for await (const message of pullDockerImage(docker, 'app:1')) {
      expect(message).toEqual({ status: 'a' });
      break;
    }
    await closed;
  });
});
