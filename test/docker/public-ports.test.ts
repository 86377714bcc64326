import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createDockerNetwork,
  createDockerService,
  deleteDockerService,
  inspectDockerContainer,
  listDockerConfigs,
  listDockerContainers,
  listDockerNetworks,
  listDockerSecrets,
  listDockerServices,
  listDockerVolumes,
  removeDockerContainer,
} from '../../src/platform/runtime/docker/api/index.ts';
import { systemRandom } from '../../src/platform/common/index.ts';
import { createProxy } from '../../src/platform/runtime/docker/proxy/proxy.ts';
import { proxySettings } from '../../src/platform/runtime/docker/proxy/settings.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { askProxy, keepAsking } from '../support/docker/public-requests.ts';
import { proxyImage } from '../support/docker/test-images.ts';
import type { Json } from '../support/test-platform.ts';
import { isLanding } from '../suites.ts';

const port = 8880;
let docker: DockerPlatform;
beforeAll(async () => {
  docker = await startDockerPlatform({ proxy: { httpPort: port } });
  await docker.publish('shell', '1');
});
afterAll(() => docker?.end());

const timeoutMilliseconds = 120_000;
const ask = (host: string, path = '/') => askProxy({ host, port, path, timeoutMilliseconds });
const noService = { status: 404, text: 'No service has this address.\n' };

const publicPort = (number = 8080, more: Json = {}): Json => ({
  internal_port: number,
  publicly_accessible: true,
  ...more,
});

/** The script of a page that says a text, to GET and to POST. */
const page = (text: string): string =>
  `mkdir -p /www/cgi-bin; echo ${text} > /www/index.html; printf '#!/bin/sh\\necho; echo ${text}\\n' > /www/cgi-bin/say; chmod +x /www/cgi-bin/say; exec httpd -f -p 8080 -h /www`;

/**
 * The same, of a program that answers the requests that it has before it ends. A machine may be busy, and each takes
 * its time.
 */
const finishingPage = (text: string): string =>
  `${page(text).replace('exec httpd', 'httpd')} & pid=$!; trap 'sleep 3; kill $pid; while pidof httpd > /dev/null; do sleep 0.1; done; exit 0' TERM; wait`;

/** Creates a container with a public port. */
const container = (name: string, text: string, more: Json = {}): Promise<string> =>
  docker.container(name, page(text), { ports: [publicPort()], ...more });

/** Deploys one, which has to end well. */
const deploy = async (id: string): Promise<void> => {
  const status = await docker.act('deploy', id);
  expect(status, (await docker.messages(id)).join('\n')).toMatchObject({ state: 'DEPLOYED' });
};

/** The same as `container`, deployed. */
const deployed = async (...of: Parameters<typeof container>): Promise<string> => {
  const id = await container(...of);
  await deploy(id);
  return id;
};

const linksOf = async (id: string): Promise<unknown[]> =>
  ((await docker.platform.must('get_container_links', { container_id: id }))['results'] as Json[]).map(
    ({ url }) => url,
  );

const proxies = () => listDockerContainers(docker.engine.docker, { label: ['io.infra-mcp.proxy'] });
const idsOfProxies = async (): Promise<string[]> => (await proxies()).map(({ Id }) => Id);

test('a public port answers at its address until its service is stopped, and again; other addresses say that nothing is there', async () => {
  const id = await container('web', 'one');
  expect(await linksOf(id)).toEqual([]);
  await deploy(id);
  expect(await linksOf(id)).toEqual([`http://web-staging.localhost:${port}`]);
  expect(await ask('web-staging.localhost')).toEqual({ status: 200, text: 'one\n' });
  expect(await ask('another.localhost')).toEqual(noService);
  expect(await docker.messages(id)).toContain(`http://web-staging.localhost:${port} answers`);
  await docker.act('stop', id);
  expect(await ask('web-staging.localhost')).toEqual(noService);
  await deploy(id);
  expect(await ask('web-staging.localhost')).toEqual({ status: 200, text: 'one\n' });
  // A version that is reached from inside only loses the address.
  await docker.change(id, { ports: [{ internal_port: 8080 }] });
  await deploy(id);
  expect(await linksOf(id)).toEqual([]);
  await expect(ask('web-staging.localhost')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a path that somebody has chosen tells nothing of the proxy', async () => {
  const script =
    "mkdir -p /www/cgi-bin; printf '#!/bin/sh\\necho; echo $PATH_INFO\\n' > /www/cgi-bin/say; chmod +x /www/cgi-bin/say; exec httpd -f -p 8080 -h /www";
  const curious = await docker.container('curious', script, {
    ports: [publicPort(8080, { public_path: '/a', public_path_rewrite: '/cgi-bin/say/{env.HOME}' })],
  });
  await deploy(curious);
  const { status, text } = await ask('curious-staging.localhost', '/a/b');
  expect([status, decodeURIComponent(text)]).toEqual([200, '/{env.HOME}/b\n']);
});

test.skipIf(isLanding)(
  'every port has an address, paths and domains of a service too, and those of two services are never the same',
  async () => {
    const other = await docker.environment('web-staging');
    const blue = await container('blue-web', 'first', {
      ports: [
        publicPort(8080, { is_default: true }),
        publicPort(8081, { name: 'admin', public_path: '/say', public_path_rewrite: '/cgi-bin/say' }),
      ],
    });
    await docker.change(blue, {
      arguments: ['-c', page('first').replace('exec httpd', 'httpd -p 8081 -h /www; exec httpd')],
    });
    await docker.platform.must('create_container_domain', {
      container_id: blue,
      domain: 'Shop.Example.com',
      generate_certificate: true,
    });
    await deploy(blue);
    const clash = await container('blue', 'second', { environment_id: other });
    await deploy(clash);
    expect(await linksOf(blue)).toEqual([
      `http://blue-web-staging.localhost:${port}`,
      `http://admin-blue-web-staging.localhost:${port}/say`,
    ]);
    const [link] = (await linksOf(clash)) as [string];
    expect(link).toBe(`http://blue-web-staging-${clash.slice(0, 8)}.localhost:${port}`);
    expect(
      await Promise.all([
        ask('blue-web-staging.localhost'),
        ask(new URL(link).hostname),
        ask('admin-blue-web-staging.localhost', '/say'),
        ask('admin-blue-web-staging.localhost'),
        ask('shop.example.com'),
      ]),
    ).toEqual(
      ['first', 'second', 'first', undefined, 'first'].map((text) =>
        text === undefined ? noService : { status: 200, text: `${text}\n` },
      ),
    );
    expect(await docker.platform.must('get_container_domain_check', { container_id: blue })).toMatchObject({
      results: [{ domain_name: 'shop.example.com', error_details: expect.any(String) }],
    });
    const [domain] = (await docker.platform.must('list_container_domains', { container_id: blue }))[
      'results'
    ] as Json[];
    expect(domain!['validation_domain']).toBe(`${blue.slice(0, 8)}.localhost`);
    await docker.platform.must('delete_container_domain', { container_id: blue, custom_domain_id: domain!['id'] });
    expect(await docker.platform.must('get_container_status', { container_id: blue })).toMatchObject({
      service_deployment_status: 'OUT_OF_DATE',
    });
    await deploy(blue);
    expect(await ask('shop.example.com')).toEqual(noService);
  },
);

const askHeld = () => Promise.all(['own', 'any'].map((label) => ask(`${label}.held.example.com`)));

test.skipIf(isLanding)(
  'the address of a stopped service stays its own, also where another one has a name with a star for it',
  async () => {
    const named = async (name: string, domain: string) => {
      const id = await container(name, name);
      await docker.platform.must('create_container_domain', { container_id: id, domain, generate_certificate: false });
      await deploy(id);
      return id;
    };
    await named('starred', '*.held.example.com');
    const own = await named('held', 'own.held.example.com');
    expect(await askHeld()).toEqual([
      { status: 200, text: 'held\n' },
      { status: 200, text: 'starred\n' },
    ]);
    await docker.act('stop', own);
    await expect.poll(askHeld).toEqual([noService, { status: 200, text: 'starred\n' }]);
    const { status, text } = await docker.platform.call('create_container_domain', {
      container_id: own,
      domain: 'starred-staging.localhost',
      generate_certificate: false,
    });
    expect([status, text]).toEqual([400, expect.stringContaining('lies below localhost')]);
  },
);

test("what is public is not reached from other environments but at its address, and neither is the proxy's administration", async () => {
  const id = await deployed('private', 'inside');
  const { engine } = docker;
  const [instance] = await listDockerContainers(engine.docker, {
    label: [`io.infra-mcp.service=${id}`],
    status: ['running'],
  });
  const {
    NetworkSettings: { Networks },
  } = await inspectDockerContainer(engine.docker, instance!.Id);
  const address = Object.values(Networks)[0]!.IPAddress;
  const other = await docker.environment('apart');
  const tries = [`http://${address}:8080/`, 'http://private:8080/', `http://infra-${id}:8080/`]
    .map((url) => `wget -q -T 1 -O /dev/null ${url} && echo "reached ${url}"`)
    .join('; ');
  // The gateway of its own network leads to nothing either.
  const spy = await docker.container(
    'spy',
    `${tries}; for port in 2019 8080; do nc -w 1 $(hostname -i | cut -d. -f1-3).1 $port < /dev/null && echo reached gateway; done; echo tried all; exec httpd -f -p 8080 -h /bin`,
    { environment_id: other, ports: [publicPort()] },
  );
  await deploy(spy);
  const said = await docker.messages(spy);
  expect(said).toContain('tried all');
  expect(said.filter((line) => line.startsWith('reached'))).toEqual([]);
  const [proxy] = await proxies();
  expect(Object.keys((await inspectDockerContainer(engine.docker, proxy!.Id)).NetworkSettings.Networks)).toEqual(
    expect.arrayContaining([`infra-${docker.environmentId}`, `infra-${other}`]),
  );
});

const answers = () => ask('lasting-staging.localhost').catch(() => undefined);

test.skipIf(isLanding)(
  'a proxy that dies is back with its routes, and one that somebody removes too; neither needs a deployment',
  async () => {
    await deployed('lasting', 'still here');
    const [first] = await proxies();
    const { State } = await inspectDockerContainer(docker.engine.docker, first!.Id);
    process.kill((State as { Pid?: number }).Pid!, 'SIGKILL');
    await expect.poll(answers).toEqual({ status: 200, text: 'still here\n' });
    expect((await proxies())[0]!.Id).toBe(first!.Id);
    await removeDockerContainer(docker.engine.docker, first!.Id);
    await expect.poll(answers).toEqual({ status: 200, text: 'still here\n' });
  },
);

test.skipIf(isLanding)(
  'a port that nothing listens on fails the deployment in words, and the version before serves on',
  async () => {
    const id = await deployed('mistaken', 'one');
    const ports = [{ internal_port: 8080, is_default: true }, publicPort(9090)];
    await docker.change(id, { ports, arguments: ['-c', page('two')] });
    expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
    expect((await docker.messages(id)).join('\n')).toMatch(
      /does not answer: no instance takes connections on port 9090\./,
    );
    await expect.poll(() => ask('mistaken-staging.localhost')).toEqual({ status: 200, text: 'one\n' });
    expect(await linksOf(id)).toEqual([`http://mistaken-staging.localhost:${port}`]);
  },
);

test('no request fails during rollouts, restarts, and a version that fails', async () => {
  const id = await deployed('steady', 'one', {
    arguments: ['-c', finishingPage('one')],
    min_running_instances: 2,
    max_running_instances: 2,
  });
  const asking = keepAsking({ host: 'steady-staging.localhost', port, path: '/cgi-bin/say', timeoutMilliseconds });
  await docker.change(id, { arguments: ['-c', finishingPage('two')] });
  await deploy(id);
  await docker.change(id, { arguments: ['-c', 'sleep 1; exit 3'] });
  expect(await docker.act('deploy', id)).toMatchObject({ state: 'DEPLOYMENT_ERROR' });
  expect(await docker.act('restart', id)).toMatchObject({ state: 'RESTARTED' });
  await docker.change(id, { arguments: ['-c', finishingPage('three')] });
  await deploy(id);
  const { sent, failures, texts, seconds } = await asking.end();
  console.log(`${sent} requests in ${seconds.toFixed(1)} s, ${failures.length} failures`);
  expect(failures).toEqual([]);
  expect(texts).toEqual(['one\n', 'two\n', 'three\n']);
});

test.skipIf(isLanding)(
  'public ports are served while the platform is away, and by its next process; in the end nothing stays behind',
  async () => {
    const { engine } = docker;
    await docker.restartPlatform();
    expect(await ask('lasting-staging.localhost')).toEqual({ status: 200, text: 'still here\n' });
    await deployed('later', 'after it');
    expect(await ask('later-staging.localhost')).toEqual({ status: 200, text: 'after it\n' });
    const environments = (await listDockerNetworks(engine.docker, { label: ['io.infra-mcp.environment'] })).map(
      ({ Labels }) => Labels!['io.infra-mcp.environment'],
    );
    expect(environments.length).toBeGreaterThan(1);
    for (const id of environments) await docker.platform.must('delete_environment', { environment_id: id });
    const label = ['io.infra-mcp.platform'];
    const left = async () => [
      ...(await listDockerServices(engine.docker, { label })),
      ...(await listDockerNetworks(engine.docker, { label })),
      ...(await listDockerSecrets(engine.docker, { label })),
      ...(await listDockerConfigs(engine.docker, { label })),
      ...(await listDockerVolumes(engine.docker, { label })),
      ...(await listDockerContainers(engine.docker, { label })),
    ];
    await expect.poll(left).toEqual([]);
  },
);

test('a domain that others reach is served with certificates, which plain requests are sent on to', async () => {
  const {
    engine: { docker: client },
  } = docker;
  // The platform of the other tests has its own.
  const before = await idsOfProxies();
  const platformId = systemRandom.uuid();
  const { id, environmentId } = { id: systemRandom.uuid(), environmentId: systemRandom.uuid() };
  const proxy = createProxy({
    docker: client,
    platformId,
    now: () => Date.now(),
    credentialsFor: () => undefined,
    // Certificates for such a name are the proxy's own: no authority is asked.
    settings: proxySettings({
      domain: 'apps.local',
      bind: '127.0.0.1',
      httpPort: 8881,
      httpsPort: 8843,
      image: proxyImage,
      email: 'somebody@example.com',
    }),
  });
  const { signal } = new AbortController();
  const routes = await proxy.routesFor(
    { id, name: 'safe', ports: [{ ...publicPort(), is_default: true }] } as unknown as Parameters<
      typeof proxy.routesFor
    >[0],
    { environmentName: 'live' },
    signal,
  );
  const labels = { 'io.infra-mcp.platform': platformId, 'io.infra-mcp.environment': environmentId };
  await createDockerNetwork(client, {
    Name: `infra-${environmentId}`,
    Driver: 'overlay',
    Attachable: true,
    Labels: labels,
  });
  const service = await createDockerService(client, {
    Name: `infra-${id}`,
    Labels: { ...labels, 'io.infra-mcp.routes': JSON.stringify(routes) },
    EndpointSpec: { Mode: 'dnsrr' },
    TaskTemplate: {
      ContainerSpec: { Image: 'infra-mcp-test/shell:1', Command: ['sh', '-c'], Args: [page('safely')], Init: true },
      Networks: [{ Target: `infra-${environmentId}` }],
    },
  });
  await proxy.sync(signal);
  const host = 'safe-live.apps.local';
  await expect
    .poll(() => askProxy({ host, port: 8843, path: '/', isSecure: true }).catch(String))
    .toEqual({ status: 200, text: 'safely\n' });
  expect(await askProxy({ host, port: 8881, path: '/a?b=c' })).toMatchObject({
    status: 308,
    location: `https://${host}:8843/a?b=c`,
  });
  await deleteDockerService(client, service);
  await proxy.sync(signal);
  expect(await idsOfProxies()).toEqual(before);
});
