import { Client as ModernClient, type CallToolResult } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/credential.ts';
import type { Policy } from '../../src/server/guard/policy/policy.ts';
import { createDependencies, type GuardDependencies } from '../../src/server/protocol/shared-dependencies.ts';
import { startStdioServer } from '../../src/transport/stdio.ts';
import { tools } from '../../tools/index.ts';
import { memoryLog } from './call-context.ts';

/** A question as a client's user sees it. */
export interface Question {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Record<string, { readonly type: string; readonly title?: string }> };
}

export type Answer = { action: 'accept'; content: Record<string, string | boolean> } | { action: 'decline' | 'cancel' };

/** What a user does who agrees: types the name that is asked for, or ticks the box. */
export const agree = ({ requestedSchema }: Question): Answer => {
  const title = requestedSchema.properties['name']?.title;
  return { action: 'accept', content: title === undefined ? { approve: true } : { name: /^Type (.*) to approve$/s.exec(title)![1]! } };
};

/** A user at the client: what they were asked, and what they do. Without one the client can't ask. */
export interface User {
  readonly questions: Question[];
  answer: (question: Question) => Answer | Promise<Answer>;
}

export const userAnswering = (answer: User['answer']): User => ({ questions: [], answer });

/** The same few things of a client of either era. */
export interface TestClient {
  readonly protocolVersion: 'modern' | 'legacy';
  call(name: string, args?: Record<string, unknown>, options?: { signal?: AbortSignal; onprogress?: (progress: { message?: string }) => void }): Promise<CallToolResult>;
  list(): Promise<{ name: string }[]>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

export type Connect = (user?: User, policy?: Policy, guard?: GuardDependencies) => Promise<TestClient>;

const respond = async (user: User, params: unknown): Promise<Answer> => {
  const question = params as Question;
  user.questions.push(question);
  return user.answer(question);
};

type MemoryTransport = InMemoryTransport;

async function connectModern(wire: MemoryTransport, user?: User): Promise<TestClient> {
  const client = new ModernClient(
    { name: 'test', version: '1' },
    { capabilities: user ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  if (user) client.setRequestHandler('elicitation/create', ({ params }) => respond(user, params));
  await client.connect(wire);
  return {
    protocolVersion: 'modern',
    call: (name, args = {}, options) => client.callTool({ name, arguments: args }, options),
    list: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

async function connectLegacy(wire: MemoryTransport, user?: User): Promise<TestClient> {
  const client = new LegacyClient({ name: 'test', version: '1' }, { capabilities: user ? { elicitation: {} } : {} });
  if (user) client.setRequestHandler(ElicitRequestSchema, ({ params }) => respond(user, params));
  await client.connect(wire);
  return {
    protocolVersion: 'legacy',
    call: async (name, args = {}, options) => (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult,
    list: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

export interface Connectors {
  readonly modern: Connect;
  readonly legacy: Connect;
  /** What the servers wrote. */
  readonly log: ReturnType<typeof memoryLog>;
  close(): Promise<void>;
}

/** Clients of both eras to one platform address, each with a server of its own. */
export function connectorsTo(baseUrl: string, token: string): Connectors {
  const client = createClient({ baseUrl, credential: credentialOf(token) });
  const log = memoryLog();
  const open: { close: () => Promise<void> }[] = [];
  const connect =
    (over: (wire: MemoryTransport, user?: User) => Promise<TestClient>): Connect =>
    async (user, policy = { readOnly: false }, guard) => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const parts = createDependencies({ tools, policy, connect: async () => ({ client }), secrets: () => [token], guard, version: '0.0.0', log, clock: { now: Date.now } });
      open.push(startStdioServer(parts, far));
      const testClient = await over(near, user);
      open.push(testClient);
      return testClient;
    };
  return {
    modern: connect(connectModern),
    legacy: connect(connectLegacy),
    log,
    close: async () => {
      await Promise.all(open.map((one) => one.close()));
      await client.close();
    },
  };
}

export const textOf = ({ content }: CallToolResult): string => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** Every text, number and truth value in a structure. */
export const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];
