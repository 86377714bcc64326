import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { commands } from '../../src/cli/commands/commands.ts';
import type { ParsedCommand } from '../../src/cli/commands/cli.ts';
import { commandLine, runProgram } from '../support/built-program.ts';
import { programCommand, parseProgramCommand } from './program-commands.ts';
import { commandsIn, commandsOfPage, pages, pageText } from './pages.ts';
import { spawnProgram, whenReady, type CommandLine } from '../support/started-program.ts';

/** Other programs that pages tell to run, and why they are not run here. */
const others: Readonly<Record<string, string>> = {
  claude: 'an assistant: needs an account',
  codex: 'an assistant: needs an account',
  code: 'an editor: not installed here',
  gemini: 'an assistant: needs an account',
  docker:
    "needs an engine: test/docker/first-steps.test.ts runs the one of the platform's page; test/shipping reads the image and the compose file, whose images are not at hand",
  kubectl: 'test/shipping reads the manifests; there is no cluster',
  helm: 'test/shipping renders the chart; there is no cluster',
  npx: 'runs vitest: what CONTRIBUTING.md has of it, test/contributing runs',
  head: 'makes a key that nothing here uses',
  curl: 'asks a server that another line starts',
  export: 'sets a variable of the shell',
  cd: 'goes elsewhere',
  sudo: 'changes the machine',
  umask: 'sets what the shell makes',
  journalctl: 'needs a machine that systemd runs; test/cli/systemd.test.ts lets it check the unit',
  cp: 'copies the data directory of a reader',
  mv: 'moves the data directory of a reader',
  git: 'needs the repository on a server',
  echo: 'makes a secret that nothing here uses',
  chmod: 'keeps that secret from others',
  node: 'the bridge of the page about chats, which test/cli/chat-ops.test.ts runs',
};

/** Commands of this program that are only parsed, and why. */
const parsedOnly: readonly { readonly why: string; readonly holds: (called: ParsedCommand) => boolean }[] = [
  { why: 'changes the files of the assistants on this machine', holds: ({ command }) => command.name === 'init' },
  {
    why: 'a person has to see the plan and type',
    holds: ({ command, args, flags }) =>
      command.name === 'approve' &&
      (args.length > 0 || flags['setSecret'] === true || flags['operatorEntry'] !== undefined),
  },
  {
    why: 'reaches a Docker engine; test/docker runs it',
    holds: ({ command }) => command.name === 'doctor platform' || /^(?:database|node) /.test(command.name),
  },
  { why: 'needs a server of PostgreSQL; test/fleet runs it', holds: ({ command }) => command.name === 'migrate' },
  {
    why: 'reads logs of other machines',
    holds: ({ command, args }) => command.name === 'audit verify' && args.some((path) => path.startsWith('/srv/')),
  },
  {
    why: 'reaches a platform on another machine',
    holds: ({ rawFlags: unread, flags }) => unread['baseUrl'] !== undefined || flags['platform'] === true,
  },
  {
    why: 'takes its options from profiles that nobody has here',
    holds: ({ rawFlags: unread }) => unread['profile'] !== undefined,
  },
  {
    why: 'reaches an authorization server on another machine',
    holds: ({ rawFlags: unread }) => unread['oauthIssuer'] !== undefined,
  },
];

/** Commands that run until they are stopped. */
const servers = ['http', 'platform', 'console'];

const all = pages.flatMap((page) =>
  commandsOfPage(page).flatMap(({ text, isInline }) =>
    commandsIn(text).map((words) => ({ page, text: words.join(' '), words, isInline })),
  ),
);
const isKnown = (words: readonly string[]): boolean =>
  programCommand(words) !== undefined || words[0] === 'npm' || Object.hasOwn(others, words[0]!);

/** Whether these are the words of a command, or of a group of them, and nothing else. */
const isName = (args: readonly string[]): boolean =>
  commands.some(({ name }) => `${name} `.startsWith(`${args.join(' ')} `));
// What stands in a block is run, also where a sentence repeats it.
const distinct = [
  ...new Map(
    [...all.filter(({ isInline }) => !isInline), ...all.filter(({ isInline }) => isInline)]
      .toReversed()
      .map((one) => [one.text, one]),
  ).values(),
].toReversed();
const spoken = distinct.flatMap((one) => {
  const found = programCommand(one.words);
  return found && !one.text.includes('<') && !(one.isInline && isName(found.args)) ? [{ ...one, ...found }] : [];
});

/** The arguments as they can be run beside others: any free port, the directory of this test. */
const here = (args: readonly string[]): string[] =>
  args.flatMap((word, index) =>
    args[index - 1] === '--port' ? ['0'] : word === '--data-dir' || args[index - 1] === '--data-dir' ? [] : [word],
  );

/** What is run: the same once. */
const own = [
  ...new Map(spoken.toReversed().map((one) => [JSON.stringify([here(one.args), one.env]), one])).values(),
].toReversed();

let directory: string;
/** What this test puts there. */
const made = ['keys.yaml', 'policy.yaml', 'operators.yaml', 'chat.yaml', 'chat-secret', 'audit.1.jsonl'];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'infra-mcp-docs-'));
  const { stdout } = await runProgram(['key', '--name', 'ci', '--json']);
  await Promise.all([
    writeFile(
      join(directory, 'keys.yaml'),
      JSON.stringify({ keys: [(JSON.parse(stdout) as { entry: object }).entry] }),
    ),
    writeFile(join(directory, 'policy.yaml'), 'read_only: true\n'),
    writeFile(join(directory, 'operators.yaml'), 'operators: [{ name: ada, chat: U-ADA }]\n'),
    writeFile(join(directory, 'chat.yaml'), 'kind: webhook\nurl: http://127.0.0.1:9/\nsecret_file: chat-secret\n'),
    writeFile(join(directory, 'chat-secret'), `whsec_${Buffer.alloc(32).toString('base64')}\n`),
    writeFile(join(directory, 'audit.1.jsonl'), ''),
    writeFile(join(directory, 'audit.jsonl'), ''),
  ]);
  await serve(['platform']);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** How to run infra-mcp in the directory of this test. */
const prepared = (args: readonly string[], env: Record<string, string> = {}): CommandLine => ({
  ...commandLine(here(args), { ...env, INFRA_DATA_DIR: directory }),
  cwd: directory,
});

/** Runs a command until it ends, and expects exit code 0. */
async function finish(args: readonly string[], env?: Record<string, string>): Promise<void> {
  const { child, ended } = spawnProgram(prepared(args, env));
  child.stdin.end();
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(0);
}

/** Starts a server, waits until it is ready, and stops it. */
async function serve(args: readonly string[], env?: Record<string, string>): Promise<void> {
  const { child, ended, ready } = await whenReady(spawnProgram(prepared(args, env)));
  child.kill('SIGTERM');
  expect(ready).toHaveProperty('url');
  expect((await ended).code).toBe(0);
}

describe('what the pages tell to type', () => {
  test('is found', () => {
    expect(spoken.length).toBeGreaterThan(20);
    expect(new Set(spoken.map(({ page }) => page)).size).toBeGreaterThan(3);
  });

  test('is a script of the package, where npm is to run it', () => {
    const scripts = distinct
      .filter(({ words }) => words[0] === 'npm' && words[1] === 'run')
      .map(({ words }) => words[2]!);
    expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
  });

  test('is of this program, of npm, or of another with a reason not to run it', () => {
    expect(distinct.filter(({ words }) => !isKnown(words)).map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
  });

  test.each(own)('works: $text', async ({ args, env }) => {
    const called = await parseProgramCommand(args, env);
    if (!called) return finish(args, env);
    if (parsedOnly.some(({ holds }) => holds(called))) return undefined;
    const isServer = servers.includes(called.command.name) && called.flags['printUnit'] === undefined;
    return isServer ? serve(args, env) : finish(args, env);
  });

  test('leaves in the data directory what the page of upgrades lists, and nothing else', async () => {
    const listed = [...pageText('docs/upgrading.md').matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
    );
    const isListed = (name: string): boolean =>
      listed.some((each) => each === name || (each.includes('…') && name.startsWith(each.split('…')[0]!))) ||
      listed.some((each) => each.startsWith('-') && name.endsWith(each));
    expect(listed).toContain('platform.sqlite');
    expect((await readdir(directory)).filter((name) => !made.includes(name) && !isListed(name))).toEqual([]);
  });

  test('has an example of every command', () => {
    const shown = spoken.map(({ args }) => args.join(' '));
    expect(
      commands
        .filter(({ name, isDefault }) => !isDefault && !shown.some((line) => `${line} `.startsWith(`${name} `)))
        .map(({ name }) => name),
    ).toEqual([]);
  });
});

describe('a line that is wrong', () => {
  test.each([
    ['infra-mcp tools --jsno'],
    ['infra-mcp platfrom'],
    ['npm start -- token create --name x'],
    ['INFRA_READONLY=true infra-mcp tools'],
    ['infra-mcp http --port many'],
  ])('is noticed: %s', async (line) => {
    const { args, env } = programCommand(commandsIn(line)[0]!)!;
    await expect(parseProgramCommand(args, env)).rejects.toThrow();
  });
});
