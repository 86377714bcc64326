import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import type { ServerDependencies } from '../../src/server/protocol/index.ts';
import { startStdioServer, stdioTransport } from '../../src/transport/index.ts';

export type RawMessage = Record<string, unknown> & {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
};

/** The result of a tool, as it is on the wire. */
export interface RawResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a client returns to a request of the server: a result or an error of any form. Undefined: nothing at all. */
export type RawReply = Readonly<Record<string, unknown>> | undefined;

/** A client that speaks the protocol by hand, so that it can answer wrongly. */
export interface RawClient {
  /** Calls a tool. @param more further members of the parameters. */
  call(name: string, args: object, more?: object): Promise<RawResult>;
  /** Requests of the server to the client, in order. Always empty in the 2026 revision, which has none. */
  readonly asked: RawMessage[];
  close(): Promise<void>;
}

export interface RawClientOptions {
  /** How it declares elicitation. */
  readonly elicitation?: object;
  /** What it returns to a request of the server. */
  readonly reply?: (request: RawMessage) => RawReply;
  readonly name?: string;
}

const clientInfo = ({ name = 'raw' }: RawClientOptions) => ({ name, version: '1' });

export const initializeParams = (options: RawClientOptions) => ({
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: options.elicitation ?? { form: {} } },
  clientInfo: clientInfo(options),
});

/** The parameters of a call in the 2026 revision. */
export const modernParams = (options: RawClientOptions, params: object) => ({
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo(options),
    'io.modelcontextprotocol/clientCapabilities': { elicitation: options.elicitation ?? { form: {} } },
  },
});

const resultOf = (message: RawMessage): RawResult => {
  if (message['error'] !== undefined) throw new Error(JSON.stringify(message['error']));
  return message['result'] as RawResult;
};

/**
 * Serves a raw client over two streams of lines. The server's stream holds one message, so that the server notices when
 * the client doesn't read.
 */
export function connectLines(dependencies: ServerDependencies, reply?: RawClientOptions['reply']) {
  const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 1 })];
  const server = startStdioServer(
    dependencies,
    stdioTransport(() => true, input, output),
  );
  const waiting = new Map<number, (message: RawMessage) => void>();
  const asked: RawMessage[] = [];
  const received: RawMessage[] = [];
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface({ input: output }).on('line', (line) => {
    const message = JSON.parse(line) as RawMessage;
    received.push(message);
    if (message.method === undefined) return waiting.get(message.id!)?.(message);
    if (message.id === undefined) return undefined;
    asked.push(message);
    const answer = reply?.(message);
    return answer && send({ id: message.id, ...answer });
  });
  let last = 0;
  const request = (method: string, params: object): Promise<RawResult> => {
    const id = (last += 1);
    return new Promise<RawMessage>((resolve) => {
      waiting.set(id, resolve);
      send({ id, method, params });
    }).then(resultOf);
  };
  return {
    asked,
    received,
    send,
    request,
    stopReading: () => output.pause(),
    readOn: () => output.resume(),
    unread: () => output.readableLength + output.writableLength,
    close: () => server.close(),
  };
}

/** Connects a raw client over stdio. */
export const rawStdio = {
  legacy: async (dependencies: ServerDependencies, options: RawClientOptions = {}): Promise<RawClient> => {
    const { request, send, asked, close } = connectLines(dependencies, options.reply);
    await request('initialize', initializeParams(options));
    send({ method: 'notifications/initialized' });
    return { asked, close, call: (name, args, more = {}) => request('tools/call', { name, arguments: args, ...more }) };
  },
  modern: async (dependencies: ServerDependencies, options: RawClientOptions = {}): Promise<RawClient> => {
    const { request, asked, close } = connectLines(dependencies, options.reply);
    return {
      asked,
      close,
      call: (name, args, more = {}) => request('tools/call', modernParams(options, { name, arguments: args, ...more })),
    };
  },
};

/** The messages of a response, as they come: of an event stream, or of a JSON body. */
export async function* messagesOf(response: Response): AsyncGenerator<RawMessage> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text();
    if (text !== '') yield JSON.parse(text) as RawMessage;
    return;
  }
  let buffered = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = `${buffered}${chunk}`.split('\n\n');
    buffered = events.pop()!;
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data) as RawMessage;
    }
  }
}

const post = (url: URL, message: object, headers: Record<string, string>): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });

/** Connects a raw client over HTTP. @param headers of every request. */
export const rawHttp = {
  legacy: async (
    url: URL,
    options: RawClientOptions = {},
    headers: Record<string, string> = {},
  ): Promise<RawClient> => {
    const opened = await post(url, { id: 0, method: 'initialize', params: initializeParams(options) }, headers);
    const inSession = {
      ...headers,
      'mcp-session-id': opened.headers.get('mcp-session-id')!,
      'mcp-protocol-version': '2025-11-25',
    };
    await opened.text();
    await post(url, { method: 'notifications/initialized' }, inSession);
    const asked: RawMessage[] = [];
    let last = 0;
    return {
      asked,
      close: async () => void (await fetch(url, { method: 'DELETE', headers: inSession })),
      call: async (name, args, more = {}) => {
        const id = (last += 1);
        for await (const message of messagesOf(
          await post(url, { id, method: 'tools/call', params: { name, arguments: args, ...more } }, inSession),
        )) {
          if (message.method === undefined) return resultOf(message);
          if (message.id === undefined) continue;
          asked.push(message);
          const answer = options.reply?.(message);
          if (answer) await (await post(url, { id: message.id, ...answer }, inSession)).text();
        }
        throw new Error('the call was not answered');
      },
    };
  },
  modern: async (
    url: URL,
    options: RawClientOptions = {},
    headers: Record<string, string> = {},
  ): Promise<RawClient> => {
    let last = 0;
    return {
      asked: [],
      close: async () => undefined,
      call: async (name, args, more = {}) => {
        const response = await post(
          url,
          { id: (last += 1), method: 'tools/call', params: modernParams(options, { name, arguments: args, ...more }) },
          { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
        );
        for await (const message of messagesOf(response)) if (message.method === undefined) return resultOf(message);
        throw new Error('the call was not answered');
      },
    };
  },
};
