import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** A person at a terminal. */
export interface Terminal {
  /** False if input or output is not a terminal. */
  readonly isInteractive: boolean;
  write(text: string): void;
  /** Prompts for one line, returned without the line break. @throws Error on Ctrl-C or end of input. */
  ask(prompt: string): Promise<string>;
  /** Like `ask`, without echoing the input. */
  askHidden(prompt: string): Promise<string>;
}

/** A stream that writes the prompt to the terminal and drops everything else. */
const promptOnly = (prompt: string): Writable => {
  let expected = prompt;
  return new Writable({
    write: (chunk, _encoding, done) => {
      if (String(chunk) === expected) {
        process.stdout.write(expected);
        expected = '';
      }
      done();
    },
  });
};

/**
 * Reads one line from this process's terminal. The readline interface must write the prompt, because it clears the line
 * first.
 * @param output receives the prompt and the echoed input.
 * @throws Error on Ctrl-C or end of input.
 */
async function readLine(prompt: string, output: Writable): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new Promise<never>((_, reject) =>
    reader.once('close', () => reject(new Error('No answer was given, so nothing was done.'))),
  );
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
    // The typed line break is not echoed either.
    process.stdout.write('\n');
    return typed;
  },
});
