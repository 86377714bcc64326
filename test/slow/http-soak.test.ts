import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../src/platform/api/index.ts';
import { connectLegacyHttp, connectModernHttp, modernCall, modernHeaders } from '../transport/test-server.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { heapUsed } from '../support/heap.ts';
import { textOf } from '../support/mcp-clients.ts';
import { cleanEnvironment, spawnProgram, whenReady, type RunningProgram } from '../support/started-program.ts';
import { startRecordingProxy, withTokenLabel, type RecordingProxy } from '../support/recording-proxy.ts';

const root = join(import.meta.dirname, '../..');
const seconds = Number(process.env['SOAK_SECONDS'] ?? 60);
const clientCount = 200;
const tokenCount = 20;

let dataDir: string;
let platform: TestPlatform;
let proxy: RecordingProxy;
let tokens: string[];
let program: RunningProgram;
let url: URL;
/** Address of the server's inspector. */
let inspector = '';
/** Whether the way to the platform is bad. */
let faulty = true;

const labelOf = (token: string): string => `for-${tokens.indexOf(token)}-only`;

const dice = (): number => Math.random() * 100;

/** Makes the way to the platform slow, and sometimes broken. */
async function injectFault(_method: string, _request: IncomingMessage, response: ServerResponse): Promise<void> {
  await pause(dice() / 2);
  const fault = faulty ? dice() : 100;
  if (fault < 1) response.destroy();
  else if (fault < 3) response.writeHead(500).end('{"status":500,"error":"E","message":"out of order"}');
  else if (fault < 4)
    response.writeHead(429, { 'retry-after': '1' }).end('{"status":429,"error":"E","message":"too many"}');
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-soak-'));
  platform = await startTestPlatform({ rateLimit: 1_000_000_000 });
  tokens = [];
  for (let made = 0; made < tokenCount; made += 1)
    tokens.push(await createToken(platform, { name: `token ${made}`, permission: 'admin' }));
  proxy = await startRecordingProxy(platform.url, { beforeRequest: injectFault, alter: withTokenLabel(labelOf) });
  const env = cleanEnvironment({ INFRA_DATA_DIR: dataDir, INFRA_BASE_URL: proxy.url, INFRA_LOG_LEVEL: 'silent' });
  program = spawnProgram({
    command: [
      process.execPath,
      '--inspect=127.0.0.1:0',
      '--import',
      import.meta.resolve('tsx'),
      join(root, 'src/main.ts'),
      'http',
      '--port',
      '0',
    ],
    cwd: root,
    env,
  });
  url = new URL((await whenReady(program)).ready.url);
  inspector = /ws:\S+/.exec(program.output.stderr)![0];
});

afterAll(async () => {
  program.child.kill('SIGKILL');
  await proxy.close();
  await platform.close();
  await rm(dataDir, { recursive: true });
});

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;

test(`${clientCount} clients of both protocol versions for ${seconds} s: no answer is lost or mixed up, and memory does not grow`, async () => {
  const clients = await Promise.all(
    Array.from({ length: clientCount }, async (_, index) => {
      const token = tokens[index % tokenCount]!;
      const connect = index % 2 === 0 ? connectModernHttp : connectLegacyHttp;
      return { token, client: await connect(url, { headers: { 'x-infra-api-token': token } }) };
    }),
  );
  const took: number[] = [];
  let failed = 0;
  const end = Date.now() + seconds * 1000;
  const work = async ({ token, client }: (typeof clients)[number]): Promise<void> => {
    while (Date.now() < end) {
      const began = performance.now();
      const result = await client.call('get_organization');
      took.push(performance.now() - began);
      // What the platform fails at is told; an answer is the caller's own.
      if (result.isError) failed += 1;
      else expect(textOf(result)).toContain(`name: ${labelOf(token)}`);
    }
  };
  const warm = pause(seconds * 300).then(() => heapUsed(inspector));
  await Promise.all(clients.map(work));
  const [before, after] = [await warm, await heapUsed(inspector)];
  const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
  console.log(
    `${took.length} calls, ${failed} told as failed; p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; heap ${before.toFixed(0)} MB, later ${after.toFixed(0)} MB`,
  );
  expect(took.length).toBeGreaterThan(clientCount);
  expect(failed / took.length).toBeLessThan(0.02);
  expect(after).toBeLessThan(before * 1.1);
  await Promise.all(clients.map(({ client }) => client.close()));
});

test('a stop under load loses nothing', async () => {
  faulty = false;
  const told = {
    done: new Set<string>(),
    unsure: new Set<string>(),
    refused: new Set<string>(),
    broken: new Set<string>(),
  };
  /** Makes one change. False when the server takes no more. */
  const change = async (name: string): Promise<boolean> => {
    const message = modernCall('create_project', { organization_id: platform.organizationId, name });
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'x-infra-api-token': tokens[0]!,
          ...modernHeaders('create_project'),
        },
        body: JSON.stringify(message),
      });
      const said = await answer.text();
      if (answer.status === 200) told.done.add(name);
      else if (said.includes('look at the present state')) told.unsure.add(name);
      else told.refused.add(name);
      return answer.status === 200;
    } catch (error) {
      const { code } = (error as { cause: { code: string } }).cause;
      told[code === 'ECONNREFUSED' ? 'refused' : 'broken'].add(name);
      return false;
    }
  };
  const load = Array.from({ length: 50 }, async (_, worker) => {
    for (let count = 0; await change(`soak-${worker}-${count}`); count += 1);
  });
  await expect.poll(() => told.done.size).toBeGreaterThan(50);
  program.child.kill('SIGTERM');
  await once(program.child, 'exit');
  await Promise.all(load);

  const projects = await fetch(`${platform.url}/organization/${platform.organizationId}/project`, {
    headers: { authorization: `Token ${platform.token}` },
  });
  const made = new Set(
    ((await projects.json()) as { results: { name: string }[] }).results
      .map(({ name }) => name)
      .filter((name) => name.startsWith('soak-')),
  );
  console.log(
    `done ${told.done.size}, unsure ${told.unsure.size}, refused ${told.refused.size}, broken ${told.broken.size}`,
  );
  expect([...told.done].filter((name) => !made.has(name))).toEqual([]);
  expect([...made].filter((name) => !told.done.has(name) && !told.unsure.has(name))).toEqual([]);
  expect([...told.broken]).toEqual([]);
});
