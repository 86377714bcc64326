import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { optionsOf } from '../../src/cli/config/index.ts';
import { commands } from '../../src/cli/commands/commands.ts';
import { createParser } from '../../src/cli/commands/cli.ts';
import { candidates } from '../../src/cli/commands/completion.ts';
import { shells } from '../../src/cli/commands/shells.ts';
import { tools } from '../../tools/index.ts';
import { commandLine, runProgram, temporaryDirectory } from '../support/built-program.ts';

/** What is proposed for a line whose last word is being typed. */
const proposed = async (...words: string[]): Promise<string[]> =>
  (await candidates(createParser(), words)).map(({ word }) => word);

describe('what is proposed', () => {
  test('is every command', async () => {
    expect(await proposed('')).toEqual(
      expect.arrayContaining([...new Set(commands.map(({ name }) => name.split(' ')[0]!))]),
    );
  });

  test.each(commands)('for $name is each of its flags', async ({ name, takes, examines, flags = {} }) => {
    const whose = takes ?? examines;
    const found = await proposed(...name.split(' '), '--');
    const options = whose === undefined ? [] : optionsOf(whose).flatMap(({ flag }) => flag ?? []);
    const own = Object.keys(flags).map(
      (flag) => `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
    expect(found).toEqual(expect.arrayContaining([...options, ...own, '--help']));
  });

  test.each([
    ['flags of the server without its name', ['--read-o'], ['--read-only']],
    ['no flag twice', ['--read-only', '--read-o'], []],
    ['a flag that may be repeated', ['--scenario', 'x', '--scen'], ['--scenario']],
    ['what a flag may be', ['--log-level', 'w'], ['warn']],
    ['what a flag of a command may be', ['token', 'create', '--permission', ''], ['read', 'deploy', 'write', 'admin']],
    ['commands of a group', ['token', 'r'], ['revoke']],
    ['flags of the default of a group', ['doctor', '--policy'], ['--policy-file']],
    ['a scenario', ['--scenario', 'ba'], ['bad-image-tag']],
    ['one more toolset, after those that are there', ['--toolsets', 'core,al'], ['core,alerts']],
    ['no toolset twice', ['--toolsets', 'core,cor'], []],
    ['a tool', ['http', '--tools', 'get_helm,list_cl'], ['get_helm,list_clusters']],
    ['a tool to leave out', ['--exclude-tools', 'upg'], ['upgrade_cluster']],
    ['nothing where the file of profiles is none', ['--profiles-file', '/nowhere/profiles.yaml', '--profile', ''], []],
    ['shells', ['completion', ''], [...shells]],
    ['nothing where anything may stand', ['--data-dir', ''], []],
    ['nothing after a word that is no command', ['nonsense', ''], []],
    [
      'a command after the value of a flag that is spelled like one',
      ['approve', '--data-dir', 'http', '--ref'],
      ['--refuse'],
    ],
  ])('is %s', async (_, words, expected) => {
    expect(await proposed(...words)).toEqual(expected);
  });

  test('is every profile of the file that was named', async () => {
    const file = join(await temporaryDirectory(), 'profiles.yaml');
    await writeFile(file, 'profiles:\n  work: { read-only: "true" }\n  home: { read-only: "true" }\n');
    expect(await proposed('--profiles-file', file, '--profile', '')).toEqual(['work', 'home']);
  });

  test('is every tool', async () => {
    expect(await proposed('tools', '')).toEqual(tools.map(({ name }) => name));
  });
});

/** A script in which infra-mcp is this program. */
async function scriptFor(shell: (typeof shells)[number], asks: string): Promise<string> {
  const { command } = commandLine([]);
  const quoted = command.map((word) => `'${word}'`).join(' ');
  const { stdout } = await runProgram(['completion', shell]);
  const own = shell === 'fish' ? `function infra-mcp\n  ${quoted} $argv\nend\n` : `infra-mcp() { ${quoted} "$@"; }\n`;
  const path = join(await temporaryDirectory(), `completion.${shell}`);
  await writeFile(path, `${own}${shell === 'zsh' ? 'compdef() { : }\n' : ''}${stdout}${asks}\n`);
  return path;
}

/** Whether a shell that isn't here is passed over: in CI all of them have to be there. */
function isPassedOver(shell: string): boolean {
  const isHere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  if (!isHere) console.warn(`${shell} is not installed, so its completion is not tried`);
  return !isHere && process.env['CI'] !== 'true';
}

/** How each shell is asked what it would propose for words, and prints it. */
const asking: Record<(typeof shells)[number], (words: string[]) => string> = {
  bash: (words) =>
    `COMP_WORDS=(infra-mcp ${words.join(' ')}); COMP_CWORD=${words.length}; _infra_mcp; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words) =>
    `_describe() { print -l -- "\${(@P)2}" }; _files() { print files }; words=(infra-mcp ${words.join(' ')}); CURRENT=${words.length + 1}; _infra_mcp`,
  fish: (words) => `complete -C "infra-mcp ${words.join(' ')}"`,
};

describe.each(shells)('%s', (shell) => {
  const flags = shell === 'zsh' ? ['-f'] : shell === 'fish' ? ['--no-config'] : ['--norc'];
  const ask = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)(shell, [...flags, await scriptFor(shell, asking[shell](words))])).stdout;

  test.skipIf(isPassedOver(shell))('proposes what the program does', async () => {
    expect(await ask('tools', '--read')).toContain('--read-only');
    expect(await ask('doc')).toContain('doctor');
  });

  test.skipIf(isPassedOver(shell))('runs nothing that is typed', async () => {
    const marker = join(await temporaryDirectory(), 'ran');
    const typed = shell === 'fish' ? `\\$\\(touch ${marker}\\)` : `'$(touch ${marker})'`;
    await ask('--data-dir', typed, '--read');
    expect(existsSync(marker)).toBe(false);
  });
});
