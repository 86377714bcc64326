import { join } from 'node:path';
import { Client, type ElicitRequestParams, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { endWithThisProcess } from '../temporary-directory.ts';
import { terminalOutput, type DemoOutput } from './output.ts';

const root = join(import.meta.dirname, '../..');

/** The result of a tool call. */
export interface ToolAnswer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly failed: boolean;
  /** The next calls that it proposes. */
  readonly proposed: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** An assistant with its own server. Its user confirms every call except those on production. */
export interface Assistant {
  /** Calls a tool and shows the call. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  /** Calls a tool without showing it. */
  ask(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  /** The confirmation questions so far. */
  readonly questions: readonly string[];
  tools(): Promise<number>;
  /** The output that shows its calls. */
  readonly output: DemoOutput;
  close(): Promise<void>;
}

const textOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map(({ text = '' }) => text).join('\n');

/** Whether a question is about a change of production, and not of what shares something with it. */
const isOnProduction = (question: string): boolean => /^On: .*, PRODUCTION\b/m.test(question);

/** The form content that confirms a call: yes, or the name to type, which the field's title ends with. */
function confirmation(params: ElicitRequestParams): Record<string, string | boolean> | undefined {
  if (!('requestedSchema' in params)) return undefined;
  const fields = Object.entries(params.requestedSchema.properties);
  return Object.fromEntries(
    fields.map(([name, { type, title = '' }]) => [
      name,
      type === 'boolean' ? true : title.slice(title.indexOf(': ') + 2),
    ]),
  );
}

/** Connects to a server. */
export async function assistantOver(transport: Transport, show: DemoOutput = terminalOutput): Promise<Assistant> {
  const client = new Client({ name: 'infra-mcp-demo', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    const answer = isOnProduction(params.message) ? undefined : confirmation(params);
    const [said] = Object.values(answer ?? {});
    show.emit({
      event: 'question',
      text: params.message,
      answer: answer === undefined ? 'no' : said === true ? 'yes' : String(said),
    });
    return answer === undefined ? { action: 'decline' } : { action: 'accept', content: answer };
  });
  await client.connect(transport);

  const ask = async (name: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> => {
    const { content, structuredContent, isError, _meta: meta } = await client.callTool({ name, arguments: args });
    const proposed = (meta?.['infra-mcp/next'] ?? []) as ToolAnswer['proposed'];
    return {
      text: textOf(content),
      data: (structuredContent ?? {}) as Record<string, unknown>,
      failed: isError === true,
      proposed,
    };
  };
  return {
    ask,
    call: (tool, args = {}) => {
      show.emit({ event: 'call', tool, arguments: args, ...(tool === 'create_secret' && { hidden: 'value' }) });
      return ask(tool, args);
    },
    questions: asked,
    tools: async () => (await client.listTools()).tools.length,
    output: show,
    close: () => client.close(),
  };
}

/**
 * Starts the server from source, as an assistant's host would, and connects to it over stdio.
 * @param options environment variables of the server. It doesn't inherit INFRA_ variables.
 */
export function connect(options: Readonly<Record<string, string>>, show: DemoOutput): Promise<Assistant> {
  const inherited = Object.entries(process.env).filter(
    ([name, value]) => !name.startsWith('INFRA_') && value !== undefined,
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', import.meta.resolve('tsx'), join(root, 'src/main.ts'), 'stdio'],
    env: { ...(Object.fromEntries(inherited) as Record<string, string>), ...options },
    cwd: root,
  });
  endWithThisProcess(() => transport.pid);
  return assistantOver(transport, show);
}
