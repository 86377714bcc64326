import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** A person at a terminal. */
export interface Terminal {
  /** False where input or output is a file, a pipe or another program. */
  readonly isInteractive: boolean;
  write(text: string): void;
  /** What the person types in answer, without the line break. @throws Error when no answer is given: Ctrl-C, or the end of input. */
  ask(prompt: string): Promise<string>;
  /** The same, without showing what is typed. */
  askHidden(prompt: string): Promise<string>;
}

/** Passes a prompt on to the terminal, and nothing of what is written after it. */
const promptOnly = (prompt: string): Writable => {
  let left = prompt;
  return new Writable({
    write: (chunk, _encoding, done) => {
      if (String(chunk) === left) {
        process.stdout.write(left);
        left = '';
      }
      done();
    },
  });
};

/**
 * One line from this process's terminal. The prompt is the reader's own: it clears the line before it writes one.
 * @param output where the prompt and what is typed appear.
 * @throws Error when the person ends the input, or interrupts, instead of answering.
 */
async function readLine(prompt: string, output: Writable): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new Promise<never>((_, reject) => reader.once('close', () => reject(new Error('No answer was given, so nothing was done.'))));
  try {
    return await Promise.race([reader.question(prompt), ended]);
  } catch (error) {
    process.stdout.write('\n');
    throw error;
  } finally {
    reader.close();
  }
}

/** The terminal of this process. */
export const processTerminal = (): Terminal => ({
  isInteractive: process.stdin.isTTY && process.stdout.isTTY,
  write: (text) => void process.stdout.write(text),
  ask: (prompt) => readLine(prompt, process.stdout),
  askHidden: async (prompt) => {
    const typed = await readLine(prompt, promptOnly(prompt));
    // The line break that was typed is not shown either.
    process.stdout.write('\n');
    return typed;
  },
});
