import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** A person at a terminal. */
export interface Terminal {
  /** False where input or output is a file, a pipe or another program. */
  readonly isInteractive: boolean;
  write(text: string): void;
  /** What the person types in answer, without the line break. */
  ask(prompt: string): Promise<string>;
  /** The same, without showing what is typed. */
  askUnseen(prompt: string): Promise<string>;
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** One line from this process's terminal. @param output where what is typed appears. */
async function line(prompt: string, output: Writable): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  // Only now: from here on the terminal shows nothing by itself of what is typed.
  process.stdout.write(prompt);
  // The end of input, or Ctrl-C, is an empty answer.
  const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    return await Promise.race([reader.question(''), ended]);
  } finally {
    reader.close();
  }
}

/** The terminal of this process. */
export const ownTerminal = (): Terminal => ({
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
  write: (text) => void process.stdout.write(text),
  ask: (prompt) => line(prompt, process.stdout),
  askUnseen: async (prompt) => {
    const typed = await line(prompt, nowhere());
    process.stdout.write('\n');
    return typed;
  },
});
