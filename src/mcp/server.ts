import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY, McpServer, ProtocolError, ProtocolErrorCode, TRACEPARENT_META_KEY, TRACESTATE_META_KEY, inputRequired, inputResponse,
  type CallToolResult, type ClientCapabilities, type InputRequiredResult, type ListToolsResult, type ServerContext,
} from '@modelcontextprotocol/server';
import type { Client } from '../client/client.ts';
import type { Credential } from '../client/credential.ts';
import type { Trace } from '../client/request.ts';
import { cacheHints, registerContent, type ContentParts } from './content.ts';
import { maximumCallTime, type CallContext, type Dialogue, type UserAnswer } from './context.ts';
import { formFor } from './guard/question.ts';
import { instructions } from './instructions.ts';
import { run, type Dependencies, type Reply } from './pipeline.ts';
import type { Registry } from './registry.ts';

/** What the servers of one process share. Built once. */
export interface ServerParts extends ContentParts {
  /** Shown to clients. */
  readonly version: string;
  readonly registry: Registry;
  /** Address of the page on which the operator approves calls, where there is one. */
  readonly approvalsPage?: () => string | undefined;
}

/** Who makes one call. */
export interface Caller {
  readonly principal: string;
  /** How it reached this server, for the record. */
  readonly connection?: string;
  /** What the platform is called with, where it isn't the client's own. */
  readonly credential?: Credential;
  /** Told when the platform refuses the credential: then the caller may be able to bring a better one. */
  readonly credentialRefused?: () => void;
  /** Default: a new one. */
  readonly requestId?: string;
}

/** What one server instance is built for. */
export interface ServerFor {
  readonly era: 'legacy' | 'modern';
  /** One instance may serve many requests, so this is asked for each. */
  readonly callerOf: (context: ServerContext) => Caller;
  /** The only method that it is to answer, where it is built for one request. */
  readonly method?: string;
}

const confirmKey = 'confirm';

// A bare `elicitation: {}` means forms: that is how it was declared before there were modes.
const showsForms = (capabilities: ClientCapabilities | undefined): boolean => {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0);
};

const opensPages = (capabilities: ClientCapabilities | undefined): boolean => capabilities?.elicitation?.url !== undefined;

function answerIn(context: ServerContext): UserAnswer | undefined {
  const response = inputResponse(context.mcpReq.inputResponses, confirmKey);
  if (response.kind !== 'elicit') return undefined;
  return response.action === 'accept' ? { action: 'accept', content: response.content ?? {} } : { action: response.action };
}

function dialogueOf(context: ServerContext, capabilities: ClientCapabilities | undefined): Dialogue {
  const state = context.mcpReq.requestState();
  return { canAsk: showsForms(capabilities), state: typeof state === 'string' ? state : undefined, answer: answerIn(context) };
}

/** The trace that a request names in its metadata. */
function traceOf({ mcpReq: { _meta: meta } }: ServerContext): Trace | undefined {
  const { [TRACEPARENT_META_KEY]: traceparent, [TRACESTATE_META_KEY]: tracestate } = (meta ?? {}) as Record<string, unknown>;
  return typeof traceparent === 'string' ? { traceparent, ...(typeof tracestate === 'string' && { tracestate }) } : undefined;
}

/** @param page where the client can send its user for an approval, unless it just did. */
function resultOf(reply: Reply, page: string | undefined): CallToolResult | InputRequiredResult {
  if (reply.kind === 'ask') {
    const { question, state } = reply;
    const form = inputRequired.elicit({ message: question.message, requestedSchema: formFor(question) });
    return inputRequired({ inputRequests: { [confirmKey]: form }, requestState: state });
  }
  if (reply.kind === 'failure' && reply.code !== undefined && page !== undefined) {
    const visit = inputRequired.elicitUrl({ message: `This call waits for the operator's approval, under ${reply.code}.`, url: `${page}?code=${reply.code}` });
    return inputRequired({ inputRequests: { [confirmKey]: visit } });
  }
  const content: CallToolResult['content'] = [{ type: 'text', text: reply.text }];
  return reply.kind === 'answer' ? { content, structuredContent: reply.data, ...(reply.meta && { _meta: reply.meta }) } : { content, isError: true };
}

/**
 * A fresh server for one connection or one request: cheap, because the tools and their schemas are shared.
 * It never touches the platform before a tool is called.
 */
export function buildServer(parts: ServerParts, { era, callerOf, method }: ServerFor): McpServer {
  const { registry, policy, log, clock, connect } = parts;
  const mcp = new McpServer(
    { name: 'infra-mcp', version: parts.version },
    { instructions: instructions(policy), cacheHints },
  );
  const { server } = mcp;
  let client: Client | undefined;

  // The 2026 revision declares capabilities with every request, the earlier ones once.
  const capabilitiesOf = (context: ServerContext): ClientCapabilities | undefined =>
    era === 'modern'
      ? (context.mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
      : server.getClientCapabilities();

  const contextOf = (context: ServerContext): CallContext => {
    const { principal, connection, credential, credentialRefused, requestId = randomUUID() } = callerOf(context);
    return {
      principal,
      connection,
      credential,
      credentialRefused,
      signal: context.mcpReq.signal,
      deadline: clock.now() + maximumCallTime,
      requestId,
      trace: traceOf(context),
      budget: () => client?.budget(credential),
      log,
      clock,
      dialogue: dialogueOf(context, capabilitiesOf(context)),
    };
  };

  const dependencies: Dependencies = {
    ...parts,
    connect: async () => {
      const connection = await connect();
      client = connection.client;
      return connection;
    },
  };

  // The list is one value for every instance, so it is answered here instead of registering each tool again and again.
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler('tools/list', () => ({ tools: registry.listed() }) as unknown as ListToolsResult);
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = registry.find(params.name);
    if (!tool) {
      const near = registry.nearest(params.name);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}"${near ? `; did you mean "${near}"?` : ''}`);
    }
    const call = contextOf(context);
    const reply = await run(tool, params.arguments ?? {}, call, dependencies);
    const canVisit = call.dialogue.answer === undefined && opensPages(capabilitiesOf(context));
    return resultOf(reply, canVisit ? parts.approvalsPage?.() : undefined);
  });
  // Most requests are calls, and those need nothing else.
  if (!method?.startsWith('tools/')) registerContent(mcp, { ...parts, ...dependencies }, { era, callerOf, run: (tool, args, context, deps) => run(tool, args, contextOf(context), deps) });
  return mcp;
}
