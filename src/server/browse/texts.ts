import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ServerLogger } from '../context/call-context.ts';
import type { Prompt } from './prompts/prompt.ts';

/** Texts that come with the program. Nothing is read before it is asked for, and everything once. */
export interface Texts {
  /** By name, in the order of their names. @throws Error that names the one that can't be used. */
  readonly prompts: () => Promise<ReadonlyMap<string, Prompt>>;
  /** The folder of skills, a folder each. */
  readonly skills: string;
  /** The steps of a skill, without what stands before them. */
  readonly steps: (skill: string) => Promise<string>;
  /** The page about the states of the embedded platform. */
  readonly states: () => Promise<string>;
}

/** Where the texts lie below a folder. */
export const textPaths = { prompts: 'prompts', skills: 'skills', states: 'docs/states.md' } as const;

function memoizeAsync<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

async function readPrompts(folder: string): Promise<ReadonlyMap<string, Prompt>> {
  const { parsePrompt } = await import('./prompts/prompt.ts');
  const names = (await readdir(folder)).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : []));
  const prompts = names.toSorted().map(async (name) => [name, await parsePrompt(name, await readFile(join(folder, `${name}.md`), 'utf8'))] as const);
  return new Map(await Promise.all(prompts));
}

/** @param folder an absolute path; what is missing there shows when it is asked for. */
export function textsIn(folder: string): Texts {
  const skills = join(folder, textPaths.skills);
  return {
    prompts: memoizeAsync(() => readPrompts(join(folder, textPaths.prompts))),
    skills,
    steps: async (skill) => {
      const { parseFrontMatter } = await import('./prompts/front-matter.ts');
      return (await parseFrontMatter(`The skill ${skill}`, await readFile(join(skills, skill, 'SKILL.md'), 'utf8'))).body;
    },
    states: memoizeAsync(() => readFile(join(folder, textPaths.states), 'utf8')),
  };
}

/** Tells the log why texts can't be served, and callers only that they can't. */
export const rethrowAsUnavailable = (what: string, log: ServerLogger) => (error: unknown): never => {
  log.error({ err: error }, `${what} can't be read`);
  throw new ProtocolError(ProtocolErrorCode.InternalError, `The ${what} that belong to this server can't be read. Whoever runs it finds the reason in its log.`);
};

/** The same texts, for callers. */
export const withCallerErrors = (texts: Texts, log: ServerLogger): Texts => ({
  ...texts,
  prompts: () => texts.prompts().catch(rethrowAsUnavailable('prompts', log)),
  steps: (skill) => texts.steps(skill).catch(rethrowAsUnavailable('skills', log)),
  states: () => texts.states().catch(rethrowAsUnavailable('states', log)),
});
