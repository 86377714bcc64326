import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig, type Config, type ConfigError } from '../../src/cli/config/index.ts';
import { claimDataDir } from '../../src/cli/wiring/data-dir-claim.ts';
import { readOrCreateToken } from '../../src/cli/wiring/secret-file.ts';
import { assertSafeAddress, isLoopback } from '../../src/transport/index.ts';
import { exchangeRaw } from '../transport/raw-connection.ts';
import { closeTestServers, initialize, startTestServer, type TestServer } from '../transport/test-server.ts';

const read = (flags: Record<string, string>): Config => readConfig('http', flags, { HOME: '/tmp' }).config;

const errorOf = (flags: Record<string, string>): string => {
  try {
    read(flags);
    return '';
  } catch (error) {
    return (error as ConfigError).message;
  }
};

describe('an option that can never work is refused with what to write instead', () => {
  test.each([
    ['allowedHosts', 'mcp.example.com:8443', 'write mcp.example.com,'],
    ['allowedHosts', 'a.example.com,https://mcp.example.com/mcp', 'write mcp.example.com,'],
    ['allowedHosts', '::1', 'write [::1],'],
    ['allowedHosts', '[::1]:8080', 'write [::1],'],
    ['allowedHosts', '*', 'such as mcp.example.com'],
    ['allowedHosts', '*.example.com', 'such as mcp.example.com'],
    ['allowedHosts', 'a.example.com,,b.example.com', 'empty entry'],
    ['allowedHosts', 'a b', 'such as mcp.example.com'],
    ['allowedOrigins', 'app.example.com', 'write https://app.example.com,'],
    ['allowedOrigins', 'localhost:5173', 'http://localhost:5173'],
    ['allowedOrigins', 'https://app.example.com/console', 'write https://app.example.com,'],
    ['allowedOrigins', 'https://app.example.com?x=1', 'write https://app.example.com,'],
    ['allowedOrigins', '*', 'such as https://app.example.com'],
    ['allowedOrigins', 'https://*.example.com', 'such as https://app.example.com'],
    ['allowedOrigins', 'null', 'such as https://app.example.com'],
    ['publicUrl', 'https://mcp.example.com/mcp?x=1', 'write https://mcp.example.com/mcp.'],
    ['publicUrl', 'https://mcp.example.com/mcp#x', 'write https://mcp.example.com/mcp.'],
    ['publicUrl', 'https://mcp.example.com/mcp?', 'write https://mcp.example.com/mcp.'],
    ['publicUrl', 'mcp.example.com', 'http or https'],
    ['host', '127.0.0.1:80', 'write --host 127.0.0.1 --port 80.'],
    ['host', '[::1]:8080', 'write --host ::1 --port 8080.'],
    ['host', '[::1', 'write --host ::1.'],
    ['host', 'http://localhost', 'write --host localhost.'],
    ['host', 'https://user:hunter2@localhost:443/mcp', 'write --host localhost --port 443.'],
    ['host', '8080', 'write --host 127.0.0.1 --port 8080.'],
    ['host', ':8080', 'write --host 127.0.0.1 --port 8080.'],
    ['host', '127.1', 'write --host 127.0.0.1.'],
    ['host', 'a b', 'write --host 127.0.0.1.'],
    ['host', '*', 'write --host 0.0.0.0 '],
    ['host', '127.0.0.*:80', 'write --host 0.0.0.0 --port 80 '],
    ['metricsHost', '0.0.0.0:9100', 'write --metrics-host 0.0.0.0 --metrics-port 9100.'],
  ])('%s %s', (name, text, instead) => {
    expect(errorOf({ [name]: text })).toContain(instead);
  });

  test.each(['localhost', 'Mcp-1.example.com', '0.0.0.0', '::', 'fe80::1%eth0', 'my_host', '0:0:0:0:0:0:0:1'])(
    'the address %s to listen on is taken',
    (host) => {
      expect(read({ host }).httpHost).toBe(host);
    },
  );

  test('user names and passwords in it are not shown', () => {
    for (const name of ['publicUrl', 'allowedOrigins', 'allowedHosts']) {
      const message = errorOf({ [name]: 'https://user:hunter2@mcp.example.com/mcp' });
      expect(message).toContain('mcp.example.com');
      expect(message).not.toMatch(/user:|hunter2/);
    }
  });

  test('what works is taken in the form in which clients send it', () => {
    expect(read({ allowedHosts: 'MCP.example.com, [::1],10.0.0.7' }).allowedHosts).toEqual([
      'mcp.example.com',
      '[::1]',
      '10.0.0.7',
    ]);
    const origins = 'https://App.example.com:443,http://localhost:5173/ , chrome-extension://abc';
    expect(read({ allowedOrigins: origins }).allowedOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
      'chrome-extension://abc',
    ]);
    expect(read({ publicUrl: 'https://example.com/team/infra' }).publicUrl?.pathname).toBe('/team/infra');
  });
});

describe('a path at which nothing can be created is named with the reason and what to write instead', () => {
  const nowhere = ['/proc/x/y', join(import.meta.filename, 'x')];

  test.each(nowhere)('the token file %s', async (path) => {
    await expect(readOrCreateToken(path)).rejects.toThrow(
      /^The token can't be .* \/\S+\/\w \(E[A-Z]+: [\w ]+\): name /,
    );
  });

  test.each(nowhere)('the data directory %s', async (path) => {
    await expect(claimDataDir(path)).rejects.toThrow(/^The data directory .* \(E[A-Z]+: [^)]+\): set INFRA_DATA_DIR/);
  });
});

test('[::1] is a loopback address with and without brackets', () => {
  for (const host of ['[::1]', '::1', '127.0.0.1', 'localhost']) expect(isLoopback(host)).toBe(true);
  expect(isLoopback('[::]')).toBe(false);
  expect(() => assertSafeAddress({ host: '[::1]', allowedHosts: [], allowedOrigins: [] }, false)).not.toThrow();
  const { httpHost, metricsHost } = read({ host: '[::1]', metricsHost: '[::1]' });
  expect([httpHost, metricsHost]).toEqual(['::1', '::1']);
});

describe('the MCP endpoint', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startTestServer({ allowedHosts: ['inner.example.com'] })));
  afterAll(closeTestServers);

  test.each([
    '*/*',
    'application/*, text/*',
    'application/json, text/*;q=0.5',
    'application/*,text/event-stream',
    'Application/JSON, */*;q=0.1',
  ])('takes Accept: %s', async (accept) => {
    const answer = await server.post(initialize, { accept });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
    const session = answer.headers.get('mcp-session-id')!;
    const stream = await fetch(server.url, { headers: { accept, 'mcp-session-id': session } });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  test.each(['application/json', 'application/*', 'text/html'])('still refuses Accept: %s', async (accept) => {
    expect((await server.post(initialize, { accept })).status).toBe(406);
  });

  test('takes a request without Accept', async () => {
    const body = JSON.stringify(initialize);
    const answer = await exchangeRaw(
      server.port,
      `POST /mcp/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200/);
  });

  test('tells the caller and the log which option allows a refused host, once, and names no other', async () => {
    const ask = () =>
      exchangeRaw(server.port, 'GET /mcp HTTP/1.1\r\nhost: outer.example.com:80\r\nconnection: close\r\n\r\n');
    const answers = [await ask(), await ask()];
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1.1 403/);
      expect(answer).toContain('INFRA_HTTP_ALLOWED_HOSTS (--allowed-hosts)');
      expect(answer).toContain('outer.example.com');
      expect(answer).not.toContain('inner.example.com');
    }
    const warnings = server.log.lines.filter(
      ({ level, message }) => level === 'warn' && message.includes('allowed-hosts'),
    );
    expect(warnings).toMatchObject([{ fields: { host: 'outer.example.com' } }]);
  });

  test('tells the caller which option allows a refused origin', async () => {
    const refused = await server.post(initialize, { origin: 'https://app.example.com' });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('INFRA_HTTP_ALLOWED_ORIGINS (--allowed-origins)');
  });
});
