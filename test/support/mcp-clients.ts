import {
  Client as ModernClient,
  type CallToolResult,
  type Transport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { FailureCode } from '../../src/server/failure/index.ts';
import { metaKeys } from '../../src/server/output/index.ts';

/** A question of the server, as the client's user gets it: a form, or a URL to open. */
export interface Question {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Record<string, { readonly type: string; readonly title?: string }> };
  readonly url?: string;
}

export type Answer =
  | { action: 'accept'; content?: Record<string, string | boolean> }
  | { action: 'decline' | 'cancel' };

/** What a question wants to have typed; undefined if it is agreed to by ticking a box. */
export const nameToType = ({ requestedSchema }: Question): string | undefined =>
  /^To approve, type exactly: (.*)$/s.exec(requestedSchema.properties['name']?.title ?? '')?.[1];

/** The answer of a user who agrees: types the requested name, or ticks the box. */
export const agree = (question: Question): Answer => {
  const name = nameToType(question);
  return { action: 'accept', content: name === undefined ? { approve: true } : { name } };
};

/**
 * A user of the client: the questions they were asked, and how they answer. A client without one doesn't offer
 * elicitation.
 */
export interface User {
  readonly questions: Question[];
  answer: (question: Question) => Answer | Promise<Answer>;
  /** How the client can ask, as it declares it; forms only by default. */
  readonly elicitation?: { readonly form?: Record<string, never>; readonly url?: Record<string, never> };
}

export const userAnswering = (answer: User['answer']): User => ({ questions: [], answer });

/** A client of either protocol version, with one interface for both. */
export interface TestClient {
  readonly protocolVersion: 'modern' | 'legacy';
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: { signal?: AbortSignal; onprogress?: (progress: { message?: string }) => void },
  ): Promise<CallToolResult>;
  list(): Promise<{ name: string }[]>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

const respond = async (user: User, params: unknown): Promise<Answer> => {
  const question = params as Question;
  user.questions.push(question);
  return user.answer(question);
};

/** The extensions that a client declares, with their settings. */
export type Extensions = Record<string, Record<string, string | string[]>>;

/**
 * Connects a client of the 2026 protocol version.
 * @param info what it calls itself
 */
export async function connectModern(
  transport: ModernTransport,
  user?: User,
  info = { name: 'test', version: '1' },
  extensions?: Extensions,
): Promise<TestClient & { readonly client: ModernClient }> {
  const client = new ModernClient(info, {
    capabilities: { ...(user && { elicitation: user.elicitation ?? { form: {} } }), ...(extensions && { extensions }) },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  if (user) client.setRequestHandler('elicitation/create', ({ params }) => respond(user, params));
  await client.connect(transport);
  return {
    client,
    protocolVersion: 'modern',
    call: (name, args = {}, options) => client.callTool({ name, arguments: args }, options),
    list: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/**
 * Connects a client of the 2025 protocol versions. Unless the user says otherwise it declares elicitation without
 * modes, as their first clients did.
 */
export async function connectLegacy(
  transport: Parameters<LegacyClient['connect']>[0],
  user?: User,
  extensions?: Extensions,
): Promise<TestClient & { readonly client: LegacyClient }> {
  const client = new LegacyClient(
    { name: 'test', version: '1' },
    { capabilities: { ...(user && { elicitation: user.elicitation ?? {} }), ...(extensions && { extensions }) } },
  );
  if (user) client.setRequestHandler(ElicitRequestSchema, ({ params }) => respond(user, params));
  await client.connect(transport);
  return {
    client,
    protocolVersion: 'legacy',
    call: async (name, args = {}, options) =>
      (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult,
    list: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** The text of a result, part by part. */
export const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

/** Every text, number and boolean in a structure, as text. */
export const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];

/** The failure of a call as its result tells programs; undefined if it didn't fail. */
export const failureIn = ({ _meta: meta }: Pick<CallToolResult, '_meta'>): FailureCode | undefined =>
  meta?.[metaKeys.failure] as FailureCode | undefined;
