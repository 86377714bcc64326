import { createReadStream } from 'node:fs';

/** One line of a log file. */
export interface AuditLine {
  readonly file: string;
  /** Starts at 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** False for text after the last line break. */
  readonly ended: boolean;
}

const lineBreak = 0x0a;

/** Streams the lines of files, one file after another. A missing file has no lines. */
export async function* readLines(files: readonly string[]): AsyncGenerator<AuditLine> {
  for (const file of files) {
    let number = 0;
    let rest = Buffer.alloc(0);
    try {
      for await (const chunk of createReadStream(file)) {
        rest = Buffer.concat([rest, chunk as Buffer]);
        for (let end = rest.indexOf(lineBreak); end >= 0; end = rest.indexOf(lineBreak)) {
          yield { file, number: ++number, bytes: rest.subarray(0, end), ended: true };
          rest = rest.subarray(end + 1);
        }
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (rest.length > 0) yield { file, number: number + 1, bytes: rest, ended: false };
  }
}
