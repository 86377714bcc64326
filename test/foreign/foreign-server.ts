import { join } from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createClient, credentialOf } from '../../src/client/index.ts';
import { textsIn } from '../../src/server/browse/index.ts';
import { createDependencies } from '../../src/server/protocol/index.ts';
import { startStdioServer } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { chosen, type Choice, type IsOn } from '../other-platform/differences.ts';
import { isOver, phaseOf } from '../other-platform/deployments.ts';
import { startOtherPlatform, type OtherPlatform } from '../other-platform/start.ts';
import { memoryLog } from '../support/call-context.ts';
import { memoryHandover } from '../support/memory-handover.ts';
import { agree, connectModern, userAnswering, type TestClient, type User } from '../support/mcp-clients.ts';
import { seenAtLast } from '../support/eventually.ts';

const token = 'the-token-of-the-foreign-platform';

/** An MCP server in front of a platform that isn't ours, with a client whose user agrees to everything. */
export interface ForeignServer {
  readonly platform: OtherPlatform;
  readonly on: IsOn;
  readonly call: TestClient['call'];
  /** The text of a resource. */
  readonly text: (uri: string) => Promise<string>;
  readonly user: User;
  readonly log: ReturnType<typeof memoryLog>;
  /** What the platform itself answers to a read. */
  readonly ask: (path: string) => Promise<unknown>;
  /** Stops and resumes the platform's time, so that a deployment doesn't end meanwhile. */
  readonly clock: { readonly now: () => number; readonly stop: () => void; readonly resume: () => void };
  /** Resolves once no deployment is under way. */
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

function createClock() {
  let stoppedAt: number | undefined;
  let behind = 0;
  return {
    now: () => stoppedAt ?? Date.now() - behind,
    stop: () => {
      stoppedAt = Date.now() - behind;
    },
    resume: () => {
      behind = Date.now() - (stoppedAt ?? Date.now() - behind);
      stoppedAt = undefined;
    },
  };
}

/** Starts a platform with these differences and a server in front of it. */
export async function startForeignServer(differences: Choice): Promise<ForeignServer> {
  const clock = createClock();
  const platform = await startOtherPlatform({
    differences,
    token,
    now: clock.now,
    deploymentMs: 120,
    requestsPerHour: 1_000_000,
  });
  // Where a token has several organizations, one is chosen as a user would.
  const choice = chosen(differences)('severalOrganizations') ? { organization: 'Harbour' } : {};
  const client = createClient({ baseUrl: platform.url, credential: credentialOf(token), ...choice });
  const log = memoryLog();
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const dependencies = createDependencies({
    tools,
    policy: { readOnly: false },
    connect: async () => ({ client }),
    secrets: () => [token],
    version: '0.0.0',
    log,
    clock: { now: Date.now },
    handover: memoryHandover(),
    texts: textsIn(join(import.meta.dirname, '../..')),
  });
  const server = startStdioServer(dependencies, serverSide);
  const user = userAnswering(agree);
  const connected = await connectModern(clientSide, user);
  const underWay = () => platform.state.deployments.some((deployment) => !isOver(phaseOf(deployment, clock.now())));
  return {
    platform,
    user,
    log,
    clock,
    on: chosen(differences),
    call: (name, args, options) => connected.call(name, args, options),
    text: async (uri) =>
      (await connected.client.readResource({ uri })).contents
        .map((part) => ('text' in part ? part.text : ''))
        .join('\n'),
    ask: async (path) => (await fetch(platform.url + path, { headers: { authorization: `Token ${token}` } })).json(),
    idle: async () => {
      await seenAtLast(underWay, (isUnderWay) => !isUnderWay, 20);
    },
    close: async () => {
      await connected.close();
      await server.close();
      await client.close();
      await platform.close();
    },
  };
}
