import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Command as Parser } from 'commander';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../src/cli/commands/commands.ts';
import { createParser } from '../../src/cli/commands/cli.ts';
import type { Cell } from '../../src/cli/terminal/cell.ts';
import { columns } from '../../src/cli/terminal/columns.ts';
import { wrapped, wrappedFacts } from '../../src/cli/terminal/lines.ts';
import { timeCell } from '../../src/cli/terminal/table-cells.ts';
import { lineWidth } from '../../src/cli/terminal/width.ts';
import { makesTerminals, shownInTerminal } from './pseudo-terminal.ts';
import { commandLine, runProgram, temporaryDirectory } from '../support/built-program.ts';

/** A stream that is a terminal of so many columns. */
const terminal = (width: number, colours = 256): NodeJS.WriteStream =>
  Object.assign(new Writable(), {
    isTTY: true,
    columns: width,
    getColorDepth: () => Math.log2(colours),
  }) as unknown as NodeJS.WriteStream;
const file = new Writable() as NodeJS.WriteStream;

const words = (joined: string): string[] => joined.split(/\s+/).filter(Boolean).toSorted();
const environment = async (more: Record<string, string>) => ({ INFRA_DATA_DIR: await temporaryDirectory(), ...more });
const find = (parser: Parser, word: string): Parser => parser.commands.find((one) => one.name() === word)!;

/** The lines of a table in a terminal of that width, without colours. */
const shown = (heading: readonly string[], rows: readonly (readonly Cell[])[], width: number): string[] =>
  stripVTControlCharacters(columns(heading, rows, { stream: terminal(width) }))
    .trimEnd()
    .split('\n');

describe('a table', () => {
  const heading = ['name', 'why'];
  const rows = [
    ['a', 'a long explanation that has to be wrapped where there is little room'],
    ['longer', 'short'],
  ];

  test('has a line for each row where it is written to a file', () => {
    expect(columns(heading, rows, { stream: file })).toBe(
      'name    why\na       a long explanation that has to be wrapped where there is little room\nlonger  short\n',
    );
  });

  test('is its heading where there are no rows', () => {
    expect(columns(heading, [], { stream: file })).toBe('name  why\n');
  });

  test('fits into a terminal, and loses no word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,6}$/), fc.stringMatching(/^([a-z]{1,9} ){0,12}[a-z]$/))),
        fc.integer({ min: 40, max: 120 }),
        (some, width) => {
          const text = stripVTControlCharacters(columns(heading, some, { stream: terminal(width) }));
          for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
          expect(words(text)).toEqual(words([heading, ...some].flat().join(' ')));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('cuts no word, however little room there is', () => {
    const name = 'create_environment_variable';
    expect(shown(heading, [[name, 'some words that can be wrapped']], 20)).toEqual([
      name,
      '  why: some words',
      '  that can be',
      '  wrapped',
    ]);
  });

  test('measures and wraps coloured words by what is seen of them', () => {
    const text = columns(
      ['a heading of many words', 'b'],
      [[{ text: 'destructive words in a cell that is wrapped', style: 'red' }, 'x']],
      { stream: terminal(30) },
    );
    expect(text).toContain('\u001B[31mdestructive words in a cell\u001B[39m  x\n\u001B[31mthat is wrapped\u001B[39m\n');
    expect(
      Math.max(
        ...stripVTControlCharacters(text)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBe(30);
  });

  test('stands below its first column where it is too wide: nothing is lost, and empty cells are left out', () => {
    const several = ['', 'tool', 'who', 'target', 'why'];
    const table = [
      ['!', 'stop_environment', 'ann', '', 'somebody has to agree to this first'],
      ['✓', 'list_projects', 'bob', 'shop', ''],
    ];
    expect(shown(several, table, 40)).toEqual([
      '!  stop_environment',
      '  who: ann',
      '  why: somebody has to agree to this',
      '  first',
      '✓  list_projects',
      '  who: bob  target: shop',
    ]);
  });

  test('stands below its first columns, too, where that takes far fewer lines', () => {
    const explanation = 'This takes many lines beside a wide column, and few below it.';
    const drawn = (times: number) =>
      shown(
        ['tool', 'why', 'took'],
        [['override_environment_variable', Array(times).fill(explanation).join(' '), '3 ms']],
        62,
      );
    expect(drawn(1)[0]).toMatch(/^tool +why +took$/);
    expect(drawn(4).slice(0, 2)).toEqual([
      'override_environment_variable',
      '  why: This takes many lines beside a wide column, and few',
    ]);
  });

  test('prefers short texts to stacking, and a smaller gap to that', () => {
    const table = [[{ text: '2026-03-01T10:00:00.000Z', short: '5 min ago' }, 'environment']];
    expect(shown(['time', 'target'], table, 40)).toEqual([
      'time                      target',
      '2026-03-01T10:00:00.000Z  environment',
    ]);
    expect(shown(['time', 'target'], table, 30)).toEqual(['time       target', '5 min ago  environment']);
    expect(shown(['time', 'target'], table, 21)).toEqual(['time      target', '5 min ago environment']);
    expect(shown(['time', 'target'], table, 20)).toEqual(['5 min ago', '  target:', '  environment']);
  });

  test('keeps a command in one line', () => {
    const advice = 'Set a secret first, with the command infra-mcp approve --set-secret in a terminal.';
    for (let width = 34; width < 90; width += 1)
      expect(shown(['what', 'found'], [['x', advice]], width).join('\n')).toContain('infra-mcp approve --set-secret');
  });

  test('has the width that the variable COLUMNS tells, if the terminal tells none, and else 80', () => {
    expect([
      lineWidth(terminal(0), {}),
      lineWidth(terminal(0), { COLUMNS: '50' }),
      lineWidth(terminal(70), { COLUMNS: '50' }),
      lineWidth(file, { COLUMNS: '50' }),
    ]).toEqual([80, 50, 70, Infinity]);
  });

  test('writes out what would move the cursor or hide text, and loses nothing of it', () => {
    const text = columns(heading, [['a\u001B[2J\u001B[1;1Hb\rc', 'x\u0007\u202Ey\nz']], { stream: file });
    const name = 'a<U+001B>[2J<U+001B>[1;1Hb<U+000D>c';
    expect(text).toBe(`${'name'.padEnd(name.length)}  why\n${name}  x<U+0007><U+202E>y z\n`);
  });

  test('lines up wide and combining characters, and emoji', () => {
    expect(
      columns(
        ['a', 'b'],
        [
          ['日本', 'x'],
          ['ab', 'y'],
          ['e\u0301', 'z'],
          ['🚀', 'w'],
        ],
        { stream: file },
      ),
    ).toBe('a     b\n日本  x\nab    y\ne\u0301     z\n🚀    w\n');
  });
});

describe('a text', () => {
  test('is broken between words in a terminal, with the indentation of its line, and keeps its spaces and colours', () => {
    const text = 'One line of  words.\n\n  an \u001B[1mindented\u001B[22m line\n/a/path/that/is/too/long\n';
    expect(wrapped(text, terminal(14))).toBe(
      'One line of\nwords.\n\n  an \u001B[1mindented\u001B[22m\n  line\n/a/path/that/is/too/long\n',
    );
    expect(wrapped(text, terminal(80))).toBe(text);
    expect(wrapped(text, file)).toBe(text);
  });
});

describe('facts', () => {
  test('begin at the left edge, and nothing else does, however wide a word is', () => {
    const text =
      'On: cluster "main"\nreason: a-word-without-a-space On: cluster "sandbox"\n\n  日本日本日本日本日本日本';
    expect(wrappedFacts(text, terminal(22))).toBe(
      'On: cluster "main"\nreason:\n    a-word-without-a-s\n    pace On: cluster\n    "sandbox"\n\n  日本日本日本日本\n      日本日本',
    );
    expect(wrappedFacts(text, terminal(80))).toBe(text);
    expect(wrappedFacts(text, file)).toBe(text);
  });
});

describe('a time', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  test.each([
    ['2026-03-01T11:59:58.000Z', '2 s ago'],
    ['2026-03-01T11:00:01.000Z', '59 min ago'],
    ['2026-02-28T13:00:00.000Z', '23 h ago'],
    ['2026-02-20T08:15:30.000Z', '2026-02-20 08:15Z'],
    ['2026-03-01T12:14:59.000Z', 'in 14 min'],
  ])('%s is short %s', (at, short) => {
    expect(timeCell(at, now)).toEqual({ text: at, short });
    expect(timeCell(Date.parse(at), now)).toEqual({ text: at, short });
  });

  test('that is none is shown as it is', () => expect(timeCell('yesterday')).toEqual({ text: 'yesterday' }));
});

describe('colours', () => {
  test.each([['tools'], ['doctor'], ['--help']])(
    'of %s come with FORCE_COLOR, and are left out where no terminal reads it',
    async (...args) => {
      expect((await runProgram(args, await environment({}))).stdout).not.toContain('\u001B');
      expect((await runProgram(args, await environment({ FORCE_COLOR: '1' }))).stdout).toContain('\u001B[');
      expect((await runProgram(args, await environment({ FORCE_COLOR: '0', NO_COLOR: '1' }))).stdout).not.toContain(
        '\u001B',
      );
    },
  );

  test('never get into JSON', async () => {
    const env = await environment({ FORCE_COLOR: '1' });
    for (const args of [
      ['tools', '--json'],
      ['doctor', '--json'],
      ['approve', '--json'],
    ]) {
      const { stdout } = await runProgram(args, env);
      expect(stdout, args.join(' ')).not.toContain('\u001B');
      expect(() => JSON.parse(stdout), args.join(' ')).not.toThrow();
    }
  });
});

/** A platform that answers after this many milliseconds, with a failure. */
async function slowPlatform(delay: number): Promise<string> {
  const server = createServer((_, response) => void setTimeout(() => response.writeHead(500).end(), delay));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!makesTerminals)('in a real terminal', () => {
  test('work that takes long shows that it goes on, and nothing of that stays', async () => {
    const { sent, lines } = await shownInTerminal(
      ['doctor'],
      await environment({ INFRA_BASE_URL: await slowPlatform(1500), INFRA_API_TOKEN: 'x' }),
      100,
    );
    expect(sent).toContain('Calling the platform');
    expect(sent).toContain('\u001B[31m✗\u001B[39m');
    expect(lines.join('\n')).not.toContain('Calling the platform');
    // The cursor is there again.
    expect(sent.lastIndexOf('\u001B[?25h')).toBeGreaterThan(sent.lastIndexOf('\u001B[?25l'));
  });

  test('work that is soon done shows no progress', async () => {
    const { sent } = await shownInTerminal(
      ['doctor'],
      await environment({ INFRA_BASE_URL: await slowPlatform(0), INFRA_API_TOKEN: 'x' }),
      100,
    );
    expect(sent).not.toContain('Calling the platform');
  });

  test('NO_COLOR leaves the colours out', async () => {
    expect((await shownInTerminal(['tools'], await environment({ NO_COLOR: '1' }), 100)).sent).not.toContain(
      '\u001B[3',
    );
  });

  test('errors and help texts are broken between words', async () => {
    for (const args of [
      ['tools', 'no_such_tool_at_all_that_anybody_knows'],
      ['approve', '--help'],
      ['audit', '--help'],
      ['http', '--help'],
    ]) {
      const { lines } = await shownInTerminal(args, await environment({}), 60);
      // A single word, as an address, is left whole, so that it can be copied.
      expect(lines.filter((line) => line.length > 60 && line.trim().includes(' '))).toEqual([]);
    }
  });
});

describe('where there is nothing to list', () => {
  test.each([
    [['approve'], /^No call waits for approval\.\n$/],
    [['restore'], /^There is no backup in \S+ yet; infra-mcp backup makes one\.\n$/],
    [['audit', 'show', '/dev/null'], /^No calls are recorded in \/dev\/null\.\n$/],
  ])('%j says so', async (args, said) => {
    expect(await runProgram(args, await environment({}))).toEqual({
      code: 0,
      stdout: expect.stringMatching(said) as string,
      stderr: '',
    });
  });
});

describe('json', () => {
  test('is printed by every command that prints data', () => {
    const silent = ['stdio', 'http', 'platform', 'console', 'init', 'completion'];
    expect(
      commands
        .filter(({ name, flags }) => !silent.includes(name) && flags?.['json'] === undefined)
        .map(({ name }) => name),
    ).toEqual([]);
  });

  test('of what is made has it whole', async () => {
    const directory = await temporaryDirectory();
    const made = JSON.parse(
      (
        await runProgram([
          'token',
          'create',
          '--name',
          'ci',
          '--permission',
          'deploy',
          '--json',
          '--data-dir',
          directory,
        ])
      ).stdout,
    ) as { token: string };
    expect(made).toEqual({ token: expect.stringMatching(/^.{20,}$/) as string, name: 'ci', permission: 'deploy' });
    const gone = JSON.parse(
      (await runProgram(['token', 'revoke', 'ci', '--json', '--data-dir', directory])).stdout,
    ) as object;
    expect(gone).toMatchObject({ name: 'ci', revoked: true });
    const key = JSON.parse((await runProgram(['key', '--name', 'ci', '--json'])).stdout) as object;
    expect(key).toEqual({
      key: expect.stringMatching(/^imk_/) as string,
      entry: { name: 'ci', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, level: 'read' },
    });
  });
});

test('a reader that leaves early does no harm', async () => {
  const {
    command: [program = '', ...args],
    env,
  } = commandLine(['tools'], await environment({}));
  const child = spawn(program, args, { env });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, said }).toEqual({ code: 0, said: '' });
});

describe('a mistyped', () => {
  test.concurrent.each([
    [['platfrom'], 'platform'],
    [['--read-onyl'], '--read-only'],
    [['tools', '--jsno'], '--json'],
    [['token', 'craete'], 'create'],
    [['tools', 'stop_enviroment'], 'stop_environment'],
    [['doctor', 'htpp'], 'http'],
  ])('%j is answered with the nearest', async (args, meant) => {
    const { code, stdout, stderr } = await runProgram(args);
    expect(stderr).toContain(meant);
    expect(stderr).toMatch(/did you mean/i);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

test.each(commands)('the help of $name has its examples', ({ name, examples }) => {
  let help = '';
  name
    .split(' ')
    .reduce(find, createParser())
    .configureOutput({ writeOut: (text) => void (help += text) })
    .outputHelp();
  for (const { line, does } of examples) {
    expect(help).toContain(line);
    expect(help).toContain(does);
  }
});
