import { clean } from '../../redaction/index.ts';
import { forms } from './forms.ts';
import type { Prompt } from './prompt.ts';

/** What was given for the arguments, by name. */
export type Given = Readonly<Record<string, string>>;

/** What is wrong with what was given; empty when it is good. */
export function faultsOf({ name, arguments: taken }: Prompt, given: Given): readonly string[] {
  const missing = Object.entries(taken).flatMap(([argument, { required }]) => (required && !given[argument]?.trim() ? [`"${argument}" is required`] : []));
  const unknown = Object.keys(given).flatMap((argument) => (Object.hasOwn(taken, argument) ? [] : [`"${argument}" is not known; ${name} takes ${Object.keys(taken).join(', ')}`]));
  const wrong = Object.entries(taken).flatMap(([argument, { form, unlike }]) => {
    const value = given[argument]?.trim();
    if (!value) return [];
    const same = unlike !== undefined && given[unlike]?.trim().toLowerCase() === value.toLowerCase();
    return [...(form && !forms[form].fits(value) ? [`"${argument}" must be ${forms[form].must}`] : []), ...(same ? [`"${argument}" must be another one than "${unlike}"`] : [])];
  });
  return [...missing, ...unknown, ...wrong];
}

const inserted = (request: string, given: Given): string =>
  request.replaceAll(/\{\{(\w+)\}\}/g, (_, argument: string) => clean(given[argument] ?? ''));

/** Arguments that the request doesn't mention, one a line. */
const rest = ({ request, arguments: taken }: Prompt, given: Given): string[] =>
  Object.keys(taken).flatMap((argument) => (given[argument] && !request.includes(`{{${argument}}}`) ? [`${argument}: ${clean(given[argument])}`] : []));

/** Something read for a prompt beforehand, in words. */
export interface Prefetched {
  readonly title: string;
  readonly text: string;
}

/**
 * A prompt in words: what is wanted, what to do, and what was read beforehand.
 * @param steps the skill's.
 */
export const messageOf = (prompt: Prompt, given: Given, steps: string, read: readonly Prefetched[]): string =>
  [
    [inserted(prompt.request, given), ...rest(prompt, given)].join('\n'),
    steps,
    ...(read.length === 0 ? [] : ['Read just now, so that it need not be read again:']),
    ...read.map(({ title, text }) => `## ${title}\n${text}`),
  ].join('\n\n');
