import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

/** The pages for users and for whoever changes the code, by path from the root. */
export const pages: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  ...['docs', 'examples', 'src', 'tools', 'scripts', 'test'].flatMap(below),
];

export const pageText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** A command line that a page tells to type. */
export interface PageCommand {
  readonly page: string;
  readonly text: string;
  /** True where it stands within a sentence, which may speak of a command without its arguments. */
  readonly isInline: boolean;
}

const delimited = /^```(?<kind>sh|bash|shell|console)\n(?<lines>[\s\S]*?)^```/gm;
/** Commands in the middle of a sentence, of programs that are this one. */
const inline = /`(?<line>(?:infra-mcp|npx infra-mcp|npm (?:ci|start|test|run [^\s`]+))(?: [^`]*)?)`/g;

const prompt = '$ ';

/** What is typed in a block; of a console, the rest is what it answers. */
const typedLines = (block: string, kind: string): string[] => {
  const lines = block.replaceAll('\\\n', ' ').split('\n');
  const typed =
    kind === 'console'
      ? lines.filter((line) => line.startsWith(prompt)).map((line) => line.slice(prompt.length))
      : lines;
  return typed.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
};

/** Every command line of a page, those of blocks and those within sentences. */
export function commandsOfPage(page: string): PageCommand[] {
  const text = pageText(page);
  const blocks = [...text.matchAll(delimited)].flatMap(({ groups }) => typedLines(groups!['lines']!, groups!['kind']!));
  const within = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(inline)].map(({ groups }) => groups!['line']!);
  return [
    ...blocks.map((line) => ({ page, text: line, isInline: false })),
    ...within.map((line) => ({ page, text: line, isInline: true })),
  ];
}

/** The commands of a line, as a shell would split them; what is piped into or written to isn't part of them. */
export const commandsIn = (line: string): string[][] =>
  line.split(/\s+&&\s+|;\s+/).map((command) => {
    const words = [...command.matchAll(/"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>\S+)/g)].map(
      ({ groups }) => groups!['double'] ?? groups!['single'] ?? groups!['plain']!,
    );
    const end = words.findIndex((word) => ['|', '>', '>>', '<', '&'].includes(word));
    return end < 0 ? words : words.slice(0, end);
  });
