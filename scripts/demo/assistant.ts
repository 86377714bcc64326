import { join } from 'node:path';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { forPeople, type Show } from './show.ts';

const root = join(import.meta.dirname, '../..');

/** What a tool answered. */
export interface Answer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly failed: boolean;
}

/** An assistant that is connected to a server of its own. Its user agrees to nothing. */
export interface Assistant {
  /** Calls a tool and shows that it does. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Calls a tool without showing it. */
  ask(tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** The questions that the user was asked so far. */
  readonly asked: readonly string[];
  tools(): Promise<number>;
  /** Where what it does is shown. */
  readonly show: Show;
  close(): Promise<void>;
}

const textOf = (content: readonly { type: string; text?: string }[]): string => content.map(({ text = '' }) => text).join('\n');

/** Connects to a server. */
export async function assistantOver(transport: Transport, show: Show = forPeople): Promise<Assistant> {
  const client = new Client({ name: 'infra-mcp-demo', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    show.tell({ event: 'question', text: params.message, answer: 'no' });
    return { action: 'decline' };
  });
  await client.connect(transport);

  const ask = async (name: string, args: Readonly<Record<string, unknown>>): Promise<Answer> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
    return { text: textOf(content), data: (structuredContent ?? {}) as Record<string, unknown>, failed: isError === true };
  };
  return {
    ask,
    call: (tool, args = {}) => {
      show.tell({ event: 'call', tool, arguments: args, ...(tool === 'create_secret' && { hidden: 'value' }) });
      return ask(tool, args);
    },
    asked,
    tools: async () => (await client.listTools()).tools.length,
    show,
    close: () => client.close(),
  };
}

/**
 * Starts the server from source, as an assistant's host would, and connects to it over stdio.
 * @param options the server's environment; the caller's own INFRA_ variables don't reach it.
 */
export function connect(options: Readonly<Record<string, string>>, show: Show): Promise<Assistant> {
  const inherited = Object.entries(process.env).filter(([name, value]) => !name.startsWith('INFRA_') && value !== undefined);
  return assistantOver(new StdioClientTransport({
    command: process.execPath,
    args: ['--import', import.meta.resolve('tsx'), join(root, 'src/main.ts'), 'stdio'],
    env: { ...(Object.fromEntries(inherited) as Record<string, string>), ...options },
    cwd: root,
  }), show);
}
