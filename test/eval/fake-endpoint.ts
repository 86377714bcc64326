import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

type Json = Record<string, unknown>;

/** A call that the fake model makes. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args: Json;
}

/** What the fake model does where the user's words contain a text: these calls one by one, then it speaks. */
export type Script = Readonly<Record<string, readonly ScriptedCall[]>>;

/** A model's API on loopback, and the requests that it got. */
export interface FakeEndpoint {
  readonly url: string;
  readonly requests: {
    readonly path: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: Json;
  }[];
}

const messagesOf = (body: Json): Json[] => body['messages'] as Json[];

/** How often the model was told a result, in either format. */
const resultsIn = (body: Json): number =>
  messagesOf(body)
    .flatMap(({ role, content }) =>
      role === 'tool' ? ['tool'] : Array.isArray(content) ? (content as Json[]).map(({ type }) => type) : [],
    )
    .filter((type) => type === 'tool' || type === 'tool_result').length;

const said = 'Done, as far as I can see.';

/** A completion in the format of OpenAI's API. */
const completion = (call: ScriptedCall | undefined, id: string): Json => ({
  id: 'c',
  object: 'chat.completion',
  created: 0,
  model: 'fake',
  usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 },
  choices: [
    {
      index: 0,
      finish_reason: call ? 'tool_calls' : 'stop',
      message: call
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [{ id, type: 'function', function: { name: call.tool, arguments: JSON.stringify(call.args) } }],
          }
        : { role: 'assistant', content: said },
    },
  ],
});

/** A message in the format of Anthropic's API. */
const message = (call: ScriptedCall | undefined, id: string): Json => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'fake',
  stop_reason: call ? 'tool_use' : 'end_turn',
  usage: { input_tokens: 90, output_tokens: 10 },
  content: call ? [{ type: 'tool_use', id, name: call.tool, input: call.args }] : [{ type: 'text', text: said }],
});

/**
 * Starts a model's API that plays a script, in the format that the path asks for.
 * @param refuse answers every request with 401 and this text.
 */
export async function startFakeEndpoint(
  script: Script,
  { refuse }: { readonly refuse?: string } = {},
): Promise<FakeEndpoint> {
  const requests: FakeEndpoint['requests'] = [];
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.on('data', (part: Buffer) => (text += part.toString()));
    incoming.on('end', () => {
      const body = JSON.parse(text) as Json;
      const path = incoming.url ?? '';
      requests.push({ path, headers: incoming.headers, body });
      response.setHeader('content-type', 'application/json');
      if (refuse !== undefined) {
        response.writeHead(401).end(JSON.stringify({ error: { message: refuse } }));
        return;
      }
      const user = JSON.stringify(messagesOf(body).find(({ role }) => role === 'user'));
      const calls = Object.entries(script).find(([words]) => user.includes(words))?.[1] ?? [];
      const done = resultsIn(body);
      response.end(JSON.stringify((path.endsWith('/messages') ? message : completion)(calls[done], `call-${done}`)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}
