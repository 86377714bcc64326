import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/cli/config/index.ts';
import { readServerConfig } from '../../src/cli/doctor/doctor.ts';
import { proxyFor, proxyWarnings } from '../../src/outgoing/index.ts';

describe('the variables', () => {
  const [http, https, all] = ['http://http.test:1', 'http://https.test:2', 'http://all.test:3'];
  test.each<[Record<string, string>, string, string | undefined]>([
    [{}, 'https://api.test', undefined],
    [{ HTTPS_PROXY: https }, 'https://api.test', https],
    [{ HTTPS_PROXY: https }, 'http://api.test', undefined],
    [{ HTTP_PROXY: http }, 'https://api.test', undefined],
    [{ HTTP_PROXY: http, ALL_PROXY: all }, 'https://api.test', all],
    [{ HTTP_PROXY: http, ALL_PROXY: all }, 'http://api.test', http],
    [{ https_proxy: https, HTTPS_PROXY: http }, 'https://api.test', https],
    [{ https_proxy: '', HTTPS_PROXY: https }, 'https://api.test', https],
    [{ all_proxy: 'proxy.test:3128' }, 'https://api.test', 'http://proxy.test:3128'],
    [{ ALL_PROXY: 'socks5h://proxy.test:1080' }, 'https://api.test', 'socks5://proxy.test:1080'],
    ...['http://localhost:1', 'http://127.9.9.9', 'http://[::1]:8', 'https://a.localhost'].map(
      (url): [Record<string, string>, string, undefined] => [{ ALL_PROXY: all }, url, undefined],
    ),
    ...[
      ['*', true],
      ['other.test, api.test', true],
      ['other.test api.test', true],
      ['API.test.', true],
      ['test', true],
      ['.api.test', true],
      ['*.api.test', false],
      ['*.test', true],
      ['pi.test', false],
      ['api.test:443', true],
      ['api.test:8443', false],
      ['other.test', false],
      ['**', true],
      ['*.*', true],
      ['*api.test', true],
      ['*pi.test', true],
      ['ap*.test', true],
      ['*.other.test', false],
      ['other.test;api.test', true],
      ['other.test|api.test', true],
      ['other.test/a:b,api.test', true],
      ['http://api.test', true],
      ['https://user:geheim@api.test:443/path', true],
      ['https://api.test:8443', false],
    ].map(([no, isDirect]): [Record<string, string>, string, string | undefined] => [
      { ALL_PROXY: all, no_proxy: String(no) },
      'https://api.test/path',
      isDirect === true ? undefined : all,
    ]),
    [{ ALL_PROXY: all, NO_PROXY: '10.0.0.0/8' }, 'https://10.200.3.4', undefined],
    [{ ALL_PROXY: all, NO_PROXY: '10.0.0.0/8' }, 'https://11.0.0.1', all],
    [{ ALL_PROXY: all, NO_PROXY: 'localhost,192.168.*' }, 'https://192.168.3.4', undefined],
    [{ ALL_PROXY: all, NO_PROXY: 'localhost,192.168.*' }, 'https://192.169.3.4', all],
    [{ ALL_PROXY: all, NO_PROXY: '10.*.*.*:443' }, 'https://10.200.3.4', undefined],
    [{ ALL_PROXY: all, NO_PROXY: '10.*' }, 'https://10.example.test', all],
    [{ ALL_PROXY: all, NO_PROXY: '*.3.4' }, 'https://a.b.3.4.test', all],
    [{ ALL_PROXY: all, NO_PROXY: '10.0.0.0/99,192.168.3.4' }, 'https://10.0.0.1', all],
    [{ ALL_PROXY: all, NO_PROXY: '10.0.0.0/99,192.168.3.4' }, 'https://192.168.3.4', undefined],
    [{ ALL_PROXY: all, NO_PROXY: 'fd00::/8' }, 'https://[fd12::1]', undefined],
    [{ ALL_PROXY: all, NO_PROXY: '[fd12::1]:443' }, 'https://[fd12::1]', undefined],
    [{ ALL_PROXY: all, NO_PROXY: 'fd12::1' }, 'https://[fd12::1]', undefined],
  ])('%j: %s goes through %s', (env, url, address) => {
    expect(proxyFor(url, env)?.address).toBe(address);
  });

  test.each([
    ['HTTPS_PROXY', 'http://'],
    ['HTTPS_PROXY', 'ftp://user:geheim@proxy.test'],
    ['HTTPS_PROXY', 'http://user:geheim@proxy.test:99999'],
    ['https_proxy', 'http://user:geheim@proxy.test/path'],
    ['ALL_PROXY', 'user:geheim@pro xy'],
    ['HTTP_PROXY', 'http://user:ge/heim@proxy.test:3128'],
  ])('%s=%s is refused before anything starts, without a secret', async (name, value) => {
    const start = () => readConfig('stdio', {}, { [name]: value });
    expect(start).toThrow(new RegExp(`${name}.*Write`));
    expect(start).not.toThrow(/heim/);
    const { findings } = await readServerConfig('stdio', {}, { [name]: value });
    expect(findings).toEqual([expect.objectContaining({ check: 'configuration', state: 'bad' })]);
  });

  test('one that is not used is not read', () => {
    const env = { HTTP_PROXY: 'http://a.test', HTTPS_PROXY: 'http://a.test', ALL_PROXY: 'gopher://b.test' };
    expect(() => readConfig('stdio', {}, env)).not.toThrow();
  });
});

test('what of NO_PROXY can not be read is said, and stops nothing', () => {
  const NO_PROXY = 'localhost,user:geheim@b.test,10.0.0.0/99';
  expect(readConfig('stdio', {}, { ALL_PROXY: 'proxy.test', NO_PROXY }).warnings).toEqual([]);
  const [warning, ...others] = proxyWarnings({ ALL_PROXY: 'proxy.test', no_proxy: NO_PROXY });
  expect(warning).toMatch(/^Entries 2, 3 of no_proxy /);
  expect(warning).not.toContain('geheim');
  expect(others).toEqual([]);
  expect(proxyWarnings({ NO_PROXY })).toEqual([]);
  expect(proxyWarnings({ ALL_PROXY: 'proxy.test', NO_PROXY: 'localhost' })).toEqual([]);
});

const proxied = { HTTPS_PROXY: 'http://user:geheim@proxy.test:3128' };

/** What doctor says of proxies for a server. */
async function saidBy(server: 'stdio' | 'http', env: Record<string, string>) {
  const { findings } = await readServerConfig(server, {}, { ...proxied, ...env });
  expect(JSON.stringify(findings)).not.toContain('geheim');
  return findings.filter(({ check }) => check === 'proxy');
}

describe('doctor says', () => {
  test('what goes through which proxy, and what does not', async () => {
    const said = await saidBy('stdio', {
      NO_PROXY: '.inside.test,https://user:geheim@10.0.0.1/',
      INFRA_BASE_URL: 'https://api.inside.test',
      INFRA_API_TOKEN: 'token',
    });
    expect(said.map(({ says }) => says)).toEqual([
      'all requests over https go through http://proxy.test:3128 (HTTPS_PROXY), except those to this machine, .inside.test (NO_PROXY), 10.0.0.1 (NO_PROXY)',
      'the platform at api.inside.test: without a proxy',
    ]);
  });

  test('what of NO_PROXY is ignored', async () => {
    const [, note] = await saidBy('stdio', { NO_PROXY: 'user:geheim@b.test' });
    expect(note).toMatchObject({ state: 'note', says: expect.stringContaining('Entry 1 of NO_PROXY') as string });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://traces.test:4318/'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://traces.test:4318/path'],
  ])('where traces go by %s', async (name, value) => {
    const [, route] = await saidBy('stdio', { [name]: value });
    expect(route?.says).toMatch(/traces.test:4318: http:\/\/proxy.test:3128$/);
  });

  test('where the keys of an authorization server come from', async () => {
    const said = await saidBy('http', {
      INFRA_OAUTH_ISSUER: 'https://issuer.test',
      INFRA_OAUTH_JWKS_URL: 'https://keys.test/jwks',
      INFRA_HTTP_PUBLIC_URL: 'https://mcp.test/mcp',
    });
    expect(said.filter(({ says }) => /(?:issuer|keys)\.test: http:\/\/proxy/.test(says))).toHaveLength(2);
  });
});
