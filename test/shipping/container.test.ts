import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/cli/config/index.ts';
import { textPaths } from '../../src/server/browse/index.ts';
import { createApiKey } from '../../src/transport/index.ts';
import { commandLine, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';
import { closeTestServers, connectLegacyHttp, connectModernHttp } from '../transport/test-server.ts';
import { freePort } from '../support/free-port.ts';
import { startProgram } from '../support/started-program.ts';
import { service } from './compose.ts';
import { container, containerEnv, objectOf } from './kubernetes.ts';
import { image, instructions, root, readText } from './repository-files.ts';
import { textOf as resultText } from '../support/mcp-clients.ts';

afterEach(closeTestServers);

const scripts = Object.keys(manifest.scripts);

describe('the container image', () => {
  test('is of the Node that is pinned, of a version that the program takes', () => {
    expect(image.arguments).toEqual({ NODE_VERSION: manifest.devDependencies.node });
    expect(instructions('FROM')).toEqual([
      'node:${NODE_VERSION}-bookworm-slim AS build',
      'node:${NODE_VERSION}-bookworm-slim',
    ]);
    // An image for another architecture is built on this one.
    expect(readText('deploy/Dockerfile').match(/^FROM --platform=\$\{BUILDPLATFORM\}.* AS build$/gm)).toHaveLength(1);
  });

  test('is made of files that are there, by commands that are tested', () => {
    const copied = instructions('COPY')
      .filter((text) => !text.startsWith('--from'))[0]!
      .split(' ')
      .slice(0, -1);
    for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
    const ignored = readText('deploy/Dockerfile.dockerignore').trim().split('\n');
    const needed = ['src', 'tools', 'scripts', 'bin', ...Object.values(textPaths), ...copied];
    expect(needed.filter((path) => ignored.includes(path.split('/')[0]!))).toEqual([]);
    expect(instructions('RUN').map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      'npm ci',
      'npm pack',
      'install --directory',
    ]);
    expect(scripts).toContain('prepack');
  });

  test('runs the program of the package, as an unprivileged user', () => {
    expect(image.entrypoint).toEqual(['node', join('/app', manifest.bin['infra-mcp'])]);
    expect(image.command).toEqual(container.args);
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(Number(image.env['INFRA_HTTP_PORT'])).toBe(image.port);
  });
});

/** Runs the image's health check; gives its exit code. */
const healthOf = async (port: number): Promise<number | null> => {
  const [, ...args] = image.healthcheck;
  const child = execFile(process.execPath, args, { env: { INFRA_HTTP_PORT: String(port) } });
  const [code] = await once(child, 'exit');
  return code as number | null;
};

const policy = objectOf('ConfigMap').data!['policy.yaml']!;

/**
 * The variables of a container, with every path below a folder, a platform on this machine, and a port that is free.
 */
async function onThisMachine(env: Record<string, string>) {
  const folder = await temporaryDirectory();
  const { ready } = await startPlatformProgram(['--data-dir', join(folder, 'platform')]);
  const port = await freePort();
  const moved = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.startsWith('/') ? join(folder, value) : value]),
  );
  const { key, sha256 } = createApiKey();
  const files = [
    [moved['INFRA_HTTP_KEYS_FILE'], `keys:\n  - { name: ann, sha256: ${sha256}, level: admin }\n`],
    [moved['INFRA_API_TOKEN_FILE'], ready.token!],
    [moved['INFRA_POLICY_FILE'], policy],
  ] as const;
  for (const [path, text] of files) {
    await mkdir(dirname(path!), { recursive: true });
    await writeFile(path!, text);
  }
  return {
    key,
    port,
    env: { ...moved, INFRA_BASE_URL: ready.url, INFRA_HTTP_HOST: '127.0.0.1', INFRA_HTTP_PORT: String(port) },
  };
}

describe.each([
  ['compose', service.environment],
  ['Kubernetes', containerEnv],
])('the container of %s', (_, own) => {
  const env = { ...image.env, ...own };

  test('has options that there are, with values that they take', () => {
    const { config, warnings } = readConfig('http', {}, env);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ httpHost: '0.0.0.0', approvalsPage: true });
  });

  test('serves callers with a key, is alive and ready, and ends on SIGTERM', async () => {
    const { key, port, env: moved } = await onThisMachine(env);
    const { child, ended } = await startProgram(commandLine(image.command, moved));
    const at = (path: string): URL => new URL(path, `http://127.0.0.1:${port}`);
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect((await fetch(at(httpGet.path), { headers: { host: '10.0.0.7' } })).status, httpGet.path).toBe(200);
    }
    expect(await healthOf(port)).toBe(0);
    expect((await fetch(at('/approvals'))).status).toBe(200);
    expect((await fetch(at('/mcp'), { method: 'POST' })).status).toBe(401);
    for (const connect of [connectModernHttp, connectLegacyHttp]) {
      const client = await connect(at('/mcp'), { headers: { authorization: `Bearer ${key}` } });
      expect(resultText(await client.call('get_organization'))).toContain('Acme');
      await client.close();
    }
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(await healthOf(port)).toBe(1);
  });
});
