import { afterAll, beforeAll, expect, test } from 'vitest';
import { approvalLifetime } from '../../src/server/guard/index.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { eventually } from '../support/eventually.ts';
import { connectLegacy, connectModern, failureIn } from '../support/mcp-clients.ts';
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startFullServer } from './full-server.ts';
import { closeTestServers } from './test-server.ts';

let fixture: Awaited<ReturnType<typeof startFullServer>>;
let later = 0;
beforeAll(async () => {
  fixture = await startFullServer({}, () => Date.now() + later);
});
afterAll(async () => {
  await closeTestServers();
  await fixture.close();
});

test.each(['modern', 'legacy'] as const)('a client of the %s era reads that its call expired', async (era) => {
  const { server, platform } = fixture;
  const connected = await (era === 'modern'
    ? connectModern(new ModernHttp(server.url))
    : connectLegacy(new LegacyHttp(server.url)));
  const lock = () =>
    connected.call('lock_cluster', { cluster_id: platform.seed['cluster_id'], reason: era, ttl_in_days: 1 });
  const read = async (code: string) =>
    (await connected.client.readResource({ uri: `infra://approval/${code}` })).contents[0]!;
  try {
    const code = failureIn(await lock())!.code!;
    expect((await read(code))._meta![metaKeys.approval]).toMatchObject({ code, state: 'waiting' });
    later += approvalLifetime + 1;
    // Clients may keep what they read for a second.
    await eventually(async () =>
      expect((await read(code))._meta![metaKeys.approval]).toMatchObject({ code, state: 'expired' }),
    );
    const expired = await read(code);
    expect('text' in expired && expired.text).toMatch(/^- State: expired$/m);
    // It waits again, under another code; what became of the first one can still be read.
    expect(failureIn(await lock())!.code).not.toBe(code);
    expect((await read(code))._meta![metaKeys.approval]).toMatchObject({ code, state: 'expired' });
  } finally {
    await connected.close();
  }
});
