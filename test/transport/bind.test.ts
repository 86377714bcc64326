import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { localAuthentication } from '../../src/transport/http/identity.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

afterEach(closeTestServers);

describe('where it listens', () => {
  test.each(['0.0.0.0', '::', '192.0.2.7', 'mcp.example.com', '128.0.0.1', ''])(
    '%j without knowing who may call is refused',
    async (host) => {
      await expect(startTestServer({ host })).rejects.toThrow(/INFRA_HTTP_KEYS_FILE or INFRA_OAUTH_ISSUER/);
    },
  );

  test.each(['127.0.0.1', '127.8.9.1', 'localhost', '::1'])('%s is this machine', async (host) => {
    await expect(startTestServer({ host })).resolves.toBeDefined();
  });

  test('every address without a name of its own is refused', async () => {
    await expect(startTestServer({ host: '0.0.0.0', authenticate: localAuthentication })).rejects.toThrow(
      /INFRA_HTTP_PUBLIC_URL/,
    );
    await expect(
      startTestServer({ host: '0.0.0.0', authenticate: localAuthentication, allowedHosts: ['mcp.example.com'] }),
    ).resolves.toBeDefined();
  });

  test('a port that is taken is an error', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    await expect(startTestServer({ port: (taken.address() as AddressInfo).port })).rejects.toThrow(/EADDRINUSE/);
    await new Promise((resolve) => taken.close(resolve));
  });
});
