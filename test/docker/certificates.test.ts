import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  copyToDockerContainer,
  execInDockerContainer,
  listDockerContainers,
  readDockerContainerLogs,
} from '../../src/platform/runtime/docker/api/index.ts';
import { tarArchive } from '../../src/platform/runtime/docker/tar.ts';
import { type AcmeServer, startAcmeServer } from '../support/docker/acme-server.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { askProxy, type PublicAnswered } from '../support/docker/public-requests.ts';

const domain = 'apps.example.test';
const hostOf = (name: string): string => `${name}-staging.${domain}`;
const own = 'shop.example.test';

/** Authorities ask for the proof of who has a host name at these. */
const ports = { http: 80, https: 443 } as const;

let docker: DockerPlatform;
let acme: AcmeServer;
beforeAll(async () => {
  acme = await startAcmeServer(['first', 'second', 'third'].map(hostOf).concat(own));
  docker = await startDockerPlatform({
    proxy: {
      domain,
      httpPort: ports.http,
      httpsPort: ports.https,
      authority: { directory: acme.directory, root: acme.root },
    },
  });
  await docker.publish('shell', '1');
});
afterAll(async () => {
  await docker?.end();
  await acme?.end();
});

/** Sends a request that only a certificate of the authority satisfies. */
const askSecurely = (host: string): Promise<PublicAnswered> =>
  askProxy({ host, port: ports.https, path: '/', isSecure: true, authority: acme.root });

/** Creates a container with a page that says its name, and a public port. */
const container = (name: string): Promise<string> =>
  docker.container(name, `mkdir -p /www; echo ${name} > /www/index.html; exec httpd -f -p 8080 -h /www`, {
    ports: [{ internal_port: 8080, publicly_accessible: true }],
  });

/** What the proxy logged, for failures of the test. */
async function logOfProxy(): Promise<string> {
  const [proxy] = await listDockerContainers(docker.engine.docker, { label: ['io.infra-mcp.proxy'] });
  const lines: string[] = [];
  for await (const { text } of readDockerContainerLogs(docker.engine.docker, proxy!.Id)) lines.push(text);
  return lines.join('\n');
}

/** Gives the proxy another configuration than the platform did. It holds until the next change of the routes. */
async function changeConfig(change: (config: string) => string): Promise<void> {
  const { docker: client } = docker.engine;
  const [proxy] = await listDockerContainers(client, { label: ['io.infra-mcp.proxy'] });
  const archive: Buffer[] = [];
  for await (const chunk of await client.stream({
    method: 'GET',
    path: `/containers/${proxy!.Id}/archive`,
    query: { path: '/infra-proxy/config.json' },
  }))
    archive.push(chunk);
  const before = /\{.*\}/.exec(Buffer.concat(archive).toString('utf8'))![0];
  const after = change(before);
  expect(after).not.toBe(before);
  await copyToDockerContainer(client, proxy!.Id, '/', tarArchive('infra-proxy', 'changed.json', Buffer.from(after)));
  const { output, exitCode } = await execInDockerContainer(client, proxy!.Id, {
    command: ['caddy', 'reload', '--config', '/infra-proxy/changed.json', '--address', 'unix//run/admin/admin.sock'],
  });
  // oxlint-disable-next-line no-unused-vars
  for await (const _ of output) continue;
  expect(await exitCode()).toBe(0);
}

test('a domain that others reach gets certificates of an authority, for a service and for its own domain', async () => {
  const id = await container('first');
  await docker.platform.must('create_container_domain', { container_id: id, domain: own, generate_certificate: true });
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  const said = await docker.messages(id);
  expect(said, await logOfProxy()).toEqual(
    expect.arrayContaining([`https://${hostOf('first')} answers`, `https://${own} answers`]),
  );
  for (const host of [hostOf('first'), own]) expect(await askSecurely(host)).toEqual({ status: 200, text: 'first\n' });
  expect(await askProxy({ host: own, port: ports.http, path: '/a' })).toMatchObject({
    status: 308,
    location: `https://${own}/a`,
  });
});

test('an authority that fails is told, and stops neither other hosts nor plain http', async () => {
  await acme.stop();
  const id = await container('second');
  await docker.platform.must('create_container_domain', {
    container_id: id,
    domain: 'plain.example.test',
    generate_certificate: false,
  });
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYED' });
  const said = await docker.messages(id);
  expect(
    said.find((line) => line.includes('has no certificate yet')),
    `${said.join('\n')}\n${await logOfProxy()}`,
  ).toMatch(new RegExp(`^https://${hostOf('second')} has no certificate yet: .*The proxy says: .*connection refused`));
  await expect(askSecurely(hostOf('second'))).rejects.toThrow();
  expect(await askSecurely(hostOf('first'))).toEqual({ status: 200, text: 'first\n' });
  expect(await askProxy({ host: 'plain.example.test', port: ports.http, path: '/' })).toEqual({
    status: 200,
    text: 'second\n',
  });
});

test('a certificate that was missing comes once the authority is back, by a proof over plain http too', async () => {
  await acme.start();
  // A changed configuration lets the proxy try again at once; by itself it does after one minute, and then two.
  await changeConfig((config) =>
    config.replace('"module":"acme"', '"module":"acme","challenges":{"tls-alpn":{"disabled":true}}'),
  );
  await expect
    .poll(() => askSecurely(hostOf('second')).catch(String), { interval: 300, timeout: 400_000 })
    .toEqual({ status: 200, text: 'second\n' });
  const third = await container('third');
  expect(await docker.act('deploy', third)).toMatchObject({ state: 'DEPLOYED' });
  expect(await docker.messages(third)).toContain(`https://${hostOf('third')} answers`);
  expect(await askSecurely(hostOf('third'))).toEqual({ status: 200, text: 'third\n' });
});
