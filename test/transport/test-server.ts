import { StreamableHTTPClientTransport as ModernTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer, acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { callOf, type HttpCaller } from '../../src/transport/http/caller.ts';
import { startHttpServer, type HttpServer, type HttpServerOptions } from '../../src/transport/http/http-server.ts';
import { memoryLog } from '../support/call-context.ts';
import { connectLegacy, connectModern, type TestClient, type User, userAnswering } from '../support/mcp-clients.ts';

/** A call of the tool `hold`, which runs until it is released or cancelled. */
export interface HeldCall {
  readonly principal: string;
  readonly label: string;
  readonly cancelled: boolean;
  readonly release: () => void;
}

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** A server whose tools show how the HTTP host handles calls. */
function testMcpServer(heldCalls: HeldCall[], caller: HttpCaller): McpServer {
  const server = new McpServer({ name: 'test', version: '1' });
  server.registerTool('who', { inputSchema: z.object({}) }, (_, context) => {
    const { caller: now, call } = callOf(context.http?.authInfo);
    return textResult(
      JSON.stringify({
        built: caller.principal,
        principal: now.principal,
        key: now.credential?.key,
        rules: now.restriction.rules.length,
        requestId: call.requestId,
      }),
    );
  });
  server.registerTool('greet', { inputSchema: z.object({}) }, () => textResult('hello'));
  server.registerTool('hold', { inputSchema: z.object({ label: z.string() }) }, ({ label }, context) => {
    const { signal } = context.mcpReq;
    return new Promise((resolve) => {
      const call = {
        principal: caller.principal,
        label,
        cancelled: false,
        release: () => resolve(textResult(`held ${label}`)),
      };
      heldCalls.push(call);
      signal.addEventListener('abort', () => {
        call.cancelled = true;
        resolve(textResult('cancelled'));
      });
    });
  });
  server.registerTool('progress', { inputSchema: z.object({}) }, async (_, { mcpReq: { notify, _meta: meta } }) => {
    await notify({ method: 'notifications/progress', params: { progressToken: meta!.progressToken!, progress: 1 } });
    return new Promise(() => undefined);
  });
  server.registerTool('ask', { inputSchema: z.object({}) }, (_, context) => {
    const answer = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'name');
    if (answer) return textResult(`Hello ${answer.name}`);
    const question = inputRequired.elicit({
      message: 'Your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return inputRequired({ inputRequests: { name: question } });
  });
  server.registerTool('refuse_credential', { inputSchema: z.object({}) }, (_, context) => {
    callOf(context.http?.authInfo).call.credentialRefused?.();
    return textResult('the platform refused the credential');
  });
  return server;
}

/** An HTTP server with the test tools, on loopback unless a test sets another host. */
export interface TestServer extends Omit<HttpServer, 'url'> {
  readonly url: URL;
  readonly heldCalls: HeldCall[];
  readonly log: ReturnType<typeof memoryLog>;
  /** Sends one raw JSON-RPC message. */
  readonly post: (message: unknown, headers?: Record<string, string>) => Promise<Response>;
}

const opened: { close: () => Promise<unknown> }[] = [];

/** Closes the clients and servers that a test opened, clients first. */
export async function closeTestServers(): Promise<void> {
  for (const one of opened.splice(0).toReversed()) await one.close();
}

export async function startTestServer(options: Partial<HttpServerOptions> = {}): Promise<TestServer> {
  const heldCalls: HeldCall[] = [];
  const log = memoryLog();
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    allowedOrigins: [],
    build: (_, caller) => testMcpServer(heldCalls, caller),
    levelOf: () => 'read',
    holdsToken: true,
    askPlatform: async () => undefined,
    clock: { now: Date.now },
    log,
    ...options,
    limits: { shutdownDelay: 20, drainTime: 100, ...options.limits },
  });
  opened.push({
    close: async () => {
      for (const { release } of heldCalls) release();
      await server.close();
    },
  });
  const url = new URL(server.url);
  return { ...server, url, heldCalls, log, post: (message, headers) => post(url, message, headers) };
}

const post = (url: URL, message: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

/** The complete message of a call by a 2026 client. */
export const modernCall = (name: string, args: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name,
    arguments: args,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/** The headers that go with such a call. */
export const modernHeaders = (name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': name,
});

export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** A client's headers, and its user: `answer` fills in a form, `visit` opens a URL. */
interface HttpClientOptions {
  readonly headers?: Record<string, string>;
  readonly answer?: (message: string) => Record<string, string>;
  readonly visit?: (url: string) => Promise<void>;
}

const userOf = ({ answer, visit }: HttpClientOptions): User | undefined =>
  (answer ?? visit) && {
    ...userAnswering(async ({ message, url }) => {
      if (url === undefined) return { action: 'accept', content: answer!(message) };
      await visit!(url);
      return { action: 'accept' };
    }),
    elicitation: { ...(answer && { form: {} }), ...(visit && { url: {} }) },
  };

/** Connects a client of the 2026 protocol version over HTTP. */
export async function connectModernHttp(url: URL, options: HttpClientOptions = {}): Promise<TestClient> {
  const client = await connectModern(
    new ModernTransport(url, { requestInit: { headers: options.headers ?? {} } }),
    userOf(options),
  );
  opened.push(client);
  return client;
}

/** Connects a client of the 2025 protocol versions over HTTP. */
export async function connectLegacyHttp(
  url: URL,
  options: HttpClientOptions = {},
): Promise<TestClient & { readonly sessionId: string | undefined }> {
  const transport = new LegacyTransport(url, { requestInit: { headers: options.headers ?? {} } });
  const client = await connectLegacy(transport, userOf(options));
  opened.push(client);
  return {
    ...client,
    get sessionId() {
      return transport.sessionId;
    },
  };
}
