import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAnchoring, type ChainAnchors } from '../../../src/server/audit/anchors.ts';
import { createAuditLog, fileSink, verifyLogs } from '../../../src/server/audit/index.ts';
import { createTestStore } from '../guard/storage/test-stores.ts';
import { auditLogIn, temporaryFolder } from './audit-log.ts';

/** The logs of two servers with the same key and a store that both share. */
async function openServers() {
  const [one, other, store] = [await temporaryFolder(), await temporaryFolder(), await createTestStore()];
  auditLogIn(one.path).keys();
  await copyFile(join(one.path, 'guard.key'), join(other.path, 'guard.key'));
  const { anchors } = store.open();
  const failures: unknown[] = [];
  const logs = [auditLogIn(one.path), auditLogIn(other.path)] as const;
  const write = async (
    { file, heads, keys }: (typeof logs)[number],
    entries: number,
    into: ChainAnchors = anchors,
  ): Promise<void> => {
    const auditLog = createAuditLog({
      sink: fileSink(file),
      heads,
      keys,
      anchoring: createAnchoring({ anchors: into, keys, failed: (error) => failures.push(error) }),
    });
    for (let index = 0; index < entries; index += 1) await auditLog.append({ index }, true);
    await auditLog.close();
  };
  return {
    folders: [one.path, other.path] as const,
    logs,
    anchors,
    failures,
    write,
    verify: (which: readonly (typeof logs)[number][] = logs) =>
      verifyLogs(
        which.map(({ file, heads }) => ({ files: [file], heads })),
        logs[0].keys(),
        anchors,
      ),
    [Symbol.asyncDispose]: async () => {
      for (const opened of [store, one, other]) await opened[Symbol.asyncDispose]();
    },
  };
}

const anchorAt = (count: number) => ({ chain: '1-0', count, sealed: `sealed at ${count}` });

describe('anchored logs', () => {
  test('are whole together, each process with a chain of its own', async () => {
    await using servers = await openServers();
    await Promise.all([
      servers.write(servers.logs[0], 3),
      servers.write(servers.logs[1], 2),
      servers.write(servers.logs[1], 1),
    ]);
    expect(await servers.verify()).toEqual({ entries: 6, chains: 3, faults: [] });
    expect((await servers.anchors.all()).map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  test('show that log and heads were put back to an earlier copy', async () => {
    await using servers = await openServers();
    const [log] = servers.logs;
    const auditLog = createAuditLog({
      sink: fileSink(log.file),
      heads: log.heads,
      keys: log.keys,
      anchoring: createAnchoring({
        anchors: servers.anchors,
        keys: log.keys,
        failed: (error) => servers.failures.push(error),
      }),
    });
    await auditLog.append({ tool: 'a' }, true);
    await cp(log.heads, `${log.heads}.copy`, { recursive: true });
    const text = await readFile(log.file);
    await auditLog.append({ tool: 'b' }, true);
    await auditLog.close();
    await rm(log.heads, { recursive: true });
    await cp(`${log.heads}.copy`, log.heads, { recursive: true });
    await writeFile(log.file, text);
    expect((await log.verify()).faults).toEqual([]);
    expect((await servers.verify([log])).faults).toEqual([
      {
        what: expect.stringMatching(
          /^Chain 1-\w+ has 2 entries by the shared store, but only 1 are there: the end was cut off\.$/,
        ) as string,
      },
    ]);
  });

  test('show that one of them is missing whole, with its heads', async () => {
    await using servers = await openServers();
    for (const log of servers.logs) await servers.write(log, 2);
    for (const path of [servers.logs[1].file, servers.logs[1].heads]) await rm(path, { recursive: true });
    const missing = {
      what: expect.stringMatching(/^Chain 1-\w+ is missing whole: the shared store knows 2 entries of it/) as string,
    };
    expect((await servers.verify([servers.logs[0]])).faults).toEqual([missing]);
  });

  test('show that an anchor was changed, or moved to another chain', async () => {
    await using servers = await openServers();
    await servers.write(servers.logs[0], 2);
    const [anchor] = await servers.anchors.all();
    await servers.anchors.put({ ...anchor!, count: 3, sealed: anchor!.sealed.replace('"count":2', '"count":0') });
    await servers.anchors.put({ ...anchor!, chain: '7-00000000' });
    expect((await servers.verify([servers.logs[0]])).faults.map(({ what }) => what)).toEqual(
      [anchor!.chain, '7-00000000'].map((chain) =>
        expect.stringContaining(`The anchor of chain ${chain} in the shared store was changed`),
      ),
    );
  });

  test('show that an anchor was deleted', async () => {
    await using servers = await openServers();
    await Promise.all(servers.logs.map((log) => servers.write(log, 2)));
    const [deleted] = await servers.anchors.all();
    const others: ChainAnchors = {
      ...servers.anchors,
      all: async () => (await servers.anchors.all()).filter(({ chain }) => chain !== deleted!.chain),
    };
    const verified = await verifyLogs(
      servers.logs.map(({ file, heads }) => ({ files: [file], heads })),
      servers.logs[0].keys(),
      others,
    );
    expect(verified).toEqual({
      entries: 4,
      chains: 2,
      faults: [],
      notes: [
        {
          what: `1 chain has no anchor in the shared store (${deleted!.chain}): written before the servers shared it or while it could not be reached, or its anchor was deleted.`,
        },
      ],
    });
  });

  test('that began while they were verified have no missing anchor', async () => {
    await using servers = await openServers();
    let reads = 0;
    await servers.write(servers.logs[0], 1);
    const late: ChainAnchors = {
      ...servers.anchors,
      all: async () => ((reads += 1) === 1 ? [] : servers.anchors.all()),
    };
    expect(
      await verifyLogs([{ files: [servers.logs[0].file], heads: servers.logs[0].heads }], servers.logs[0].keys(), late),
    ).toEqual({ entries: 1, chains: 1, faults: [] });
  });

  test('keep the later of two anchors of a chain, whichever comes last', async () => {
    await using servers = await openServers();
    for (const count of [2, 5, 3]) await servers.anchors.put(anchorAt(count));
    expect(await servers.anchors.all()).toEqual([anchorAt(5)]);
  });

  test("are written on while the store can't be reached, and anchored later", async () => {
    await using servers = await openServers();
    let isDown = true;
    await servers.write(servers.logs[0], 3, {
      ...servers.anchors,
      put: async (anchor) => {
        if (isDown) {
          isDown = false;
          throw new Error('no connection');
        }
        await servers.anchors.put(anchor);
      },
    });
    expect(servers.failures).toEqual([new Error('no connection')]);
    expect((await servers.anchors.all()).map(({ count }) => count)).toEqual([3]);
    expect((await servers.verify([servers.logs[0]])).faults).toEqual([]);
  });
});
