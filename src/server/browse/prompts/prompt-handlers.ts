import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptRequest,
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt as ListedPrompt,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { firstPart, repeated } from '../../../contract/index.ts';
import { nearestName, withWarning, type Tool } from '../../tool/index.ts';
import { clean, delimited } from '../../redaction/index.ts';
import { allResources } from '../resources/catalog.ts';
import { isPlatformResource } from '../resources/resource.ts';
import type { CallFor } from '../resources/resource-reader.ts';
import type { Texts } from '../texts.ts';
import type { JsonRecord } from '../../json/index.ts';
import { type Prompt, forms } from './prompt.ts';

/** The values of a prompt's arguments, by name. */
type PromptArguments = Readonly<Record<string, string>>;

/** The faults of the arguments; empty if they are valid. */
function argumentFaults({ name, arguments: declared }: Prompt, args: PromptArguments): readonly string[] {
  const missing = Object.entries(declared).flatMap(([argument, { required }]) =>
    required && !args[argument]?.trim() ? [`"${argument}" is required`] : [],
  );
  const unknown = Object.keys(args).flatMap((argument) =>
    Object.hasOwn(declared, argument)
      ? []
      : [`"${argument}" is not known; ${name} takes ${Object.keys(declared).join(', ')}`],
  );
  const wrong = Object.entries(declared).flatMap(([argument, { form, unlike }]) => {
    const value = args[argument]?.trim();
    if (!value) return [];
    const same = unlike !== undefined && args[unlike]?.trim().toLowerCase() === value.toLowerCase();
    return [
      ...(form && !forms[form].fits(value) ? [`"${argument}" must be ${forms[form].must}`] : []),
      ...(same ? [`"${argument}" must be another one than "${unlike}"`] : []),
    ];
  });
  return [...missing, ...unknown, ...wrong];
}

const fillIn = (request: string, args: PromptArguments): string =>
  request.replaceAll(/\{\{(\w+)\}\}/g, (_, argument: string) => clean(args[argument] ?? ''));

/** The arguments that the request text doesn't mention, as lines. */
const unmentionedArguments = ({ request, arguments: declared }: Prompt, args: PromptArguments): string[] =>
  Object.keys(declared).flatMap((argument) =>
    args[argument] && !request.includes(`{{${argument}}}`) ? [`${argument}: ${clean(args[argument])}`] : [],
  );

/** Data read for a prompt, as text. */
interface Prefetched {
  readonly title: string;
  readonly text: string;
}

/**
 * The message of a prompt: the request, the steps, and the prefetched data.
 * @param steps the steps of the skill of the same name.
 */
const promptMessage = (
  prompt: Prompt,
  args: PromptArguments,
  steps: string,
  prefetched: readonly Prefetched[],
): string =>
  [
    [fillIn(prompt.request, args), ...unmentionedArguments(prompt, args)].join('\n'),
    steps,
    ...(prefetched.length === 0 ? [] : ['Read just now, so that it need not be read again:']),
    ...prefetched.map(({ title, text }) => `## ${title}\n${text}`),
  ].join('\n\n');

/** Dependencies of the prompt handlers. */
export interface PromptDependencies {
  readonly texts?: Texts;
  readonly call: CallFor;
  /** Finds a tool by name. */
  readonly toolNamed: (name: string) => Tool | undefined;
  /** Names of hidden tools. */
  readonly hidden: readonly string[];
}

/** Maximum length of one prefetched text in characters, so that the message stays short. */
const mostCharacters = 6_000;

const listedPrompt = ({ name, title, description, arguments: declared }: Prompt): ListedPrompt => ({
  name,
  title,
  description,
  arguments: Object.entries(declared).map(([argument, { description: argumentDescription, required }]) => ({
    name: argument,
    description: argumentDescription,
    required,
  })),
});

function truncate(text: string): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= mostCharacters) return { text, isCut: false };
  const lines = text.lastIndexOf('\n', mostCharacters);
  return { text: firstPart(text, lines > 0 ? lines : mostCharacters), isCut: true };
}

/**
 * Reads one of a prompt's prefetched resources or tools. A failed read returns a text that says so. Undefined if the
 * tool or an argument is missing.
 */
async function prefetch(
  { source: name, given: mapping }: Prompt['prefetch'][number],
  args: PromptArguments,
  context: ServerContext,
  { call, toolNamed }: PromptDependencies,
): Promise<Prefetched | undefined> {
  const resource = allResources.filter(isPlatformResource).find((one) => one.name === name);
  const tool = resource?.tool ?? toolNamed(name);
  // The server may hide the tool: the steps then contain a warning about it.
  if (!tool) return undefined;
  const toolArguments: JsonRecord = Object.fromEntries(
    Object.entries(mapping).map(([variable, argument]) => [variable, args[argument]]),
  );
  if (Object.values(toolArguments).includes(undefined)) return undefined;
  const title = clean([resource?.title ?? name, ...Object.values(toolArguments).map(String)].join(': '));
  const reply = await call(context, tool, toolArguments);
  if (reply.kind !== 'answer') return { title, text: reply.kind === 'failure' ? reply.text : 'It could not be read.' };
  // A tool's full text ends with its proposed next calls.
  if (!resource && reply.text.length <= mostCharacters) return { title, text: reply.text };
  const excerpt = truncate(tool.render.text(reply.data));
  return {
    title,
    text: [delimited(excerpt.text), ...(excerpt.isCut ? ['There is more: read it with the tools.'] : [])].join('\n'),
  };
}

async function promptNamed(name: string, texts: Texts | undefined): Promise<Prompt> {
  const prompts = (await texts?.prompts()) ?? new Map<string, Prompt>();
  const prompt = prompts.get(name);
  if (prompt) return prompt;
  const suggestion = nearestName(name, [...prompts.keys()]);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no prompt "${repeated(name)}"${suggestion ? `; did you mean "${suggestion}"?` : ''}`,
  );
}

/** Handlers of the program's prompts, whose messages include prefetched data. Without texts there are no prompts. */
export function promptHandlers(dependencies: PromptDependencies) {
  const { texts, hidden } = dependencies;
  return {
    list: async (): Promise<ListPromptsResult> => ({
      prompts: [...((await texts?.prompts())?.values() ?? [])].map(listedPrompt),
    }),
    get: async (
      { name, arguments: args = {} }: GetPromptRequest['params'],
      context: ServerContext,
    ): Promise<GetPromptResult> => {
      const prompt = await promptNamed(name, texts);
      const faults = argumentFaults(prompt, args);
      if (faults.length > 0)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The prompt ${name} can't be made: ${faults.join('; ')}`,
        );
      const [steps, ...prefetched] = await Promise.all([
        texts!.steps(name),
        ...prompt.prefetch.map((one) => prefetch(one, args, context, dependencies)),
      ]);
      const text = promptMessage(
        prompt,
        args,
        withWarning(steps, hidden),
        prefetched.filter((one) => one !== undefined),
      );
      return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  };
}
