import { ProtocolError, ProtocolErrorCode, type GetPromptRequest, type GetPromptResult, type ListPromptsResult, type Prompt as ListedPrompt, type ServerContext } from '@modelcontextprotocol/server';
import { withWarning } from '../../tool/tool-text.ts';
import { nearestName } from '../../tool/nearest-name.ts';
import { clean, fence } from '../../redaction/index.ts';
import { allResources } from '../resources/catalog.ts';
import { isPlatformResource } from '../resources/resource.ts';
import type { CallFor } from '../resources/resource-reader.ts';
import type { Texts } from '../texts.ts';
import type { Tool } from '../../tool/tool.ts';
import type { JsonRecord } from '../../json/values.ts';
import type { Prompt } from './prompt.ts';
import { forms } from './argument-forms.ts';

/** What was given for the arguments, by name. */
type PromptArguments = Readonly<Record<string, string>>;

/** What is wrong with what was given; empty when it is good. */
function argumentFaults({ name, arguments: taken }: Prompt, given: PromptArguments): readonly string[] {
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

const fillIn = (request: string, given: PromptArguments): string =>
  request.replaceAll(/\{\{(\w+)\}\}/g, (_, argument: string) => clean(given[argument] ?? ''));

/** Arguments that the request doesn't mention, one a line. */
const unmentionedArguments = ({ request, arguments: taken }: Prompt, given: PromptArguments): string[] =>
  Object.keys(taken).flatMap((argument) => (given[argument] && !request.includes(`{{${argument}}}`) ? [`${argument}: ${clean(given[argument])}`] : []));

/** Something read for a prompt beforehand, in words. */
interface Prefetched {
  readonly title: string;
  readonly text: string;
}

/**
 * A prompt in words: what is wanted, what to do, and what was read beforehand.
 * @param steps the skill's.
 */
const promptMessage = (prompt: Prompt, given: PromptArguments, steps: string, read: readonly Prefetched[]): string =>
  [
    [fillIn(prompt.request, given), ...unmentionedArguments(prompt, given)].join('\n'),
    steps,
    ...(read.length === 0 ? [] : ['Read just now, so that it need not be read again:']),
    ...read.map(({ title, text }) => `## ${title}\n${text}`),
  ].join('\n\n');

/** What serving prompts works with. */
export interface PromptDependencies {
  readonly texts?: Texts;
  readonly call: CallFor;
  /** A tool by its name, where there is one. */
  readonly toolNamed: (name: string) => Tool | undefined;
  /** Names of tools that aren't shown. */
  readonly hidden: readonly string[];
}

/** Most characters of one thing that is read beforehand: the message is to be read before anything is done. */
const mostCharacters = 6_000;

const listedPrompt = ({ name, title, description, arguments: taken }: Prompt): ListedPrompt => ({
  name,
  title,
  description,
  arguments: Object.entries(taken).map(([argument, { description: about, required }]) => ({ name: argument, description: about, required })),
});

function truncate(text: string): { readonly text: string; readonly left: boolean } {
  if (text.length <= mostCharacters) return { text, left: false };
  const lines = text.lastIndexOf('\n', mostCharacters);
  return { text: text.slice(0, lines > 0 ? lines : mostCharacters), left: true };
}

/** Reads for a prompt what it wants to be read beforehand. What can't be read is told as that. */
async function prefetch({ source: name, given: wanted }: Prompt['prefetch'][number], given: PromptArguments, context: ServerContext, { call, toolNamed }: PromptDependencies): Promise<Prefetched | undefined> {
  const resource = allResources.filter(isPlatformResource).find((one) => one.name === name);
  const tool = resource?.tool ?? toolNamed(name);
  // A server may do without the tool; what its steps say of it is told with them.
  if (!tool) return undefined;
  const args: JsonRecord = Object.fromEntries(Object.entries(wanted).map(([variable, argument]) => [variable, given[argument]]));
  if (Object.values(args).includes(undefined)) return undefined;
  const title = clean([resource?.title ?? name, ...Object.values(args).map(String)].join(': '));
  const reply = await call(context, tool, args);
  if (reply.kind !== 'answer') return { title, text: reply.kind === 'failure' ? reply.text : 'It could not be read.' };
  // A tool's own words end with the calls that it proposes.
  if (!resource && reply.text.length <= mostCharacters) return { title, text: reply.text };
  const shown = truncate(tool.render.text(reply.data));
  return { title, text: [fence(shown.text), ...(shown.left ? ['There is more: read it with the tools.'] : [])].join('\n') };
}

async function promptNamed(name: string, texts: Texts | undefined): Promise<Prompt> {
  const prompts = (await texts?.prompts()) ?? new Map<string, Prompt>();
  const prompt = prompts.get(name);
  if (prompt) return prompt;
  const near = nearestName(name, [...prompts.keys()]);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}"${near ? `; did you mean "${near}"?` : ''}`);
}

/** Serves the prompts that come with the program, with what they are about read into them; without texts there are none. */
export function promptHandlers(serving: PromptDependencies) {
  const { texts, hidden } = serving;
  return {
    list: async (): Promise<ListPromptsResult> => ({ prompts: [...((await texts?.prompts())?.values() ?? [])].map(listedPrompt) }),
    get: async ({ name, arguments: given = {} }: GetPromptRequest['params'], context: ServerContext): Promise<GetPromptResult> => {
      const prompt = await promptNamed(name, texts);
      const faults = argumentFaults(prompt, given);
      if (faults.length > 0) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} can't be made: ${faults.join('; ')}`);
      const [steps, ...read] = await Promise.all([texts!.steps(name), ...prompt.prefetch.map((one) => prefetch(one, given, context, serving))]);
      const text = promptMessage(prompt, given, withWarning(steps, hidden), read.filter((one) => one !== undefined));
      return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  };
}
