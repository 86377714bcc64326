import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { callHealth, openWebSocket } from '../support/docker/public-streams.ts';
import { patience } from '../support/eventually.ts';
import type { Json } from '../support/test-platform.ts';

const port = 8880;
const web = { host: 'live-staging.localhost', port };
const rpc = { host: 'rpc-live-staging.localhost', port };

let docker: DockerPlatform;
let id: string;
const runs = (...args: readonly string[]): Json => ({
  image_name: 'node',
  entrypoint: '/node',
  arguments: ['/server.mjs', ...args],
  memory: 256,
  cpu: 500,
});
const probe = {
  type: { grpc: { port: 50_051 } },
  initial_delay_seconds: 0,
  period_seconds: 1,
  timeout_seconds: 1,
  success_threshold: 1,
  failure_threshold: 2,
};

beforeAll(async () => {
  docker = await startDockerPlatform({ proxy: { httpPort: port } });
  await docker.publish('node', '1');
  await docker.publish('shell', '1');
  id = await docker.container('live', '', {
    ...runs('one'),
    healthchecks: { readiness_probe: probe, liveness_probe: probe },
    ports: [
      { internal_port: 8080, publicly_accessible: true, is_default: true },
      { internal_port: 50_051, name: 'rpc', publicly_accessible: true, protocol: 'GRPC' },
    ],
  });
});
afterAll(() => docker?.end());

test('probes of gRPC let a version get ready, and keep one away that does not serve', async () => {
  expect(await docker.act('deploy', id), (await docker.messages(id)).join('\n')).toMatchObject({ state: 'DEPLOYED' });
  await docker.change(id, runs('mute', 'NOT_SERVING'));
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
  // The program ends with exit code 0 when the engine ends it: that is not the cause.
  expect((await docker.conditions(id)).at(-1)).toMatchObject({
    reason: 'INSTANCES_FAILED',
    details: {
      instances: 1,
      cause: {
        reason: 'ENDED_BY_ENGINE',
        details: {
          cause: {
            reason: 'PROBE_FAILED',
            details: { probe: 'liveness', why: expect.stringContaining('port 50051: status NOT_SERVING') as unknown },
          },
        },
      },
    },
  });
  await docker.change(id, runs('one'));
});

test('gRPC goes through the proxy with its trailers, and so do its streams', async () => {
  const check = await callHealth(rpc, 'Check');
  expect(check).toMatchObject({ version: 'one', message: Buffer.from([0, 0, 0, 0, 2, 8, 1]) });
  expect(await check.end).toEqual({ status: '0' });
});

/** Opens a WebSocket and a stream of gRPC that would go on for ever. */
const openBoth = async () => {
  const [socket, stream] = await Promise.all([openWebSocket(web), callHealth(rpc, 'Watch')]);
  onTestFinished(() => {
    socket.close();
    stream.close();
  });
  return { socket, stream };
};

test('WebSockets live until their instance is replaced, and reach the new one then; so do streams', async () => {
  const { socket, stream } = await openBoth();
  expect(await socket.exchange('hello')).toBe('hello');
  await docker.change(id, runs('two'));
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  await expect.poll(socket.closedAt).toBeDefined();
  expect(await Promise.race([stream.end, delay(patience)])).toEqual({ status: 'broken' });
  const next = await openBoth();
  expect(await next.socket.exchange('again')).toBe('again');
  expect(next.stream.version).toBe('two');
});

test('WebSockets survive deployments that change no route, and end when routes change: clients have to connect again', async () => {
  const { socket } = await openBoth();
  const inside = await docker.container('inside', 'exec httpd -f -p 8080 -h /bin', {
    ports: [{ internal_port: 8080 }],
  });
  expect(await docker.act('deploy', inside)).toMatchObject({ state: 'DEPLOYED' });
  expect(await socket.exchange('still')).toBe('still');
  await docker.change(inside, { ports: [{ internal_port: 8080, publicly_accessible: true }] });
  expect(await docker.act('deploy', inside)).toMatchObject({ state: 'DEPLOYED' });
  expect(socket.closedAt()).toBeDefined();
  expect(await (await openBoth()).socket.exchange('again')).toBe('again');
});
