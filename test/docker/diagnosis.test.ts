import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CauseCode } from '../../src/analysis/diagnosis/diagnosis.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import {
  type DockerPlatform,
  exceedsMemory,
  littleMemory,
  startDockerPlatform,
} from '../support/docker/docker-platform.ts';
import { startTestRegistry, type TestRegistry } from '../support/docker/docker-registry.ts';
import { type TestClient, textOf } from '../support/mcp-clients.ts';
import type { Json } from '../support/test-platform.ts';

/** A container that can't get up, and what the diagnosis has to say of it. */
interface Broken {
  readonly name: string;
  readonly code: CauseCode;
  readonly says: RegExp;
  readonly script: string;
  readonly more?: (registries: { readonly guarded: string; readonly nowhere: string }) => Json;
}

const ports = [{ internal_port: 8080 }];
const probe = (kind: 'http' | 'tcp'): Json => ({
  type: { [kind]: { port: 8080, ...(kind === 'http' && { path: '/nowhere' }) } },
  initial_delay_seconds: 0,
  period_seconds: 1,
  timeout_seconds: 1,
  success_threshold: 1,
  failure_threshold: 2,
});
const serve = (port: number): string => `echo "listening on port ${port}"; exec httpd -f -p ${port} -h /bin`;

const broken: readonly Broken[] = [
  {
    name: 'no-image',
    code: 'image_tag_not_found',
    says: /shell:2" doesn't exist/,
    script: 'true',
    more: () => ({ tag: '2' }),
  },
  {
    name: 'denied',
    code: 'image_pull_denied',
    says: /refuses to give out/,
    script: 'true',
    more: ({ guarded }) => ({ registry_id: guarded }),
  },
  {
    name: 'no-registry',
    code: 'dns_failed',
    says: /registry\.invalid" can't be resolved/,
    script: 'true',
    more: ({ nowhere }) => ({ registry_id: nowhere }),
  },
  { name: 'no-name', code: 'dns_failed', says: /can't be resolved/, script: 'nslookup orders-db.invalid || exit 1' },
  {
    name: 'panics',
    code: 'app_crashed',
    says: /panic: no route table/,
    script: 'echo "panic: no route table"; exit 2',
  },
  { name: 'silent', code: 'app_crashed', says: /exit code 3/, script: 'sleep 0.5; exit 3' },
  {
    name: 'greedy',
    code: 'out_of_memory',
    says: /more memory than it may \(it has 16 MB\)/,
    script: exceedsMemory,
    more: () => littleMemory,
  },
  {
    name: 'unready',
    code: 'readiness_probe_failing',
    says: /answers HTTP 404/,
    script: serve(8080),
    more: () => ({ ports, healthchecks: { readiness_probe: probe('http') } }),
  },
  {
    name: 'dying',
    code: 'liveness_probe_failing',
    says: /liveness probe/,
    script: serve(8080),
    more: () => ({ ports, healthchecks: { liveness_probe: probe('http') } }),
  },
  {
    name: 'elsewhere',
    code: 'wrong_port',
    says: /listens on port 9090, but port 8080/,
    script: serve(9090),
    more: () => ({ ports, healthchecks: { readiness_probe: probe('tcp') } }),
  },
  {
    name: 'unset',
    code: 'missing_variable',
    says: /DATABASE_URL is missing/,
    script: 'set -u; echo "connecting to $DATABASE_URL"',
  },
  {
    name: 'huge',
    code: 'insufficient_resources',
    says: /No node of the cluster has room/,
    script: serve(8080),
    more: () => ({ memory: 200_000 }),
  },
];

/** Those whose logs don't say why they do what they do. */
const unexplained: readonly string[] = ['silent', 'unready', 'dying'];

let docker: DockerPlatform;
let guarded: TestRegistry;
let connectors: Connectors;
let client: TestClient;
const ids = new Map<string, string>();

beforeAll(async () => {
  guarded = await startTestRegistry(true);
  docker = await startDockerPlatform({
    registries: [
      { name: 'guarded', kind: 'GENERIC_CR', url: `http://${guarded.host}` },
      { name: 'nowhere', kind: 'GENERIC_CR', url: 'https://registry.invalid' },
    ],
  });
  await docker.publish('shell', '1');
  const rows = (
    await docker.platform.must('list_container_registries', { organization_id: docker.platform.organizationId })
  )['results'] as Json[];
  const idOf = (name: string): string => String(rows.find((row) => row['name'] === name)!['id']);
  const registries = { guarded: idOf('guarded'), nowhere: idOf('nowhere') };
  for (const { name, script, more } of broken) ids.set(name, await docker.container(name, script, more?.(registries)));
  connectors = connectorsTo(docker.platform.url, docker.platform.token);
  client = await connectors.modern();
});
afterAll(async () => {
  await connectors?.close();
  await docker?.end();
  await guarded?.end();
});

test('none of them gets up', async () => {
  await docker.platform.must('deploy_environment', { environment_id: docker.environmentId });
  const open = async (): Promise<string[]> => {
    const states = await Promise.all(
      [...ids].map(
        async ([name, id]) =>
          [name, String((await docker.platform.must('get_container_status', { container_id: id }))['state'])] as const,
      ),
    );
    return states
      .filter(([, state]) => state !== 'DEPLOYMENT_ERROR' && state !== 'UNAVAILABLE')
      .map(([name, state]) => `${name}: ${state}`);
  };
  await expect.poll(open, { interval: 500 }).toEqual([]);
});

test.each(broken)('$name: $code', async ({ name, code, says }) => {
  const answer = await client.call('diagnose_deployment', { service: ids.get(name)! });
  const { cause, outcome } = answer.structuredContent as { cause: { code: string; sentence: string }; outcome: string };
  expect(
    { outcome, code: cause.code },
    `${textOf(answer)}\n${(await docker.messages(ids.get(name)!)).join('\n')}`,
  ).toEqual({ outcome: 'failed', code });
  expect(textOf(answer)).toMatch(says);
  // Its neighbours failed too, which explains nothing that it explains itself.
  if (!unexplained.includes(name)) expect(cause.sentence).not.toContain('failed before it');
});
