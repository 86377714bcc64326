import { ProtocolError, ProtocolErrorCode, type GetPromptRequest, type GetPromptResult, type ListPromptsResult, type Prompt as ListedPrompt, type ServerContext } from '@modelcontextprotocol/server';
import { withWarning } from '../../tool/mentions.ts';
import { nearest } from '../../tool/nearest.ts';
import { clean, fence } from '../../redaction/index.ts';
import { resources } from '../resources/catalog.ts';
import { isOfPlatform } from '../resources/resource.ts';
import type { CallFor } from '../resources/serving.ts';
import type { Texts } from '../texts.ts';
import type { Tool } from '../../tool/tool.ts';
import type { JsonRecord } from '../../json/values.ts';
import { faultsOf, messageOf, type Given, type Prefetched } from './message.ts';
import type { Prompt } from './prompt.ts';

/** What serving prompts works with. */
export interface ServingPrompts {
  readonly texts?: Texts;
  readonly call: CallFor;
  /** A tool by its name, where there is one. */
  readonly toolNamed: (name: string) => Tool | undefined;
  /** Names of tools that aren't shown. */
  readonly hidden: readonly string[];
}

/** Most characters of one thing that is read beforehand: the message is to be read before anything is done. */
const mostCharacters = 6_000;

const listed = ({ name, title, description, arguments: taken }: Prompt): ListedPrompt => ({
  name,
  title,
  description,
  arguments: Object.entries(taken).map(([argument, { description: about, required }]) => ({ name: argument, description: about, required })),
});

function cut(text: string): { readonly text: string; readonly left: boolean } {
  if (text.length <= mostCharacters) return { text, left: false };
  const lines = text.lastIndexOf('\n', mostCharacters);
  return { text: text.slice(0, lines > 0 ? lines : mostCharacters), left: true };
}

/** Reads for a prompt what it wants to be read beforehand. What can't be read is told as that. */
async function prefetch({ source: name, given: wanted }: Prompt['prefetch'][number], given: Given, context: ServerContext, { call, toolNamed }: ServingPrompts): Promise<Prefetched | undefined> {
  const resource = resources.filter(isOfPlatform).find((one) => one.name === name);
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
  const shown = cut(tool.render.text(reply.data));
  return { title, text: [fence(shown.text), ...(shown.left ? ['There is more: read it with the tools.'] : [])].join('\n') };
}

async function promptNamed(name: string, texts: Texts | undefined): Promise<Prompt> {
  const prompts = (await texts?.prompts()) ?? new Map<string, Prompt>();
  const prompt = prompts.get(name);
  if (prompt) return prompt;
  const near = nearest(name, [...prompts.keys()]);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}"${near ? `; did you mean "${near}"?` : ''}`);
}

/** Serves the prompts that come with the program, with what they are about read into them; without texts there are none. */
export function promptsOf(serving: ServingPrompts) {
  const { texts, hidden } = serving;
  return {
    list: async (): Promise<ListPromptsResult> => ({ prompts: [...((await texts?.prompts())?.values() ?? [])].map(listed) }),
    get: async ({ name, arguments: given = {} }: GetPromptRequest['params'], context: ServerContext): Promise<GetPromptResult> => {
      const prompt = await promptNamed(name, texts);
      const faults = faultsOf(prompt, given);
      if (faults.length > 0) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} can't be made: ${faults.join('; ')}`);
      const [steps, ...read] = await Promise.all([texts!.steps(name), ...prompt.prefetch.map((one) => prefetch(one, given, context, serving))]);
      const text = messageOf(prompt, given, withWarning(steps, hidden), read.filter((one) => one !== undefined));
      return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  };
}
