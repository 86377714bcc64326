import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { parse } from 'yaml';

/** Where the checkout is. */
export const root = join(import.meta.dirname, '../..');

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');
export const readJson = (path: string): unknown => JSON.parse(readText(path));
export const readYaml = (path: string): unknown => parse(readText(path));

const dockerfile = DockerfileParser.parse(readText('deploy/Dockerfile'));

/** What each instruction with this keyword is given, in their order. */
export const instructions = (keyword: string): string[] =>
  dockerfile
    .getInstructions()
    .filter((one) => one.getKeyword() === keyword)
    .map((one) => one.getArgumentsContent() ?? '');

/** The list of words that the last instruction with this keyword has. */
const wordsOf = (keyword: string): string[] =>
  JSON.parse(
    instructions(keyword)
      .at(-1)!
      .replace(/^.*?\bCMD\s+/, ''),
  ) as string[];

const pairs = (given: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    given.flatMap((one) => one.getArguments()).map((argument) => argument.getValue().split('=') as [string, string]),
  );

/** What the container image does when it is started. */
export const image = {
  env: pairs(dockerfile.getENVs()),
  arguments: pairs(dockerfile.getInitialARGs()),
  entrypoint: wordsOf('ENTRYPOINT'),
  command: wordsOf('CMD'),
  healthcheck: wordsOf('HEALTHCHECK'),
  user: instructions('USER').at(-1)!,
  port: Number(instructions('EXPOSE').at(-1)),
};
