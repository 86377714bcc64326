/** What the console's views load in a browser. */
export interface ConsoleFiles {
  readonly script: string;
  readonly style: string;
}

let made: Promise<ConsoleFiles> | undefined;

/**
 * The script and the stylesheet of the console's views. A build replaces this file by one that has them. When the program
 * runs from source, they are made when they are first read.
 */
export const consoleFiles = (): Promise<ConsoleFiles> =>
  (made ??= import('./build-page.ts').then(({ makeConsoleFiles }) => makeConsoleFiles()));
