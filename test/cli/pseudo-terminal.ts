import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandLine } from '../support/built-program.ts';

const root = join(import.meta.dirname, '../..');

const columns = 100;

// What makes a terminal for another program; not every system has it in this form. In CI there has to be a way to make
// one.
export const makesTerminals =
  process.env['CI'] === 'true' ||
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

/**
 * What a terminal of that many columns shows after it was sent a text, line by line: later text and erasing undo
 * earlier text.
 */
export function renderScreen(sent: string, width = columns): string[] {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const line = (): string[] => (rows[row] ??= []);
  const put = (character: string): void => {
    if (column >= width) [row, column] = [row + 1, 0];
    line()[column] = character;
    column += 1;
  };
  const erase = (from: number, to: number): void => {
    for (let at = from; at < Math.min(to, line().length); at += 1) line()[at] = ' ';
  };
  const moves: Readonly<Record<string, (count: number, given: string) => void>> = {
    A: (count) => (row = Math.max(0, row - count)),
    B: (count) => (row += count),
    C: (count) => (column = Math.min(width - 1, column + count)),
    D: (count) => (column = Math.max(0, column - count)),
    G: (count) => (column = count - 1),
    J: (_, given) => {
      if (given === '2') rows.splice(0, rows.length, []);
      else rows.splice(row + 1);
      erase(given === '2' ? 0 : column, Infinity);
    },
    K: (_, given) => erase(given === '1' || given === '2' ? 0 : column, given === '1' ? column : Infinity),
  };
  // oxlint-disable-next-line no-control-regex
  for (const [part, given = '', end = ''] of sent.matchAll(/\x1b\[([\d;?]*)([A-Za-z])|\x1b.|[^\x1b]/gsu)) {
    if (end !== '') moves[end]?.(Number(given) || 1, given);
    else if (part === '\r') column = 0;
    else if (part === '\n') row += 1;
    else if (part === '\b') column = Math.max(0, column - 1);
    else if (!/^\p{Cc}/u.test(part)) put(part);
  }
  return Array.from(rows, (cells) =>
    Array.from(cells ?? [], (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  );
}

/** What a person types once the last line of the screen reads so. */
export type PromptReply = readonly [RegExp, string];

/**
 * Longest that a program is waited for which asks for nothing, in milliseconds: one that never asks must not hang the
 * test.
 */
const idleTimeout = 30_000;

/** A command line in single quotes: the words are a test's own. */
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/**
 * Starts infra-mcp by its npm script in a pseudo-terminal of its own, as somebody who works on it does, and types.
 * Afterwards the shell of that terminal tells how the program ended, and how the terminal is set.
 */
export async function runInTerminal(
  args: readonly string[],
  env: Record<string, string>,
  typing: readonly PromptReply[],
  width = columns,
) {
  const line = `stty cols ${width} rows 40; ${quoted(['npm', 'start', '--silent', '--', ...args])}; echo "exit $?"; stty -a`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: root,
    env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  const left = [...typing];
  /** The last line with something on it, each time before something was typed. */
  const prompts: string[] = [];
  let sent = '';
  const kill = (): void => void child.kill('SIGKILL');
  let hanging = setTimeout(kill, idleTimeout);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    sent += text;
    const last = renderScreen(sent, width).findLast((one) => one !== '') ?? '';
    if (!left[0]?.[0].test(last)) return;
    clearTimeout(hanging);
    hanging = setTimeout(kill, idleTimeout);
    prompts.push(last);
    child.stdin.write(left.shift()![1]);
  });
  await once(child, 'close');
  clearTimeout(hanging);
  const shown = renderScreen(sent, width).join('\n');
  const [, screen = '', exit = '', settings = ''] = /^(.*)^exit (\d+)\n(.*)$/ms.exec(shown) ?? [];
  return { sent, screen, prompts, exit: Number(exit), settings: settings.split(/[\s;]+/), untyped: left.length };
}

/**
 * Runs infra-mcp in a pseudo-terminal of that many columns, until it ends.
 * @returns what it sent, and the lines that stay, each as long as it was written.
 */
export async function shownInTerminal(
  args: readonly string[],
  more: Record<string, string>,
  width: number,
): Promise<{ readonly sent: string; readonly lines: readonly string[] }> {
  const {
    command,
    env: { CI: _, ...env },
  } = commandLine(args, more);
  const line = `stty cols ${width}; ${quoted(command)}; true`;
  const { stdout: sent } = await promisify(execFile)('script', ['-qec', line, '/dev/null'], {
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  });
  return { sent, lines: renderScreen(sent, Infinity) };
}
