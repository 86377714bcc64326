import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openClusters } from '../../src/cli/wiring/real-clusters.ts';
import { temporaryDirectory } from '../support/built-program.ts';

const open = async (images: string, cluster = '') => {
  const clustersFile = join(await temporaryDirectory(), 'clusters.yaml');
  await writeFile(clustersFile, `clusters: { local: { engine: "unix:///nowhere.sock"${cluster} } }\nimages: { ${images} }\n`);
  return openClusters({ runtime: 'docker', engine: '', engineTlsDir: undefined, domain: 'localhost', clustersFile });
};

test.each(['mysql: docker.io/library/mariadb:11', '"postgresql:16": "registry.example.com:5000/pinned:16.4"', 'redis: localhost/redis'])('images of databases are taken: %s', async (images) => {
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

test.each([', domain: apps.example.com, proxy: { http_port: 8080, https_port: 8443, bind: 192.0.2.1, email: ops@example.com }', ', domain: localhost', ', proxy: {}', ', domain: apps.example.com, proxy: { acme_directory: "https://ca.example.com/directory" }'])('a cluster says how its public ports are served: %s', async (cluster) => {
  const opened = await open('', cluster);
  expect(opened?.realClusters.clusters).toHaveLength(1);
  await opened?.close();
});

test.each([', domain: "https://apps.example.com"', ', domain: "apps.example.com:8080"', ', proxy: { http_port: 0 }', ', proxy: { bind: everywhere }', ', proxy: { port: 80 }', ', proxy: { acme_directory: "http://ca.example.com/directory" }', ', proxy: { acme_root_file: root.pem }'])('what can\'t be served is refused: %s', async (cluster) => {
  await expect(open('', cluster)).rejects.toThrow(/clusters\.yaml can't be used/);
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
