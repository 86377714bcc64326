import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serve, type StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import { watchFor } from '../mcp/resources/watch.ts';
import { buildServer, type Caller, type ServerParts } from '../mcp/server.ts';
import { withSubscriptions } from './stdio-subscriptions.ts';

/** The one caller of a process that serves its standard streams. */
const caller: Caller = { principal: 'local', connection: 'stdio' };

/**
 * Serves one client over stdin and stdout, in both protocol eras. Answers the opening at once: the platform is
 * connected when a tool is first called.
 * @param transport the streams of this process unless another one is given.
 */
export function serveStdio(parts: ServerParts, transport: Transport = new StdioServerTransport()): StdioServerHandle {
  return serve(({ era }) => buildServer(parts, { era, callerOf: () => caller }), {
    transport: withSubscriptions(transport, watchFor(parts, caller)),
    onerror: (error) => parts.log.warn({ err: error }, 'protocol error'),
  });
}
