import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  copyFromDockerContainer,
  listDockerContainers,
  startDockerContainer,
  stopDockerContainer,
} from '../../src/platform/runtime/docker/api/index.ts';
import { filesInTar } from '../../src/platform/runtime/docker/tar.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { askProxy } from '../support/docker/public-requests.ts';
import type { Json } from '../support/test-platform.ts';

const port = 8890;
const soon = { interval: 300 };
const host = 'web-staging.localhost';

const [prometheusPort, receiverPort] = [9790, 9791];
const prometheusUrl = `http://127.0.0.1:${prometheusPort}`;

const rule = (name: string, promql: string, operator: 'NONE' | 'ABOVE' = 'NONE', threshold = 0) => ({
  name,
  cluster: 'local',
  description: '',
  severity: 'HIGH' as const,
  for_duration: 'PT1S',
  receivers: ['operators'],
  presentation: { summary: `${name} fires` },
  condition: { kind: 'CUSTOM' as const, promql, operator, threshold, function: 'NONE' as const },
});
const alerts = {
  receivers: [{ name: 'operators', kind: 'SLACK' as const, url: `http://127.0.0.1:${receiverPort}/hook-with-secret` }],
  rules: [
    rule('busy', 'infra_service_cpu_limit_ratio{service="busy"}', 'ABOVE', 0.1),
    rule('idle', 'infra_service_cpu_limit_ratio{service="web"}', 'ABOVE', 0.9),
    rule(
      'by-prometheus',
      'infra_service_memory_bytes{service="busy"} > 1e6 and on() infra_service_instances_running{service="web"} == 2',
    ),
  ],
};

let docker: DockerPlatform;
let receiver: Server;
const told: { event_type: string; text: string; payload: Json }[] = [];
let web: string;
let busy: string;

const usage = async (id: string): Promise<Json> =>
  (((await docker.platform.must('get_container_status', { container_id: id }))['running'] as Json | undefined)?.[
    'usage'
  ] as Json) ?? {};

/** How many seconds the figures of the service with an address are about. */
const measuredSeconds = async (): Promise<number> => Number((await usage(web))['seconds']);

/** In milliseconds since the epoch. */
const begun = Date.now();

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request
      .on('data', (chunk: Buffer) => (body += chunk.toString()))
      .on('end', () => {
        told.push(JSON.parse(body) as (typeof told)[number]);
        response.end();
      });
  }).listen(receiverPort, '127.0.0.1');
  docker = await startDockerPlatform({
    proxy: { httpPort: port },
    measureInterval: 1000,
    alerts,
    prometheus: { evaluation: { url: prometheusUrl } },
  });
  await docker.publish('shell', '1');
  web = await docker.container(
    'web',
    'mkdir /www; echo hello > /www/index.html; mkdir /www/cgi-bin; printf \'#!/bin/sh\\necho "Status: 503 no"; echo\\n\' > /www/cgi-bin/fail; chmod +x /www/cgi-bin/fail; exec httpd -f -p 8080 -h /www',
    { ports: [{ internal_port: 8080, publicly_accessible: true }], min_running_instances: 2, max_running_instances: 2 },
  );
  busy = await docker.container('busy', 'dd if=/dev/zero of=/dev/shm/held bs=1M count=20; while :; do :; done', {
    cpu: 200,
  });
  await Promise.all([docker.act('deploy', web), docker.act('deploy', busy)]);
});
afterAll(async () => {
  receiver?.close();
  await docker?.end();
});

test('what instances use is told beside their limits', async () => {
  await expect
    .poll(() => usage(busy), soon)
    .toMatchObject({ instances: 1, cpu_limit: 200, memory_limit: 64, missing: [] });
  await expect.poll(async () => (await usage(busy))['cpu'], soon).toBeGreaterThan(20);
  const { cpu, cpu_worst: worst, memory, measured_at: at } = await usage(busy);
  expect(cpu).toBeLessThan(300);
  expect(worst).toBe(cpu);
  expect(memory).toBeGreaterThan(18);
  expect(Date.parse(String(at))).toBeGreaterThan(begun);
  await expect
    .poll(async () => Date.parse(String((await usage(busy))['measured_at'])), soon)
    .toBeGreaterThan(Date.parse(String(at)));
  expect(await usage(web)).toMatchObject({ instances: 2, cpu_limit: 200, memory_limit: 128 });
  // It has no public address.
  expect(await usage(busy)).not.toHaveProperty('requests_per_second');
});

test('what is used on a node is told with the cluster', async () => {
  const {
    results: [cluster],
  } = (await docker.platform.must('list_clusters', { organization_id: docker.platform.organizationId })) as {
    results: { nodes: Json[] }[];
  };
  expect(cluster!.nodes[0]!['memory_used']).toBeGreaterThan(18);
  expect(cluster!.nodes[0]!['cpu_used']).toBeGreaterThan(20);
});

const ask = (path: string) => askProxy({ host, port, path });

test('requests, errors and durations are counted once, also over restarts of the proxy and the platform, and nothing of who asked is kept', async () => {
  const { docker: engine } = docker.engine;
  const [proxy] = await listDockerContainers(engine, { label: ['io.infra-mcp.proxy'] });
  const logged = async (): Promise<string> =>
    (await filesInTar(await copyFromDockerContainer(engine, proxy!.Id, '/infra-access'), 1e7))
      .map(({ content }) => content.toString())
      .join('');
  /** The platform asks once itself, when it has deployed. One of all requests failed. */
  const errorPercent = async (): Promise<number> => Math.round(1000 / ((await logged()).split('\n').length - 1)) / 10;
  const isCounted = () =>
    expect.poll(async () => (await usage(web))['error_percent'] === (await errorPercent()), soon).toBe(true);
  await expect.poll(async () => (await usage(web))['requests_per_second'], soon).toBeTypeOf('number');
  for (const path of ['/', '/', '/?token=not-to-be-kept', '/cgi-bin/fail']) await ask(path);
  await isCounted();
  expect((await usage(web))['p95_milliseconds']).toBeGreaterThan(0);
  await stopDockerContainer(engine, proxy!.Id, 1);
  await startDockerContainer(engine, proxy!.Id);
  await expect.poll(() => ask('/').catch(() => undefined), soon).toMatchObject({ status: 200 });
  await isCounted();
  for (const secret of ['not-to-be-kept', 'token', 'User-Agent', host]) expect(await logged()).not.toContain(secret);
  // Whole addresses only: a time in seconds may end in the first number of one.
  expect(await logged()).not.toMatch(/\b(127|172)(\.\d{1,3}){3}\b/);
  // Long enough to be told from the seconds that are counted from the restart on.
  await expect.poll(measuredSeconds, soon).toBeGreaterThan(10);
  const before = await measuredSeconds();
  await docker.restartPlatform();
  await ask('/');
  await expect.poll(measuredSeconds, soon).toBeLessThan(before);
  await expect.poll(measuredSeconds, soon).toBeGreaterThan(3);
  // Those of before are not counted again: one of them had failed.
  expect((await usage(web))['error_percent'] ?? 0).toBe(0);
});

const rules = async (): Promise<Record<string, Json>> => {
  const { results } = (await docker.platform.must('list_alert_rules', {
    organization_id: docker.platform.organizationId,
  })) as { results: Json[] };
  return Object.fromEntries(results.map((each) => [each['name'], each]));
};

/** Starts Debian's Prometheus with the configuration that the platform serves, and scrapes every second. */
async function startPrometheus(directory: string): Promise<ChildProcess> {
  const { platform } = docker;
  const response = await fetch(`${platform.url}/metrics/scrape-config`, {
    headers: { authorization: `Bearer ${platform.tokens.read}` },
  });
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, platform.tokens.read);
  await writeFile(
    join(directory, 'prometheus.yml'),
    (await response.text())
      .replace(/credentials_file: .*/, `credentials_file: ${tokenFile}`)
      .replace('scrape_interval: 30s', 'scrape_interval: 1s'),
  );
  return spawn(
    '/usr/bin/prometheus',
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
}

test('an alert about what is measured fires without a Prometheus, and its receiver is told; another expression says that it is not evaluated', async () => {
  await expect.poll(async () => (await rules())['busy'], soon).toMatchObject({ state: 'NOTIFIED' });
  expect((await rules())['busy']).not.toHaveProperty('problem');
  expect(told).toMatchObject([
    {
      event_type: 'ALERT_TRIGGERED',
      text: expect.stringMatching(
        /^Alert: busy \(HIGH\): busy fires\nCluster local\. infra_service_cpu_limit_ratio\{service="busy"\}: shop\/staging\/busy: \d/,
      ),
      payload: { name: 'busy', target_type: 'CLUSTER' },
    },
  ]);
  expect((await rules())['idle']).toMatchObject({ state: 'OK' });
  expect((await rules())['by-prometheus']).toMatchObject({
    state: 'OK',
    problem: expect.stringMatching(/^The Prometheus at http:.* could not evaluate it: .*ECONNREFUSED/),
  });
  expect(JSON.stringify([await rules(), docker.platform.dump()])).not.toContain('hook-with-secret');
});

test('what is measured is served to callers with a token, and a Prometheus evaluates any expression', async () => {
  const page = async (headers = {}) => fetch(`${docker.platform.url}/metrics`, { headers });
  expect((await page()).status).toBe(401);
  expect(await (await page({ authorization: `Bearer ${docker.platform.tokens.read}` })).text()).toMatch(
    /^infra_service_memory_bytes\{.*service="busy".*environment="staging".*project="shop".*\} \d+$/m,
  );
  const directory = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const prometheus = await startPrometheus(directory);
  try {
    await expect
      .poll(async () => (await rules())['by-prometheus'], { interval: 500 })
      .toMatchObject({ state: 'NOTIFIED' });
    expect((await rules())['by-prometheus']).not.toHaveProperty('problem');
    expect(told.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^Alert: by-prometheus \(HIGH\): by-prometheus fires\n/),
    );
  } finally {
    prometheus.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('what ends unexpectedly is counted on its node', async () => {
  const { platform } = docker;
  const restarts = async (): Promise<number> => {
    const text = await (
      await fetch(`${platform.url}/metrics`, { headers: { authorization: `Bearer ${platform.tokens.read}` } })
    ).text();
    expect(text).toMatch(/^infra_node_ready\{node_id="\w+",node="[^"]+",cluster_id="[^"]+",cluster="local"\} 1$/m);
    return Number(/^infra_node_restarts\{.*\} (\d+)$/m.exec(text)?.[1]);
  };
  expect(await restarts()).toBe(0);
  const falling = await docker.container('falling', 'sleep 8; exit 1');
  await docker.act('deploy', falling);
  await expect.poll(restarts, soon).toBeGreaterThan(0);
  await docker.act('delete', falling);
});

test('an alert whose condition holds no more is resolved, and its receiver is told', async () => {
  await docker.act('delete', busy);
  await expect.poll(async () => (await rules())['busy'], soon).toMatchObject({ state: 'OK' });
  await expect
    .poll(() => told.map(({ text }) => text), soon)
    .toContainEqual(expect.stringMatching(/^Resolved: busy \(HIGH\): busy fires\n/));
  // Nobody can tell any more whether this one holds: it goes on until somebody can.
  expect((await rules())['by-prometheus']).toMatchObject({
    state: 'NOTIFIED',
    problem: expect.stringContaining('could not evaluate it'),
  });
  expect(docker.platform.dump()['service_measurement']).toHaveLength(1);
});
