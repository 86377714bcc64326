import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { describe, expect, test } from 'vitest';
import {
  type Assistant,
  assistants,
  entryOf,
  type Machine,
  namesOf,
  type ServerEntry,
} from '../../src/cli/init/assistants.ts';
import { writeChange } from '../../src/cli/init/config-file.ts';
import { planAdding, planRemoving } from '../../src/cli/init/plan-change.ts';
import { jsonFormat } from '../../src/cli/init/json-format.ts';
import { temporaryDirectory } from '../support/built-program.ts';

const server: ServerEntry = {
  command: '/usr/bin/node',
  args: ['/opt/infra-mcp/bin/infra-mcp.mjs'],
  env: { INFRA_READ_ONLY: 'true' },
};
const [cursor, codex, goose, continueIde] = ['cursor', 'codex', 'goose', 'continue'].map((wanted) =>
  assistants.find(({ name }) => name === wanted)!,
) as [Assistant, Assistant, Assistant, Assistant];

const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' /* a, b */ ', ' // c {\n', '\n\n');
const name = fc.constantFrom('a', 'b', 'mcp', 'in"fra', '$schema', 'théme', 'x.y');
const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('', '}', '// no comment', '"', 'ü'),
);

/** JSON with any white space, comments and trailing commas, of objects whose members are all different. */
const objectOf = (member: fc.Arbitrary<readonly [string, string]>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.uniqueArray(member, { selector: ([key]) => key, maxLength: 4 }),
      fc.array(gap, { minLength: 24, maxLength: 24 }),
      fc.boolean(),
    )
    .map(([members, gaps, trailing]) => {
      let next = 0;
      const space = (): string => gaps[next++ % gaps.length]!;
      const written = members.map(
        ([key, value]) => `${space()}${JSON.stringify(key)}${space()}:${space()}${value}${space()}`,
      );
      return `{${written.join(',')}${trailing && members.length > 0 ? ',' : ''}${space()}}`;
    });
const leaf = fc.tuple(
  name,
  scalar.map((value) => JSON.stringify(value)),
);
const nested = fc.tuple(name, objectOf(leaf));
const servers = objectOf(fc.oneof(leaf, nested));
const jsonText = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    gap,
    objectOf(
      fc.oneof(
        leaf,
        nested,
        servers.map((value) => ['mcpServers', value] as const),
      ),
    ),
    gap,
  )
  .map((parts) => parts.join(''));

const tomlLine = fc.constantFrom(
  '',
  '# comment',
  '  # [mcp_servers.infra]',
  '[mcp_servers.docs]\ncommand = "docs" # it',
  '[mcp_servers.docs.env]\nA = "1"',
  '[mcp_servers."infra-2"]\nargs = [\n  "a",\n  [1],\n]',
  '[[profiles]]\nname = "x"',
  '[mcp_servers]\n',
  '[a]\nb = """\n[mcp_servers.infra]\n"""',
);
const tomlText = fc
  .tuple(
    fc.uniqueArray(tomlLine, { maxLength: 6 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
    fc.constantFrom('', 'model = "x"\n'),
  )
  .map(([lines, br, ends, top]) => (top + lines.join('\n') + (ends ? '\n' : '')).replaceAll('\n', br));

const yamlBlock = fc.constantFrom(
  '# comment',
  '  # comment',
  '',
  'a: 1 # it',
  'models:\n- name: x # it\n  y: [1,\n    2]',
  '"quoted key": &one {b: 1}',
  'again: *one',
  'text: |\n  mcpServers:\n    # no\n',
  'keep: >+\n  x\n\n',
  'nested:\n    extensions:\n      infra: 1',
);
const [yamlEmpty, yamlItems] = [
  fc.constantFrom('', ' # it', ' {}', ' {} # it', ' ~'),
  fc.uniqueArray(fc.constantFrom('docs', 'in:fra', 'théme', 'x.y'), { minLength: 1, maxLength: 3 }),
];
const yamlComment = fc.constantFrom('', '# comment', '    # comment');
/** The member with the servers, as a mapping or a list, in any indentation. */
const yamlMember = (isList: boolean): fc.Arbitrary<string> =>
  fc.oneof(
    yamlEmpty.map((text) => (isList ? `mcpServers:${text.replace('{}', '[]')}` : `extensions:${text}`)),
    fc
      .tuple(yamlItems, yamlComment, fc.constantFrom(...(isList ? ['', '  ', '    '] : [' ', '  ', '    '])))
      .map(([names, comment, indent]) =>
        [
          `${isList ? 'mcpServers' : 'extensions'}: # it`,
          comment,
          ...names.flatMap((one) =>
            isList
              ? [`${indent}- name: ${JSON.stringify(one)}`, `${indent}  command: "x" # it`]
              : [`${indent}${JSON.stringify(one)}:`, `${indent}  cmd: 'x' # it`, comment],
          ),
          ...(isList ? [`${indent}- uses: a/b`] : []),
        ].join('\n'),
      ),
  );
const yamlText = (isList: boolean): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.uniqueArray(yamlBlock, { maxLength: 4 }),
      fc.option(yamlMember(isList), { nil: '# none' }),
      fc.uniqueArray(yamlBlock, { maxLength: 3 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.constantFrom('', '---\n', '\uFEFF'),
    )
    .map(([before, member, after, br, ends, start]) =>
      (start + [...before, member, ...after].join('\n') + (ends ? '\n' : '')).replaceAll('\n', br),
    );

const isValid = (assistant: Assistant, text: string): boolean => {
  try {
    if (assistant.format === 'yaml') parseYaml(text);
    else if (assistant.format === 'toml') parseToml(text);
    else jsonFormat.parse(text.replace('\uFEFF', ''));
    return true;
  } catch {
    return false;
  }
};

const parsedAs = ({ format }: Assistant, text: string): unknown => {
  if (format === 'yaml') return parseYaml(text);
  return format === 'toml'
    ? structuredClone(parseToml(text))
    : parseJsonc(text.replace('\uFEFF', ''), [], { allowTrailingComma: true });
};

/** The values of a file, with its servers by their names. */
function valueOf(assistant: Assistant, text: string): Record<string, Record<string, unknown>> {
  const { [assistant.member]: own, ...rest } = (parsedAs(assistant, text) ?? {}) as Record<
    string,
    Record<string, unknown>
  >;
  if (own === undefined || own === null) return rest;
  const named = Array.isArray(own)
    ? (Object.fromEntries(
        own.map((one: Record<string, unknown>, index) => [one['name'] ?? `${own.length - index} from the end`, one]),
      ) as Record<string, unknown>)
    : own;
  return { ...rest, [assistant.member]: named };
}

/** How many of the comments are in a text. */
const comments = (text: string): number => text.split(/\/\*|\/\/ c|# comment|# it/).length;

async function fileIn(assistant: Assistant) {
  const machine: Machine = { platform: 'linux', home: await temporaryDirectory(), env: {} };
  const path = assistant.file(machine);
  await mkdir(dirname(path), { recursive: true });
  return { machine, path, read: () => readFile(path, 'utf8') };
}

describe.each([
  [cursor, jsonText],
  [codex, tomlText],
  [goose, yamlText(false)],
  [continueIde, yamlText(true)],
] as const)('any file of $name', (assistant, texts) => {
  test('is the same bytes after adding and removing', async () => {
    const { machine, path, read } = await fileIn(assistant);
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        fc.pre(isValid(assistant, text));
        await writeFile(path, text);
        const adding = await planAdding(assistant, machine, server);
        // Only an odd way of writing tables may keep it from being changed, and then nothing is.
        fc.pre(adding.kind === 'change');
        await writeChange(adding.change);
        changes += 1;
        const after = valueOf(assistant, await read());
        const { infra, ...others } = after[assistant.member]!;
        expect(infra).toEqual(entryOf(assistant, server));
        expect(infra).toMatchObject({ args: server.args, [namesOf(assistant).env]: server.env });
        expect({ ...after, [assistant.member]: others }).toEqual({
          [assistant.member]: {},
          ...valueOf(assistant, text),
        });
        const removing = await planRemoving(assistant, machine);
        if (removing.kind !== 'change') throw new Error(JSON.stringify(removing));
        await writeChange(removing.change);
        expect(await read()).toBe(text);
      }),
      { numRuns: 300 },
    );
    expect(changes).toBeGreaterThan(200);
  });

  test('keeps its values and comments where it was changed in between', async () => {
    const { machine, path, read } = await fileIn(assistant);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        fc.pre(isValid(assistant, text));
        await writeFile(path, text);
        const adding = await planAdding(assistant, machine, server);
        fc.pre(adding.kind === 'change');
        await writeChange(adding.change);
        const changed = (before: string): string =>
          `${before}${/(^|\n)$/.test(before) ? '' : '\n'}${assistant.format === 'json' ? '//' : '#'} added at the end\n`;
        await writeFile(path, changed(await read()));
        const removing = await planRemoving(assistant, machine);
        if (removing.kind !== 'change') throw new Error(JSON.stringify(removing));
        await writeChange(removing.change);
        const after = valueOf(assistant, await read());
        expect({ [assistant.member]: {}, ...after }).toEqual({
          [assistant.member]: {},
          ...valueOf(assistant, changed(text)),
        });
        expect(comments(await read())).toBe(comments(text));
      }),
      { numRuns: 300 },
    );
  });
});

test('a file that was changed after it was shown is not written', async () => {
  const { machine, path, read } = await fileIn(cursor);
  await writeFile(path, '{}');
  const plan = await planAdding(cursor, machine, server);
  if (plan.kind !== 'change') throw new Error(plan.kind);
  await writeFile(path, '{ "theirs": 1 }');
  await expect(writeChange(plan.change)).rejects.toThrow('changed meanwhile');
  expect(await read()).toBe('{ "theirs": 1 }');
});

test.each([
  [['infra-mcp']],
  [['npx', '-y', 'infra-mcp']],
  [['npx', '-y', 'infra-mcp@0.1.0']],
  [['npx', '-y', 'infra-mcp@file:/home/u/packed.tgz']],
  [['npx', '-y', '/home/u/release/infra-mcp-0.1.0-beta.1.tgz']],
  [['npx', '-y', 'github:infra-mcp/infra-mcp#v0.1.0']],
  [['/usr/bin/node', '/opt/tools/bin/infra-mcp.mjs']],
  [['C:\\Users\\u\\AppData\\Roaming\\npm\\infra-mcp.cmd']],
  [['docker', 'run', '-i', '--rm', 'ghcr.io/infra-mcp/infra-mcp:0.1.0', 'stdio']],
  [['docker', 'run', '-i', 'infra-mcp@sha256:0a1b']],
])('the entry %j is our own', async ([command, ...args]) => {
  const { machine, path } = await fileIn(cursor);
  await writeFile(path, JSON.stringify({ mcpServers: { infra: { command, args } } }));
  expect(await planAdding(cursor, machine, server)).toMatchObject({ kind: 'change', does: 'update' });
  expect(await planRemoving(cursor, machine)).toMatchObject({ kind: 'change', does: 'remove' });
});

test.each([
  [['/home/u/infra-mcp-notes/other-server']],
  [['node', '/home/u/infra-mcp/other-server.mjs']],
  [['npx', '-y', '@someone/infra-mcp@1.0.0']],
  [['npx', '-y', 'not-infra-mcp']],
  [['npx', '-y', 'infra-mcp-proxy', '--notes', 'about infra-mcp']],
  [['docker', 'run', '-i', 'ghcr.io/infra-mcp/other:0.1.0']],
])("the entry %j is somebody else's", async ([command, ...args]) => {
  const { machine, path } = await fileIn(cursor);
  await writeFile(path, JSON.stringify({ mcpServers: { infra: { command, args } } }));
  for (const plan of [await planAdding(cursor, machine, server), await planRemoving(cursor, machine)]) {
    expect(plan).toMatchObject({ kind: 'blocked', reason: expect.stringContaining("isn't infra-mcp") as string });
  }
});

test('a file that is not in UTF-8 is left as it is', async () => {
  const { machine, path } = await fileIn(cursor);
  await writeFile(path, Buffer.from('{}', 'utf16le'));
  await writeFile(path, Buffer.from([0x7b, 0xff, 0x7d]));
  expect(await planAdding(cursor, machine, server)).toMatchObject({
    kind: 'blocked',
    reason: expect.stringContaining('UTF-8') as string,
  });
});

test.each([
  ['linux', { XDG_CONFIG_HOME: '/x' }, 'vscode', '/x/Code/User/mcp.json'],
  ['linux', { XDG_CONFIG_HOME: 'relative' }, 'vscode', '/home/me/.config/Code/User/mcp.json'],
  ['darwin', {}, 'claude-desktop', '/home/me/Library/Application Support/Claude/claude_desktop_config.json'],
  ['darwin', {}, 'zed', '/home/me/.config/zed/settings.json'],
  [
    'win32',
    { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' },
    'claude-desktop',
    'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
  ],
  ['win32', {}, 'cursor', 'C:\\Users\\me\\.cursor\\mcp.json'],
  ['linux', { CODEX_HOME: '/codex' }, 'codex', '/codex/config.toml'],
  ['linux', { XDG_CONFIG_HOME: '/x' }, 'goose', '/x/goose/config.yaml'],
  ['darwin', {}, 'goose', '/home/me/.config/goose/config.yaml'],
  [
    'win32',
    { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' },
    'goose',
    'C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
  ],
  ['win32', {}, 'continue', 'C:\\Users\\me\\.continue\\config.yaml'],
  ['linux', { CLAUDE_CONFIG_DIR: '/claude' }, 'claude-code', '/claude/.claude.json'],
] as const)('on %s with %j the file of %s is %s', (platform, env, which, path) => {
  const home = platform === 'win32' ? 'C:\\Users\\me' : '/home/me';
  expect(assistants.find(({ name: one }) => one === which)!.file({ platform, home, env })).toBe(path);
});

test('the entry of a file in one line stays in that line', () => {
  expect(jsonFormat.set('{"a":1}', ['mcpServers', 'infra'], { command: 'x' })).toBe(
    '{"mcpServers":{"infra":{"command":"x"}},"a":1}',
  );
});
