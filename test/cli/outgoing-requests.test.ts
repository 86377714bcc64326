import { writeFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram, startAssistant, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { startHttpsHost } from '../support/https-host.ts';

// What sends requests is loaded with the first one, so only a call shows whether the bundle has it.

const token = 'the-token-of-the-platform';

/** The projects that an assistant sees on a new platform at an address, and what its server wrote to stderr. */
async function projectsAt(url: string, env: Record<string, string> = {}) {
  const { call, stderr } = await startAssistant({
    INFRA_BASE_URL: url,
    INFRA_API_TOKEN: token,
    INFRA_DATA_DIR: await temporaryDirectory(),
    ...env,
  });
  const { data, failed, text } = await call('list_projects');
  expect(failed, text).toBe(false);
  return { projects: data['results'], stderr: stderr() };
}

const startPlatform = async () =>
  (await startPlatformProgram(['--data-dir', await temporaryDirectory(), '--token', token])).ready;

const someProject = [expect.objectContaining({ name: expect.any(String) as string })];

test('the program reaches a platform', async () => {
  const { url } = await startPlatform();
  const { projects, stderr } = await projectsAt(url, { https_proxy: '', http_proxy: '', no_proxy: '10.0.0.0/99' });
  expect(projects).toEqual(expect.arrayContaining(someProject));
  expect(stderr).not.toContain('no_proxy');
});

test('the program reaches a platform through a proxy, with an authority of its own', async () => {
  const { url } = await startPlatform();
  const { port, authority } = await startHttpsHost('platform.test', (request, response) => {
    const onwards = send(url + request.url, { method: request.method, headers: request.headers });
    onwards.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)));
    request.pipe(onwards);
  });
  const proxy = await startForwardProxy({ hosts: { 'platform.test:443': port } });
  const certificate = join(await temporaryDirectory(), 'authority.pem');
  await writeFile(certificate, authority);
  const { projects, stderr } = await projectsAt('https://platform.test', {
    https_proxy: proxy.url,
    no_proxy: '192.168.*,10.0.0.0/99',
    NODE_EXTRA_CA_CERTS: certificate,
  });
  expect(projects).toEqual(expect.arrayContaining(someProject));
  expect(proxy.requests).toContain('CONNECT platform.test:443');
  expect(stderr.match(/^warning: Entry 2 of no_proxy .*$/gm)).toHaveLength(1);
});

test('doctor platform says how the servers of a clusters file are reached', async () => {
  const clustersFile = join(await temporaryDirectory(), 'clusters.yaml');
  await writeFile(
    clustersFile,
    JSON.stringify({
      clusters: { local: { engine: 'unix:///nowhere.sock' } },
      registries: { own: { url: 'https://registry.test:5000' } },
      git: { 'git.test': { private: true }, 'git.inside.test': {} },
      prometheus: { url: 'http://metrics.test:9090' },
    }),
  );
  const { stdout } = await runProgram(['doctor', 'platform', '--json', '--clusters-file', clustersFile], {
    https_proxy: 'http://user:geheim@127.0.0.1:1',
    no_proxy: 'git.inside.test',
    INFRA_DATA_DIR: await temporaryDirectory(),
  });
  const { findings } = JSON.parse(stdout) as { findings: readonly { check: string; says: string }[] };
  expect(findings.filter(({ check }) => check === 'proxy').map(({ says }) => says)).toEqual([
    expect.stringContaining('all requests over https go through http://127.0.0.1:1'),
    'Prometheus at metrics.test:9090: without a proxy',
    'the registry "own" at registry.test:5000: http://127.0.0.1:1',
    'the git server at git.test: http://127.0.0.1:1',
    'the git server at git.inside.test: without a proxy',
  ]);
  expect(stdout).not.toContain('geheim');
});
