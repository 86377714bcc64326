import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio as serve, type StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import { buildServer, type ServerParts } from '../server/protocol/server.ts';
import { withSubscriptions } from './stdio-subscriptions.ts';
import type { Watch } from './subscriptions.ts';
import type { Caller } from '../server/protocol/caller.ts';

/** The one caller of a process that serves its standard streams. */
const caller: Caller = { principal: 'local', connection: 'stdio' };

const warn = async ({ work }: ServerParts, error: Error): Promise<void> => {
  const { log } = await work();
  log.warn({ err: error }, 'protocol error');
};

/** What tells the caller of changes, loaded when it is first needed. */
const watchOf = ({ work }: ServerParts) => async (): Promise<Watch> => {
  const [{ watchFor }, loaded] = await Promise.all([import('../server/browse/resources/watch.ts'), work()]);
  return watchFor(() => loaded, caller);
};

/**
 * Serves one client over stdin and stdout, in both protocol eras. Answers the opening at once: the platform is
 * connected when a tool is first called.
 * @param transport the streams of this process unless another one is given.
 */
export function serveStdio(parts: ServerParts, transport: Transport = new StdioServerTransport()): StdioServerHandle {
  return serve(({ era }) => buildServer(parts, { era, callerOf: () => caller }), {
    transport: withSubscriptions(transport, watchOf(parts)),
    onerror: (error) => void warn(parts, error),
  });
}
