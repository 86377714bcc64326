import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitEnvironmentFor } from '../../../../../src/platform/runtime/docker/git/git-environment.ts';
import { isBranchName, sourcePath } from '../../../../../src/platform/common/source-paths.ts';
import {
  type GitAddress,
  inTemporaryDirectory,
  parseGitAddress,
} from '../../../../../src/platform/runtime/docker/git/index.ts';

test.each([
  ['https://git.example.test/acme/shop.git', { scheme: 'https', host: 'git.example.test', port: 443 }],
  ['http://git.example.test:3000/acme/shop', { scheme: 'http', host: 'git.example.test:3000', port: 3000 }],
  [
    'ssh://git@git.example.test:2222/acme/shop.git',
    { scheme: 'ssh', host: 'git.example.test:2222', hostname: 'git.example.test', port: 2222 },
  ],
  [
    'git@git.example.test:acme/shop.git',
    { scheme: 'ssh', host: 'git.example.test', port: 22, url: 'git@git.example.test:acme/shop.git' },
  ],
])('%s is understood', (url, parts) => {
  expect(parseGitAddress(url)).toMatchObject(parts);
});

test("what a stored address has that can't be used is told in words, without what it holds", () => {
  expect(parseGitAddress('https://user:secret@git.example.test/shop.git')).toMatch(
    /^The address of the repository must not hold a user name or password/,
  );
  expect(parseGitAddress(String.raw`https://8.8.8.8\@127.0.0.1:8443/secret.git`)).toMatch(
    /^The address of the repository must not hold backslashes(?!.*secret)/,
  );
});

test('paths of a repository stay in it', () => {
  expect(['/', '', '/web/', './web/api', 'web//api'].map(sourcePath)).toEqual(['', '', 'web', 'web/api', 'web/api']);
  expect(['..', '/web/../..', '../etc', 'a\0b'].map(sourcePath)).toEqual([undefined, undefined, undefined, undefined]);
});

test('names of branches are told from what git would take for something else', () => {
  expect(['main', 'release/2.x', 'feature/a-b_c', 'fix#12', 'ünïcode'].filter((name) => !isBranchName(name))).toEqual(
    [],
  );
  expect(
    [
      '--upload-pack=id',
      '-x',
      'a:b',
      'a b',
      'a..b',
      '*',
      'a~1',
      'a^',
      'x.lock',
      '/x',
      'x/',
      '@{-1}',
      'a\nb',
      '.x',
      'a/.b',
      'main\u202E',
      'x\u200By',
      'ma\u00ADin',
      'main\u2800',
      'main\u{E0041}',
      'a\u0007',
    ].filter(isBranchName),
  ).toEqual([]);
});

test('ssh uses the key and the known servers of the host, at the address that was checked, and nothing of the user', async () => {
  const hosts = { 'git.example.test:2222': { ssh: { keyFile: '/keys/of shop', knownHostsFile: '/keys/known' } } };
  await inTemporaryDirectory(join(tmpdir(), 'git-address-'), async (directory) => {
    const address = parseGitAddress('ssh://git@git.example.test:2222/acme/shop.git') as GitAddress;
    const environment = await gitEnvironmentFor(hosts, address, ['203.0.113.5'], directory);
    const settings = join(directory, 'ssh-settings');
    expect(environment['GIT_SSH_COMMAND']).toBe(`ssh -F '${settings}'`);
    expect(readFileSync(settings, 'utf8')).toContain('IdentityFile "/keys/of shop"');
    const understood = execFileSync('ssh', ['-G', '-F', settings, '-p', '2222', 'git@git.example.test'], {
      encoding: 'utf8',
    }).split('\n');
    expect(understood).toEqual(
      expect.arrayContaining([
        'hostname 203.0.113.5',
        'hostkeyalias [git.example.test]:2222',
        'stricthostkeychecking true',
        'batchmode yes',
        'userknownhostsfile /keys/known',
        'identityfile /keys/of shop',
        'passwordauthentication no',
        'identitiesonly yes',
      ]),
    );
  });
});

test('a server that is configured by its name is asked at the addresses that were checked, with its token in no file', async () => {
  await inTemporaryDirectory(join(tmpdir(), 'git-address-'), async (directory) => {
    const environment = await gitEnvironmentFor(
      { 'git.example.test': { token: 'secret' } },
      parseGitAddress('https://git.example.test/shop.git') as GitAddress,
      ['203.0.113.5', '2001:db8::1'],
      directory,
    );
    const settings = Object.entries(environment)
      .filter(([key]) => key.startsWith('GIT_CONFIG_VALUE_'))
      .map(([, value]) => value);
    expect(settings).toEqual(
      expect.arrayContaining([
        'git.example.test:443:203.0.113.5,[2001:db8::1]',
        `Authorization: Basic ${Buffer.from('git:secret').toString('base64')}`,
      ]),
    );
  });
});
