import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCalls, type RecordedCall } from '../../src/server/audit/index.ts';
import { createApiKey } from '../../src/transport/index.ts';
import { approvalCodeIn, setOperatorSecret } from '../support/guard-fixture.ts';
import { approveOnPage } from '../transport/approve-on-page.ts';
import {
  end,
  runClient,
  startHttp,
  stdioEndpoint,
  stdioTraffic,
  type Endpoint,
  type Seen,
  type Step,
} from './client-run.ts';
import type { ForeignClient, Transport } from './clients.ts';
import { revisionIn, startHttpRelay, type Traffic } from './http-relay.ts';

/** The service of the embedded platform's production environment that clients delete, and how they look for it. */
const deletion: Step = { call: 'delete_service', args: { service: 'shop/production/search', wait: true } };
const services: Step = { call: 'list_services', args: { environment: 'shop/production' } };

const looking: readonly Step[] = [
  { list: true },
  { call: 'get_organization', args: {} },
  { read: 'infra://organization' },
];

/** A server that a client can reach, and what they said to each other. */
interface ReachableServer {
  readonly endpoint: Endpoint;
  readonly traffic: () => Promise<Traffic>;
  readonly close: () => Promise<void>;
}

/** What was seen of a client over one transport. */
export interface Trial {
  /** Why it did not reach a server that wants a key, if it didn't. */
  readonly withoutKey: string | undefined;
  /** Listing, reading, and a deletion that nobody agrees to. */
  readonly first: Seen;
  /** The same deletion where the operator can agree; only of a client whose user can't be asked. */
  readonly waiting: Seen | undefined;
  /** The same deletion, agreed to. */
  readonly agreed: Seen;
  readonly revision: string | undefined;
  /** The deletion in the audit log. */
  readonly recorded: RecordedCall | undefined;
}

const principalKey = 'client';

async function httpServer(folder: string, dataDir: string, wantsKey: boolean): Promise<ReachableServer> {
  const { key, sha256 } = createApiKey();
  const keys = join(folder, 'keys.yaml');
  await writeFile(keys, `keys: [{ name: ${principalKey}, sha256: ${sha256}, level: admin }]`);
  const program = await startHttp(dataDir, wantsKey ? ['--keys-file', keys] : []);
  const relay = await startHttpRelay(program.ready.url);
  return {
    endpoint: { url: relay.url, headers: { Authorization: `Bearer ${key}` } },
    traffic: async () => relay.traffic(),
    close: async () => {
      await relay.close();
      await end(program);
    },
  };
}

const stdioServer = (folder: string, dataDir: string): ReachableServer => ({
  endpoint: stdioEndpoint(folder, dataDir),
  traffic: () => stdioTraffic(folder),
  close: async () => undefined,
});

/**
 * Approves the waiting call on the approvals page of another server with the same data directory, as an operator does.
 */
async function approve(dataDir: string, code: string): Promise<void> {
  const program = await startHttp(dataDir, ['--approvals-page']);
  try {
    await approveOnPage(new URL(`/approvals?code=${code}`, program.ready.url).href);
  } finally {
    await end(program);
  }
}

/** The directories of a trial. */
interface TrialDirectories {
  /** Where the client is installed. */
  readonly installation: string;
  /** A data directory of a platform, which is copied. */
  readonly seeded: string;
  /** For this trial alone; it doesn't exist yet. */
  readonly folder: string;
}

/**
 * Has a client try a server over one transport: it lists and reads, and deletes a service in production, first without
 * agreement and then with it.
 * @throws Error if the client doesn't connect, or if its program fails; with what it wrote.
 */
export async function tryClient(
  { program, behaviour }: ForeignClient,
  transport: Transport,
  { installation, seeded, folder }: TrialDirectories,
): Promise<Trial> {
  const { agreement, sendsKey } = behaviour[transport]!;
  const [home, dataDir] = [join(folder, 'home'), join(folder, 'data')];
  await cp(seeded, dataDir, { recursive: true });
  const attempt = ({ endpoint }: ReachableServer, agrees: boolean, steps: readonly Step[]): Promise<Seen> =>
    runClient(installation, program, home, endpoint, agrees, steps);
  const run: typeof attempt = async (...given) => {
    const seen = await attempt(...given);
    if (seen.notConnected !== undefined)
      throw new Error(`${program} did not connect over ${transport}: ${seen.notConnected}`);
    return seen;
  };

  let withoutKey: string | undefined;
  if (sendsKey === false) {
    const server = await httpServer(folder, dataDir, true);
    try {
      withoutKey = (await attempt(server, false, looking)).notConnected;
    } finally {
      await server.close();
    }
  }
  const server =
    transport === 'stdio' ? stdioServer(folder, dataDir) : await httpServer(folder, dataDir, sendsKey === true);
  try {
    const first = await run(server, false, [...looking, deletion, services]);
    let waiting: Seen | undefined;
    if (agreement === 'operator') {
      await setOperatorSecret(join(dataDir, 'operator.json'));
      waiting = await run(server, false, [deletion, services]);
      await approve(dataDir, approvalCodeIn(waiting.answers[0]!.text!));
    }
    const agreed = await run(server, true, [deletion, services]);
    const records = await readCalls([join(dataDir, 'audit.jsonl')], 100);
    return {
      withoutKey,
      first,
      waiting,
      agreed,
      revision: revisionIn(await server.traffic()),
      recorded: records.find(({ tool, outcome }) => tool === 'delete_service' && outcome === 'done'),
    };
  } finally {
    await server.close();
  }
}
