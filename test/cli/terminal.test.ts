import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { promisify, stripVTControlCharacters } from 'node:util';
import type { Command as Parser } from 'commander';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/commands.ts';
import { createParser } from '../../src/cli/commands/cli.ts';
import { columns } from '../../src/cli/terminal/columns.ts';
import { commandLine, runProgram, temporaryDirectory } from '../support/built-program.ts';

/** A stream that is a terminal of so many columns. */
const terminal = (width: number, colours = 256): NodeJS.WriteStream =>
  Object.assign(new Writable(), { isTTY: true, columns: width, getColorDepth: () => Math.log2(colours) }) as unknown as NodeJS.WriteStream;
const file = new Writable() as NodeJS.WriteStream;

const words = (joined: string): string[] => joined.split(/\s+/).filter(Boolean).toSorted();
const environment = async (more: Record<string, string>) => ({ INFRA_DATA_DIR: await temporaryDirectory(), ...more });
const find = (parser: Parser, word: string): Parser => parser.commands.find((one) => one.name() === word)!;

describe('a table', () => {
  const heading = ['name', 'why'];
  const rows = [['a', 'a long explanation that has to be wrapped where there is little room'], ['longer', 'short']];

  test('has a line for each row where it is written to a file', () => {
    expect(columns(heading, rows, file)).toBe('name    why\na       a long explanation that has to be wrapped where there is little room\nlonger  short\n');
  });

  test('is its heading where there are no rows', () => {
    expect(columns(heading, [], file)).toBe('name  why\n');
  });

  test('fits into a terminal, and loses no word', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,6}$/), fc.stringMatching(/^([a-z]{1,9} ){0,12}[a-z]$/))), fc.integer({ min: 40, max: 120 }), (some, width) => {
        const text = stripVTControlCharacters(columns(heading, some, terminal(width)));
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
        expect(words(text)).toEqual(words([heading, ...some].flat().join(' ')));
      }),
      { numRuns: 50 },
    );
  });

  test('cuts no word, however little room there is', () => {
    const name = 'create_environment_variable';
    expect(stripVTControlCharacters(columns(heading, [[name, 'some words that can be wrapped']], terminal(20)))).toContain(name);
  });

  test('measures coloured words by what is seen of them', () => {
    const text = stripVTControlCharacters(columns(['a heading of many words', 'b'], [['\u001B[31mdestructive\u001B[39m', 'x']], terminal(14)));
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(14);
  });

  test('lines up wide characters', () => {
    expect(columns(['a', 'b'], [['日本', 'x'], ['ab', 'y']], file)).toBe('a     b\n日本  x\nab    y\n');
  });
});

describe('colours', () => {
  test.each([['tools'], ['doctor'], ['--help']])('of %s come with FORCE_COLOR, and are left out where no terminal reads it', async (...args) => {
    expect((await runProgram(args, await environment({}))).stdout).not.toContain('\u001B');
    expect((await runProgram(args, await environment({ FORCE_COLOR: '1' }))).stdout).toContain('\u001B[');
    expect((await runProgram(args, await environment({ FORCE_COLOR: '0', NO_COLOR: '1' }))).stdout).not.toContain('\u001B');
  });

  test('never get into JSON', async () => {
    const env = await environment({ FORCE_COLOR: '1' });
    for (const args of [['tools', '--json'], ['doctor', '--json'], ['approve', '--json']]) {
      const { stdout } = await runProgram(args, env);
      expect(stdout, args.join(' ')).not.toContain('\u001B');
      expect(() => JSON.parse(stdout), args.join(' ')).not.toThrow();
    }
  });
});

// In CI there has to be a way to make one.
const makesTerminals = process.env['CI'] === 'true' || spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

/** What a person sees of a command, in a terminal of 100 columns. */
async function shownAtTerminal(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const { command, env: { CI: _, ...env } } = commandLine(args, await environment(more));
  const line = `stty cols 100; ${command.map((word) => `'${word}'`).join(' ')}`;
  return (await promisify(execFile)('script', ['-qec', line, '/dev/null'], { env: { ...env, TERM: 'xterm-256color' } })).stdout;
}

describe('in a real terminal', () => {
  test.skipIf(!makesTerminals)('work shows that it goes on, and tables have colours and fit', async () => {
    const text = await shownAtTerminal(['doctor']);
    expect(text).toContain('Calling the platform');
    expect(text).toContain('\u001B[32m✓\u001B[39m');
    const table = stripVTControlCharacters(text.slice(text.indexOf('found')));
    for (const line of table.split('\r\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  test.skipIf(!makesTerminals)('NO_COLOR leaves the colours out', async () => {
    expect(await shownAtTerminal(['tools'], { NO_COLOR: '1' })).not.toContain('\u001B[3');
  });
});

describe('json', () => {
  test('is printed by every command that prints data', () => {
    const silent = ['stdio', 'http', 'platform', 'completion'];
    expect(commands.filter(({ name, flags }) => !silent.includes(name) && flags?.['json'] === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('of what is made has it whole', async () => {
    const directory = await temporaryDirectory();
    const made = JSON.parse((await runProgram(['token', 'create', '--name', 'ci', '--permission', 'deploy', '--json', '--data-dir', directory])).stdout) as { token: string };
    expect(made).toEqual({ token: expect.stringMatching(/^.{20,}$/) as string, name: 'ci', permission: 'deploy' });
    const gone = JSON.parse((await runProgram(['token', 'revoke', 'ci', '--json', '--data-dir', directory])).stdout) as object;
    expect(gone).toMatchObject({ name: 'ci', revoked: true });
    const key = JSON.parse((await runProgram(['key', '--name', 'ci', '--json'])).stdout) as object;
    expect(key).toEqual({ key: expect.stringMatching(/^imk_/) as string, entry: { name: 'ci', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, level: 'read' } });
  });
});

test('a reader that leaves early does no harm', async () => {
  const { command: [program = '', ...args], env } = commandLine(['tools'], await environment({}));
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
  name.split(' ').reduce(find, createParser()).configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
  for (const { line, does } of examples) {
    expect(help).toContain(line);
    expect(help).toContain(does);
  }
});
