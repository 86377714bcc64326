import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeClusters, openClusters } from '../../src/cli/wiring/real-clusters.ts';
import { engineProvider } from '../../src/platform/runtime-providers.ts';
import { temporaryDirectory } from '../support/built-program.ts';

/** Opens a clusters file with one cluster. @param files beside it, by their names */
const open = async (
  images: string,
  cluster = '',
  engine = '"unix:///nowhere.sock"',
  files: Readonly<Record<string, string>> = {},
) => {
  const directory = await temporaryDirectory();
  const clustersFile = join(directory, 'clusters.yaml');
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  await writeFile(clustersFile, `clusters: { local: { engine: ${engine}${cluster} } }\nimages: { ${images} }\n`);
  return openClusters({ runtime: 'docker', engine: '', engineTlsDir: undefined, domain: 'localhost', clustersFile });
};

test.each([
  'mysql: docker.io/library/mariadb:11',
  '"postgresql:16": "registry.example.com:5000/pinned:16.4"',
  'redis: localhost/redis',
])('images of databases are taken: %s', async (images) => {
  const opened = await open(images);
  expect(opened?.realClusters.clusters).toHaveLength(1);
  await opened?.close();
});

test.each([
  ['oracle: docker.io/library/oracle', /must be postgresql, mysql, mongodb or redis/],
  ['mysql: library/mariadb', /must be an image with its registry/],
  ['mysql: "mariadb:11"', /must be an image with its registry/],
])('others are refused with a reason: %s', async (images, why) => {
  await expect(open(images)).rejects.toThrow(why);
});

const given = { engine: '', engineTlsDir: undefined, clustersFile: 'clusters.yaml' };

test('a clusters file for a platform that simulates, and a domain beside it, are refused: neither would have an effect', async () => {
  await expect(openClusters({ ...given, runtime: 'simulated', domain: 'localhost' })).rejects.toThrow(
    'The clusters file clusters.yaml is given, and nothing would run on its clusters: the runtime is simulated. Add --runtime docker',
  );
  await expect(openClusters({ ...given, runtime: 'docker', domain: 'apps.example.com' })).rejects.toThrow(
    'write "domain: apps.example.com" for each cluster in clusters.yaml',
  );
});

const tls = ', tls: { ca: ca.pem, cert: cert.pem, key: key.pem }';
const pem = '-----BEGIN CERTIFICATE-----\n';
const tlsFiles = { 'ca.pem': pem, 'cert.pem': pem, 'key.pem': pem };

test("a cluster may have the addresses of several managers, for which the TLS files are that aren't sockets", async () => {
  const opened = await open('', tls, '["unix:///nowhere.sock", "tcp://10.0.0.7:2376"]', tlsFiles);
  expect(opened?.realClusters.clusters[0]).toMatchObject({
    description: 'Managers of a Docker swarm: unix:///nowhere.sock, tcp://10.0.0.7:2376',
  });
  await opened?.close();
});

test.each([
  ['[]', /can't be used/],
  ['["unix:///a.sock", "unix:///a.sock"]', /must contain each address only once/],
  ['["unix:///a.sock", "tcp://10.0.0.7:2376"]', /no TLS files/],
  ['["unix:///a.sock", "ssh://b"]', /can't be reached by ssh/],
  ['7', /must be an address such as/],
])('other addresses are refused: %s', async (engine, why) => {
  await expect(open('', '', engine)).rejects.toThrow(why);
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    'one that is not there',
    { 'ca.pem': pem, 'key.pem': pem },
    /^The engine of the cluster "local" can't be used: The TLS file "cert" can't be read: \S+cert\.pem \(ENOENT: there is no such file\)\. Its address and TLS files are from \S+clusters\.yaml\.$/,
  ],
  ['one with something else in it', { ...tlsFiles, 'key.pem': 'a word' }, /The TLS file "key" is not in PEM format/],
])('TLS files are looked at before a platform starts: %s', async (_, files, why) => {
  await expect(open('', tls, '"tcp://10.0.0.7:2376"', files)).rejects.toThrow(why);
});

test.each([
  ', domain: apps.example.com, proxy: { http_port: 8080, https_port: 8443, bind: 192.0.2.1, email: ops@example.com }',
  ', domain: localhost',
  ', proxy: {}',
  ', proxy: { certificates: false }',
  ', domain: apps.example.com, proxy: { acme_directory: "https://ca.example.com/directory" }',
])('a cluster says how its public ports are served: %s', async (cluster) => {
  const opened = await open('', cluster);
  expect(opened?.realClusters.clusters).toHaveLength(1);
  await opened?.close();
});

test.each([
  ', domain: "https://apps.example.com"',
  ', domain: "apps.example.com:8080"',
  ', proxy: { http_port: 0 }',
  ', proxy: { bind: everywhere }',
  ', proxy: { port: 80 }',
  ', proxy: { acme_directory: "http://ca.example.com/directory" }',
  ', proxy: { acme_root_file: root.pem }',
])("what can't be served is refused: %s", async (cluster) => {
  await expect(open('', cluster)).rejects.toThrow(/clusters\.yaml can't be used/);
});

test.each([
  ', placement: { rules: [{ mode: PRODUCTION, kind: database, constraints: ["node.labels.disk==ssd", "node.hostname != node-3"] }], spread_over: zone }, failover: fast',
  ', placement: {}',
])('where instances run is taken: %s', async (cluster) => {
  const opened = await open('', cluster);
  expect(opened?.realClusters.clusters).toHaveLength(1);
  await opened?.close();
});

test.each([
  [', placement: { rules: [{ mode: LIVE, constraints: ["node.labels.a==b"] }] }', /PRODUCTION/],
  [
    ', placement: { rules: [{ constraints: ["disk=ssd"] }] }',
    /must be a constraint of the engine such as node\.labels\.disk==ssd/,
  ],
  [', placement: { rules: [{ constraints: [] }] }', /constraints/],
  [', placement: { rules: [{ team: a, constraints: ["node.role==worker"] }] }', /team/],
  [', failover: slow', /must be fast, or left out/],
])("and what it can't be is refused with a reason: %s", async (cluster, why) => {
  await expect(open('', cluster)).rejects.toThrow(why);
});

test('the root of an authority is read when the file is opened, and has to be a certificate', async () => {
  const root = join(await temporaryDirectory(), 'root.pem');
  const proxy = `, proxy: { acme_directory: "https://ca.example.com/directory", acme_root_file: "${root}" }`;
  await expect(open('', proxy)).rejects.toThrow(/ENOENT/);
  await writeFile(root, 'a key');
  await expect(open('', proxy)).rejects.toThrow(/has no certificate in PEM format/);
  await writeFile(root, '-----BEGIN CERTIFICATE-----\n');
  await (await open('', proxy))?.close();
});

/** How git servers are used, as a clusters file says. */
const gitIn = async (section: string) => {
  const clustersFile = join(await temporaryDirectory(), 'clusters.yaml');
  await writeFile(clustersFile, `clusters: { local: { engine: "unix:///nowhere.sock" } }\ngit: ${section}\n`);
  const options = { engine: '', engineTlsDir: undefined, domain: 'localhost', clustersFile };
  return (await describeClusters(options, await engineProvider())).shared.git;
};

test('tags of a git server from which versions may be taken are told by name, or by its beginning or end', async () => {
  expect(await gitIn('{ Git.example.com: { tags: [v*, release/1.0] } }')).toEqual({
    'git.example.com': { tags: ['v*', 'release/1.0'] },
  });
  for (const tag of ['', '-v', 'v*-*', 'a..b', 'v1.lock', 'a b', 'v1:x', '/v', 'v/', '^v', 'v?'])
    await expect(gitIn(`{ git.example.com: { tags: ["${tag}"] } }`)).rejects.toThrow(/must be the name of a tag/);
  await expect(gitIn('{ git.example.com: { tags: [] } }')).rejects.toThrow(/tags/);
});

/** Opens a clusters file with more sections. @param files beside it, by their names */
const openWith = async (sections: string, files: Readonly<Record<string, string>> = {}) => {
  const directory = await temporaryDirectory();
  const clustersFile = join(directory, 'clusters.yaml');
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  await writeFile(clustersFile, `clusters: { local: { engine: "unix:///nowhere.sock" } }\n${sections}\n`);
  const opened = await openClusters({
    runtime: 'docker',
    engine: '',
    engineTlsDir: undefined,
    domain: 'localhost',
    clustersFile,
  });
  await opened?.close();
  return opened!.realClusters;
};

test.each<[string, string, RegExp]>([
  [
    'a registry',
    'registries: { ours: { url: "https://registry.example.com", username: me, password_file: none } }',
    /^The password_file of the registry "ours" can't be read: \S+none \(ENOENT: there is no such file\)\.$/,
  ],
  [
    'a git server',
    'git: { git.example.com: { token_file: none } }',
    /^The token_file of the git server "git\.example\.com" can't be read: \S+none \(ENOENT: there is no such file\)\.$/,
  ],
  [
    'a receiver of alerts',
    'alerts: { receivers: { ops: { url_file: none } } }',
    /^The url_file of the receiver "ops" can't be read/,
  ],
  [
    'a Prometheus',
    'prometheus: { url: "http://p.example", token_file: none }',
    /^The token_file of "prometheus" can't be read/,
  ],
])('a file that is not there is named with what it is for: %s', async (_, text, why) => {
  await expect(openWith(text)).rejects.toThrow(why);
});

test.each([
  ['{ url: "registry.example.com" }', /must be an address with https:\/\/ or http:\/\/ before its host/],
  [
    '{ url: "https://registry.example.com", username: me }',
    /must have both username and password_file, or none of them/,
  ],
  [
    '{ url: "https://registry.example.com", password_file: password }',
    /must have both username and password_file, or none of them/,
  ],
])('a registry that can not be used is refused with a reason: %s', async (registry, why) => {
  await expect(openWith(`registries: { ours: ${registry} }`)).rejects.toThrow(why);
});

test.each([
  [String.raw`registries: { ours: { url: 'https://registry.example.com\@127.0.0.1' } }`, /must not hold backslashes/],
  ['registries: { ours: { url: "https://me@registry.example.com" } }', /must be an address with https/],
  ['registries: { ours: { url: "https://registry/ours" } }', /a host with a dot or a port/],
  [String.raw`prometheus: { url: 'http://prometheus.example\@127.0.0.1:9090' }`, /must not hold backslashes/],
  ['prometheus: { url: "http://me@prometheus.example" }', /without credentials, query or fragment/],
])('an address that programs would read in different ways is refused: %s', async (section, why) => {
  await expect(openWith(section)).rejects.toThrow(why);
});

test.each([
  [', build_registry: registry', /must be a host with a dot or its port/],
  [', build_registry: registry/ours', /must be a host with a dot or its port/],
  [String.raw`, proxy: { acme_directory: 'https://ca.example.com\@127.0.0.1/directory' }`, /must not hold backslashes/],
])('and so is one of a cluster: %s', async (cluster, why) => {
  await expect(open('', cluster)).rejects.toThrow(why);
});

test('a clusters file has a cluster, and has to be there', async () => {
  const clustersFile = join(await temporaryDirectory(), 'clusters.yaml');
  const opening = () =>
    openClusters({ runtime: 'docker', engine: '', engineTlsDir: undefined, domain: 'localhost', clustersFile });
  await expect(opening()).rejects.toThrow(
    `The clusters file can't be read: ${clustersFile} (ENOENT: there is no such file).`,
  );
  for (const text of ['clusters: {}', 'clusters:', 'clusters: []']) {
    await writeFile(clustersFile, text);
    await expect(opening()).rejects.toThrow(/must have at least one cluster/);
  }
});

test('a Prometheus is known by its address and credentials, or only fetches', async () => {
  expect((await openWith('')).prometheus).toBeUndefined();
  expect((await openWith('prometheus: {}')).prometheus).toEqual({});
  expect(
    (await openWith('prometheus: { url: "http://127.0.0.1:9090/below/", token_file: token }', { token: 'abc\n' }))
      .prometheus,
  ).toEqual({ evaluation: { url: 'http://127.0.0.1:9090/below', authorization: 'Bearer abc' } });
  expect(
    (
      await openWith('prometheus: { url: "https://p.example", username: me, password_file: password }', {
        password: 'pw',
      })
    ).prometheus?.evaluation?.authorization,
  ).toBe(`Basic ${btoa('me:pw')}`);
});

test.each([
  '{ url: "ftp://p.example" }',
  '{ url: "http://me:pw@p.example" }',
  '{ token_file: token }',
  '{ url: "http://p.example", username: me }',
  '{ url: "http://p.example", adress: x }',
  '{ url: "http://p.example?x=1" }',
])('a Prometheus that can not be used is refused: %s', async (text) => {
  await expect(openWith(`prometheus: ${text}`)).rejects.toThrow(/clusters\.yaml can't be used/);
});

const receivers = 'receivers: { ops: { url_file: ops.url, kind: SLACK } }';
const rules = (
  more: string,
  { cluster = 'local', receiver = 'ops', condition = 'infra_service_memory_limit_ratio' } = {},
): string => `rules: { full: { cluster: ${cluster}, condition: "${condition}", receivers: [${receiver}]${more} } }`;
const files = { 'ops.url': 'https://hooks.example.com/secret\n' };

test('alert rules and their receivers are read, with defaults', async () => {
  const { alerts } = await openWith(
    `alerts: { ${receivers}, ${rules(', operator: ABOVE, threshold: 0.9, summary: Memory is short')} }`,
    files,
  );
  expect(alerts).toEqual({
    receivers: [{ name: 'ops', kind: 'SLACK', url: 'https://hooks.example.com/secret' }],
    rules: [
      {
        name: 'full',
        cluster: 'local',
        description: '',
        severity: 'MEDIUM',
        for_duration: 'PT5M',
        receivers: ['ops'],
        presentation: { summary: 'Memory is short' },
        condition: {
          kind: 'CUSTOM',
          promql: 'infra_service_memory_limit_ratio',
          operator: 'ABOVE',
          threshold: 0.9,
          function: 'NONE',
        },
      },
    ],
  });
});

test.each([
  [rules('', { cluster: 'other' }), /the cluster "other", which the file doesn't have/],
  [rules('', { receiver: 'nobody' }), /tells "nobody", which is not among its receivers/],
  [rules(', operator: MORE'), /can't be used/],
  [rules(', for: 5m'), /can't be used/],
])('alert rules that can not be used are refused: %s', async (text, why) => {
  await expect(openWith(`alerts: { ${receivers}, ${text} }`, files)).rejects.toThrow(why);
});

test('the address of a receiver is not shown when it can not be used', async () => {
  const failure = await openWith(`alerts: { ${receivers} }`, { 'ops.url': 'secret without scheme' }).then(
    () => '',
    (error: Error) => error.message,
  );
  expect(failure).toContain('must hold the http or https address of the receiver "ops"');
  expect(failure).not.toContain('secret without');
});

test.each([
  ', registry: {}',
  ', registry: { port: 5077, image: "registry.example.com/registry:2", clean_hours: 12 }',
  ', build_registry: "registry.example.com/built"',
])('a cluster says where its built images are: %s', async (cluster) => {
  await (await open('', cluster))?.close();
});

test.each([
  [
    ', registry: {}, build_registry: "registry.example.com"',
    /must have registry \(one that the platform runs\) or build_registry \(one of your own\), not both/,
  ],
  [', registry: { port: 80 }', /registry\.port/],
  [', registry: { clean_hours: 0 }', /clean_hours/],
  [', registry: { host: "127.0.0.1" }', /clusters\.local\.registry\.host: is not known; /],
])("what can't be a registry is refused: %s", async (cluster, why) => {
  await expect(open('', cluster)).rejects.toThrow(why);
});
