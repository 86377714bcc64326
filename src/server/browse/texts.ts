import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ServerLogger } from '../context/index.ts';
import type { Prompt } from './prompts/prompt.ts';

/** Texts of the program. Each is read when it is first needed; all but the steps are cached. */
export interface Texts {
  /** By name, in alphabetical order. @throws Error that names a prompt that can't be used. */
  readonly prompts: () => Promise<ReadonlyMap<string, Prompt>>;
  /** The folder of the skills, with a folder for each. */
  readonly skills: string;
  /** The steps of a skill, without its front matter. */
  readonly steps: (skill: string) => Promise<string>;
  /** The page about the states of the embedded platform. */
  readonly states: () => Promise<string>;
}

/** The paths of the texts below their folder. */
export const textPaths = { prompts: 'prompts', skills: 'skills', states: 'docs/states.md' } as const;

function memoizeAsync<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let promise: Promise<Value> | undefined;
  return () => (promise ??= create());
}

async function readPrompts(folder: string): Promise<ReadonlyMap<string, Prompt>> {
  const { parsePrompt } = await import('./prompts/prompt.ts');
  const names = (await readdir(folder)).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : []));
  const prompts = names
    .toSorted()
    .map(async (name) => [name, await parsePrompt(name, await readFile(join(folder, `${name}.md`), 'utf8'))] as const);
  return new Map(await Promise.all(prompts));
}

/** The texts in a folder. @param folder an absolute path. Missing files cause errors only when read. */
export function textsIn(folder: string): Texts {
  const skills = join(folder, textPaths.skills);
  return {
    prompts: memoizeAsync(() => readPrompts(join(folder, textPaths.prompts))),
    skills,
    steps: async (skill) => {
      const { parseFrontMatter } = await import('./prompts/prompt.ts');
      return (await parseFrontMatter(`The skill ${skill}`, await readFile(join(skills, skill, 'SKILL.md'), 'utf8')))
        .body;
    },
    states: memoizeAsync(() => readFile(join(folder, textPaths.states), 'utf8')),
  };
}

/** Logs why texts can't be read; callers only learn that they can't. */
export const rethrowAsUnavailable =
  (what: string, log: ServerLogger) =>
  (error: unknown): never => {
    log.error({ err: error }, `${what} can't be read`);
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `The ${what} that belong to this server can't be read. Whoever runs it finds the reason in its log.`,
    );
  };

/** Texts whose errors callers may see: the reason goes to the log. */
export const withCallerErrors = (texts: Texts, log: ServerLogger): Texts => ({
  ...texts,
  prompts: () => texts.prompts().catch(rethrowAsUnavailable('prompts', log)),
  steps: (skill) => texts.steps(skill).catch(rethrowAsUnavailable('skills', log)),
  states: () => texts.states().catch(rethrowAsUnavailable('states', log)),
});
