import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { skipDoors } from '../scripts/build/skip-doors.ts';

const root = join(import.meta.dirname, '..');

/** The files whose code runs before a server over stdio lists its tools. */
const first = ['src/main.ts', 'src/cli/commands/stdio.ts'];

/** Code that only calls need. It is loaded with the first of them. */
const later = [
  'src/analysis',
  'src/contract/conditions',
  'src/contract/documented',
  'src/contract/extensions',
  'src/contract/resources',
  'src/platform/engine',
  'src/server/audit',
  'src/server/guard',
  'src/server/redaction/recognition',
  'src/server/resolve',
  'src/telemetry/metrics',
  'src/transport/http/console',
];

// Several imports are on one line where they lead past a door.
const statement = /(?:^|; )(?:import|export) (?:(?<type>type )?(?<names>[^;'"]*?) from )?'(?<specifier>\.[^']+\.ts)'/gm;

/** Whether an import is of types only, and so no longer there when the program runs. */
const isOfTypes = (type: string | undefined, names: string | undefined): boolean => {
  const list = /^\{(?<list>[\s\S]*)\}$/.exec(names?.trim() ?? '')?.groups?.['list'];
  const listed = list?.split(',').filter((name) => name.trim() !== '');
  return type !== undefined || (listed !== undefined && listed.every((name) => name.trim().startsWith('type ')));
};

/** The files that a bundled start loads, each with the one that imports it. */
async function loadedAtStart(): Promise<Map<string, string | undefined>> {
  const past = skipDoors();
  const importers = new Map<string, string | undefined>(first.map((file) => [join(root, file), undefined]));
  for (const file of importers.keys()) {
    const source = await past(file, await readFile(file, 'utf8'));
    for (const { groups } of source.matchAll(statement)) {
      const imported = join(dirname(file), groups!['specifier']!);
      if (!isOfTypes(groups!['type'], groups!['names']) && !importers.has(imported)) importers.set(imported, file);
    }
  }
  return importers;
}

test('a start over stdio loads no code that only calls need', async () => {
  const importers = await loadedAtStart();
  const chain = (file: string | undefined): string[] =>
    file === undefined ? [] : [relative(root, file).replaceAll('\\', '/'), ...chain(importers.get(file))];
  const chains = [...importers.keys()].map(chain);
  expect(chains.length).toBeGreaterThan(30);
  // Each of them is parsed and run before a client gets its first answer, and stays in memory.
  expect(chains.filter(([file = '']) => later.some((folder) => file.startsWith(`${folder}/`)))).toEqual([]);
  expect(chains.length).toBeLessThanOrEqual(150);
});
