import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/cli/config/index.ts';
import { readServerConfig } from '../../src/cli/doctor/doctor.ts';
import { proxyFor } from '../../src/outgoing/index.ts';

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
    ].map(([no, isDirect]): [Record<string, string>, string, string | undefined] => [
      { ALL_PROXY: all, no_proxy: String(no) },
      'https://api.test/path',
      isDirect === true ? undefined : all,
    ]),
    [{ ALL_PROXY: all, NO_PROXY: '10.0.0.0/8' }, 'https://10.200.3.4', undefined],
    [{ ALL_PROXY: all, NO_PROXY: '10.0.0.0/8' }, 'https://11.0.0.1', all],
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
    ['NO_PROXY', 'a.test,http://user:geheim@b.test'],
    ['NO_PROXY', '10.0.0.0/99'],
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

test('doctor says what goes through which proxy, and what does not', async () => {
  const env = {
    HTTPS_PROXY: 'http://user:geheim@proxy.test:3128',
    NO_PROXY: '.inside.test,10.0.0.0/8',
    INFRA_BASE_URL: 'https://api.inside.test',
    INFRA_API_TOKEN: 'token',
  };
  const { findings } = await readServerConfig('stdio', {}, env);
  const said = findings.filter(({ check }) => check === 'proxy').map(({ says }) => says);
  expect(said).toEqual([
    'https:// through http://proxy.test:3128 (HTTPS_PROXY); without it: this machine, .inside.test (NO_PROXY), 10.0.0.0/8 (NO_PROXY)',
    'the platform at api.inside.test: without a proxy',
  ]);
});
