import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { clientsTable } from '../../scripts/docs/clients.ts';
import { defaultTools as tools } from '../../tools/index.ts';
import { foreignClients, transports, type ClientBehaviour, type ForeignClient, type Transport } from './clients.ts';
import { seedDataDirectory } from './client-run.ts';
import { installer, packageOf } from './install.ts';
import { tryClient, type Trial } from './try-client.ts';

const root = await mkdtemp(join(tmpdir(), 'infra-mcp-clients-'));
const installationOf = installer(root);
const seeded = join(root, 'seeded');
beforeAll(() => seedDataDirectory(seeded));

/** What was seen of each client. */
const seen = new Map<ForeignClient, Partial<Record<Transport, ClientBehaviour>>>();

afterAll(async () => {
  console.log(clientsTable(foreignClients.map((client) => ({ ...client, behaviour: seen.get(client) ?? {} }))));
  await rm(root, { recursive: true, force: true });
});

const cases = foreignClients.flatMap((client) =>
  transports
    .filter((transport) => client.behaviour[transport])
    .map((transport) => ({ client, transport, title: `${packageOf(client)} over ${transport}` })),
);

/** What a trial shows of the client, independently of what is expected of it. */
const behaviourIn = (
  { revision, withoutKey, recorded, agreed, first }: Trial,
  transport: Transport,
): ClientBehaviour => ({
  revision: revision ?? 'none',
  ...(transport === 'http' && { sendsKey: withoutKey === undefined && recorded?.who === 'key:client' }),
  agreement: agreed.questions > 0 && recorded?.confirmed === 'elicited' ? 'form' : 'operator',
  marksFailures: first.answers[3]?.failed === true,
});

const names = tools.map(({ name }) => name).toSorted();
const isListed = /\bcheckout-api\b/;
const isThere = /\bsearch\b/;

test.concurrent.for(cases)(
  '$title lists, reads, is refused, and deletes once somebody agreed',
  async ({ client, transport }, { expect }) => {
    const installation = await installationOf(client);
    const trial = await tryClient(client, transport, { installation, seeded, folder: `${installation}-${transport}` });
    seen.set(client, { ...seen.get(client), [transport]: behaviourIn(trial, transport) });
    const { first, waiting, agreed, recorded, withoutKey } = trial;

    const { slowRevision, ...expected } = client.behaviour[transport]!;
    const { revision, ...behaviour } = behaviourIn(trial, transport);
    expect([expected.revision, slowRevision]).toContain(revision);
    expect({ ...behaviour, revision: expected.revision }).toEqual(expected);
    if (expected.sendsKey === false) expect(withoutKey).toContain('Authorization: Bearer');

    const [list, organization, resource, refused, before] = first.answers;
    expect(list!.names!.toSorted()).toEqual(names);
    for (const read of [organization, resource]) {
      expect(read!.text).toContain('Sells everything.');
      expect(read!.failed).not.toBe(true);
    }
    const asks = expected.agreement === 'form';
    expect(first.questions).toBe(asks ? 1 : 0);
    expect(refused!.text).toContain('delete_service was not carried out and nothing has changed');
    expect(refused!.text).toContain(asks ? 'the user said no' : 'this client cannot show its user a question');
    expect(before!.text).toMatch(isListed);
    expect(before!.text).toMatch(isThere);

    if (waiting) {
      expect(waiting.answers[0]!.failed).toBe(refused!.failed);
      expect(waiting.answers[1]!.text).toMatch(isThere);
    }

    const [deleted, after] = agreed.answers;
    expect(deleted!.text).toContain('DELETED');
    expect(deleted!.failed).not.toBe(true);
    expect(after!.text).toMatch(isListed);
    expect(after!.text).not.toMatch(isThere);
    expect(recorded).toMatchObject({
      confirmed: asks ? 'elicited' : 'page',
      target: { path: 'shop/production/search' },
    });
  },
);
