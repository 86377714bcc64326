import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isWithin, type Room, roomOf } from './rooms.ts';

const root = join(import.meta.dirname, '..');
// Where this checkout lies, and a host in halves: this file must not hold the words it looks for.
const forbiddenWords = [`${root}/`, ['registry.', 'npmjs'].join('')];

/** The source without comments that begin a line; those are the ones that show code. */
const withoutComments = (source: string): string => source.replaceAll(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*)/gm, '');

const statement = /(?:^|;)\s*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*(['"])(?<specifier>[^'"]+)\1/gm;
const call = /(?<![.\w])(?:import|require)\s*\(\s*(?:(['"])(?<specifier>[^'"]+)\1\s*\)(?<type>\.[A-Z])?)?/g;

/**
 * One import as written.
 * @param isLazy whether it is loaded by a call. An import whose target is computed has no specifier.
 */
interface Import {
  readonly specifier: string | undefined;
  readonly isLazy: boolean;
}

/** What a source imports, types included. */
const importsOf = (source: string): Import[] => {
  const code = withoutComments(source);
  const found = (pattern: RegExp, isLazy: boolean) =>
    [...code.matchAll(pattern)].map((match) => ({
      specifier: match.groups?.['specifier'],
      isLazy: isLazy && match.groups?.['type'] === undefined,
    }));
  return [...found(statement, false), ...found(call, true)];
};

/** What is wrong with one import of a file of this room; undefined when nothing is. */
const fault = (room: Room, path: string, { specifier, isLazy }: Import): string | undefined => {
  if (specifier === undefined) return `${path} imports a computed path, which nothing can check`;
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    if (!isWithin(target, room.mayImport)) return `${path} (${room.name}) may not import ${target}`;
    const entered = roomOf(target);
    if (entered === undefined || entered === room) return undefined;
    if (entered.onlyFor && !(isLazy && isWithin(path, entered.onlyFor)))
      return `${path} (${room.name}) may not import ${target}: only ${entered.onlyFor.join(', ')} may, with import()`;
    if (entered.door === target || (isLazy && entered.lazy?.includes(target))) return undefined;
    return `${path} (${room.name}) may not import ${target}: use ${entered.door ?? 'nothing'} of ${entered.name}`;
  }
  const allowed =
    room.packages?.some((name) => specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`)) ??
    true;
  return allowed ? undefined : `${path} (${room.name}) may not import the package ${specifier}`;
};

/** Every broken rule in one file, given its path from the root and its text. */
const faultsOf = (path: string, source: string): string[] => {
  const room = roomOf(path);
  if (room === undefined) return [`${path} belongs to no room`];
  return importsOf(source).flatMap((one) => fault(room, path, one) ?? []);
};

/** The code files below a folder: path from the root, with slashes, and text. */
const codeIn = (folder: string): { path: string; source: string }[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .map((name) => ({
      path: posix.join(folder, name.replaceAll('\\', '/')),
      source: readFileSync(join(root, folder, name), 'utf8'),
    }));

/** The lines of tracked text files that hold one of the words, as file:line:text. */
const linesWith = (words: string[]): string[] => {
  const { status, stdout, stderr } = spawnSync('git', ['grep', '-nIF', ...words.flatMap((word) => ['-e', word])], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0 && status !== 1) throw new Error(`git grep could not read the tracked files: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
};

const code = [...codeIn('src'), ...codeIn('tools')];

describe('the rooms', () => {
  test('import only what their arrows allow', () => {
    expect(code.flatMap(({ path, source }) => faultsOf(path, source))).toEqual([]);
  });

  test('are read: the contract is seen to import zod', () => {
    const contract = code.filter(({ path }) => path.startsWith('src/contract/'));
    expect(contract.flatMap(({ source }) => importsOf(source).map(({ specifier }) => specifier))).toContain('zod');
  });

  test.each([
    ['src/contract/states.ts', "import { readFile } from 'node:fs/promises';"],
    ['src/contract/states.ts', "import type { Call } from '../client/call.ts';"],
    ['src/client/call.ts', "import { tool } from '../server/tool/tool.ts';"],
    ['src/client/call.ts', "import '../cli/config/read-config.ts';"],
    ['src/server/protocol/server.ts', "import {\n  type Store,\n  open,\n} from '../../platform/store/store.ts';"],
    ['src/server/guard/policy/policy.ts', "const config = await import(\n  '../../cli/config/read-config.ts'\n);"],
    ['src/server/protocol/server.ts', "export * from '../../../tools/index.ts';"],
    ['src/server/protocol/server.ts', 'export const load = (name: string) => import(name);'],
    ['src/server/protocol/server.ts', 'export const load = (name: string) => import(`./${name}.ts`);'],
    ['src/analysis/search.ts', "import type { Call } from '../client/call.ts';"],
    ['src/platform/api/server.ts', "import { diagnose } from '../../analysis/diagnosis/diagnose.ts';"],
    ['src/platform/api/server.ts', "import { answer } from '../../server/answer.ts'"],
    ['src/platform/api/server.ts', "import a from 'fastify'; import { call } from '../../client/call.ts';"],
    ['src/platform/api/server.ts', "type Answer = import('../../server/answer.ts').Answer;"],
    ['src/platform/engine/context.ts', "import { createServer } from '../api/server.ts';"],
    ['src/platform/runtime/runtime.ts', "import type { Phase } from '../engine/lifecycle.ts';"],
    ['src/platform/seed/seed.ts', "import { applyScenario } from '../testing/scenarios/apply-scenario.ts';"],
    ['src/platform/testing/control/control.ts', "import type { PlatformServices } from '../../platform-services.ts';"],
    ['src/transport/http.ts', "import { start } from '../platform/http.ts';"],
    ['src/cli/config/read-config.ts', "import { run } from '../../main.ts';"],
    ['src/cli/commands/token.ts', "import { run } from '../../main.ts';"],
    ['tools/cluster/lock-cluster.ts', "import { run } from '../../src/server/call/run.ts';"],
    ['tools/cluster/lock-cluster.ts', "import { request } from 'undici';"],
    ['src/platform/runtime/docker/index.ts', "import fastify from 'fastify';"],
    ['src/platform/runtime/docker/index.ts', "import { openDatabase } from '../../store/index.ts';"],
    ['src/cli/commands/node.ts', "import { drainNode } from '../../platform/runtime/docker/index.ts';"],
    ['src/cli/wiring/real-clusters.ts', "const docker = await import('../../platform/runtime/docker/index.ts');"],
    ['src/cli/doctor/clusters.ts', "type Client = import('../../platform/runtime/docker/index.ts').DockerClient;"],
    ['src/platform/runtime-providers.ts', "import { dockerProvider } from './runtime/docker/index.ts';"],
    ['src/platform/platform.ts', "import { createDockerRuntime } from './runtime/docker/index.ts';"],
    ['src/server/output/failure-text.ts', "import { clean } from '../redaction/clean.ts';"],
    ['src/server/redaction/known-secrets.ts', "import type { Tool } from '../tool/tool.ts';"],
    ['src/server/output/reply.ts', "import { planOf } from '../guard/plan.ts';"],
    ['src/platform/api/http.ts', "import { openDatabase } from '../store/database.ts';"],
    ['tools/service/search-logs.ts', "import { search } from '../../src/analysis/search.ts';"],
    ['tools/service/search-logs.ts', "type Query = import('../../src/analysis/search.ts').LogQuery;"],
    ['src/helpers.ts', ''],
  ])('would be told of %s: %s', (path, source) => {
    expect(faultsOf(path, source)).toEqual([expect.stringContaining(path)]);
  });

  test.each([
    ['src/contract/operations.ts', "import * as z from 'zod';\nimport { lock } from './resources/cluster.ts';"],
    [
      'src/server/protocol/server.ts',
      "import { call } from '../../client/index.ts';\n/** Like\n import { x } from '../platform/x.ts'; */",
    ],
    ['src/server/protocol/server.ts', "// import { x } from '../platform/x.ts';\nexport const from = 'here';"],
    [
      'src/platform/api/server.ts',
      "import fastify from 'fastify';\nconst log = await import('pino');\nconst here = import.meta.url;",
    ],
    [
      'src/platform/runtime/docker/index.ts',
      "import { readFile } from 'node:fs/promises';\nimport { Agent } from 'undici';",
    ],
    [
      'src/main.ts',
      "import manifest from '../package.json' with { type: 'json' };\nimport { tools } from '../tools/index.ts';",
    ],
    ['src/platform/runtime-providers.ts', "const docker = await import('./runtime/docker/index.ts');"],
    ['src/cli/commands/node.ts', "import { engineProvider } from '../../platform/runtime-providers.ts';"],
    ['tools/service/search-logs.ts', "const { search } = await import('../../src/analysis/search.ts');"],
    [
      'tools/cluster/lock-cluster.ts',
      "import { defineTool } from '../../src/server/tool/index.ts';\nimport { ago } from '../text.ts';",
    ],
  ])('may have %s: %s', (path, source) => {
    expect(faultsOf(path, source)).toEqual([]);
  });
});

/**
 * The files that import each other in a circle, or lie between two circles. Types count, and so does `import()`, which
 * the linter leaves out.
 */
const circularIn = (files: readonly { path: string; source: string }[]): string[] => {
  const left = new Map(
    files.map(({ path, source }) => [
      path,
      importsOf(source).flatMap(({ specifier }) =>
        specifier?.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [],
      ),
    ]),
  );
  for (let before = Infinity; before > left.size;) {
    before = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [path, targets] of left)
      if (!imported.has(path) || !targets.some((target) => left.has(target))) left.delete(path);
  }
  return [...left.keys()];
};

describe('circles of imports', () => {
  test('are nowhere', () => {
    expect(circularIn(code)).toEqual([]);
  });

  test('would be found: one with import(), among files around it', () => {
    const files = [
      { path: 'src/a.ts', source: "import { b } from './b.ts';" },
      { path: 'src/b.ts', source: "const c = await import('./c/c.ts');" },
      { path: 'src/c/c.ts', source: "import type { B } from '../b.ts';\nimport { d } from '../d.ts';" },
      { path: 'src/d.ts', source: "import * as z from 'zod';" },
    ];
    expect(circularIn(files)).toEqual(['src/b.ts', 'src/c/c.ts']);
    expect(circularIn(files.filter(({ path }) => path !== 'src/b.ts'))).toEqual([]);
  });
});

/** Files of the server that name a database driver elsewhere than behind the seam of the guard's store. */
const driverNamesOutside = (files: readonly { path: string; source: string }[]): string[] =>
  files
    .filter(
      ({ path }) =>
        /^(?:src\/(?:server|transport)|tools)\//.test(path) && !path.startsWith('src/server/guard/storage/'),
    )
    .flatMap(({ path, source }) =>
      /node:sqlite|DatabaseSync|from 'kysely'|['"]pg['"]|\/(?:database|postgres)\/index\.ts/.test(source) ? [path] : [],
    );

describe('databases', () => {
  test("of the server are seen only behind the seam of the guard's store", () => {
    expect(driverNamesOutside(code)).toEqual([]);
  });

  test.each([
    ['src/server/guard/approvals/approvals.ts', "import type { DatabaseSync } from 'node:sqlite';"],
    ['src/transport/http/host.ts', "const { DatabaseSync } = await import('node:sqlite');"],
    ['src/server/guard/approvals/approvals.ts', "import { openSqlite } from '../../../database/index.ts';"],
    ['src/server/audit/anchors.ts', "import { transaction } from '../../postgres/index.ts';"],
  ])('would be found in %s: %s', (path, source) => {
    expect(driverNamesOutside([{ path, source }])).toEqual([path]);
  });
});

describe('the files', () => {
  test('name no machine path and no package registry', () => {
    expect(linesWith(forbiddenWords)).toEqual([]);
  });

  test('are searched: a word that is there is found', () => {
    expect(linesWith(['"name": "infra-mcp"'])).toContainEqual(expect.stringMatching(/^package\.json:/));
  });
});
