import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Client } from '../../client/index.ts';
import { runCall } from '../call/index.ts';
import { maximumCallTime, type CallContext } from '../context/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { failedCall } from '../output/index.ts';
import type { Caller } from './caller.ts';
import { notOfferedText, resultOf, type RequestDependencies, type SettledReply } from './requests.ts';

/** Somebody who reads through a page of this server, without a client. */
export interface Reader extends Pick<Caller, 'principal' | 'connection'> {
  readonly requestId: string;
  /** Aborted when they leave. */
  readonly signal: AbortSignal;
}

/** What they read: a tool that changes nothing, and its arguments. */
export interface Read {
  readonly tool: string;
  readonly arguments: JsonRecord;
}

const notOffered = (name: string, leftOutBy: string): CallToolResult =>
  failedCall(notOfferedText(name, leftOutBy), { kind: 'not_offered_here', outcome: 'refused' });

/**
 * Runs a tool that reads for somebody without a client, through the stages of every call: policy, scope, masking, and the
 * audit log. Nobody is asked anything. A tool that may change something isn't run.
 */
export async function readAs(
  dependencies: RequestDependencies,
  { tool: name, arguments: args }: Read,
  { principal, connection, requestId, signal }: Reader,
): Promise<CallToolResult> {
  const { registry, log, clock, connect } = dependencies;
  const tool = registry.find(name);
  const leftOutBy = registry.leftOut.get(name);
  if (leftOutBy !== undefined) return notOffered(name, leftOutBy.why);
  if (!tool || tool.operation.effect !== 'read') return notOffered(name, 'only tools that read are run here');
  let client: Client | undefined;
  const context: CallContext = {
    principal,
    connection,
    signal,
    deadline: clock.now() + maximumCallTime,
    requestId,
    budget: () => client?.budget(undefined),
    lacks: (operation) => client?.lacks(operation) ?? false,
    log,
    clock,
    dialogue: { canAsk: false },
    showsViews: true,
  };
  const reply = await runCall(tool, args, context, {
    ...dependencies,
    connect: async () => {
      const connected = await connect();
      client = connected.client;
      return connected;
    },
  });
  return resultOf(reply as SettledReply);
}
