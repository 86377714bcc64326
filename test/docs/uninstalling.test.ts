import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { systemRandom } from '../../src/platform/common/index.ts';
import { builtRepository } from '../../src/platform/runtime/docker/names.ts';
import { platformLabels } from '../../src/platform/runtime/docker/labels.ts';
import { secretsFile, unitName, unitUser } from '../../src/cli/systemd/unit-text.ts';
import { commandsOfPage, pageText } from './pages.ts';

const page = 'docs/uninstalling.md';
const lines = commandsOfPage(page)
  .map(({ text }) => text)
  .filter((text) => text.startsWith('docker '));

test('every kind of object that a platform makes is removed by its label', () => {
  const byLabel = `label=${Object.keys(platformLabels('any'))[0]}`;
  const removed = lines.flatMap((line) => {
    const { kind, listed } =
      /^docker (?<kind>\w+) rm .*\$\(docker (?<listed>\w+) ls .*--filter (?<filter>label=\S+)\)$/.exec(line)?.groups ??
      {};
    expect(listed).toBe(kind);
    return kind !== undefined && line.includes(`${byLabel})`) ? [kind] : [];
  });
  expect(removed).toEqual(['service', 'container', 'secret', 'config', 'network', 'volume']);
});

test.each([undefined, 'registry.example.com:5000', 'registry.example.com/built'])(
  'images that were built are found by their names, pushed to %s',
  (registry) => {
    const patterns = [...pageText(page).matchAll(/'reference=([^']+)'/g)].map(([, pattern]) => pattern!);
    const name = builtRepository(systemRandom.uuid(), { id: 'a3b2' }, registry);
    expect(patterns.some((pattern) => matchesGlob(name, pattern))).toBe(true);
  },
);

test('the service is that of the unit', () => {
  expect(pageText(page)).toContain(`sudo rm /etc/systemd/system/${unitName}.service`);
  for (const folder of [`/var/lib/${unitUser}`, `/var/cache/${unitUser}`, secretsFile.replace(/\/[^/]+$/, '')])
    expect(pageText(page)).toContain(folder);
});
