import { expect, test } from 'vitest';
import {
  addressFaultText,
  type AddressFault,
  operations,
  readGitAddress,
  readHttpAddress,
  ApplicationRequest,
} from '../../src/contract/index.ts';
import { readChartAddress } from '../../src/contract/addresses.ts';
import { HelmRepositoryRequest } from '../../src/contract/resources/helm-repository.ts';
import { Uri } from '../../src/contract/primitives.ts';

/** Addresses that programs read in different ways, and what is wrong with each. */
const odd: readonly (readonly [string, AddressFault])[] = [
  [String.raw`https://8.8.8.8\@127.0.0.1:8443/x.git`, 'characters'],
  [String.raw`https:\\8.8.8.8/x.git`, 'characters'],
  ['https://8.8.8.8\t/x.git', 'characters'],
  ['https://git.example.test/a b.git', 'characters'],
  ['https://git.example.test/a\u0000.git', 'characters'],
  ['https://git.example.test/a%0d%0aHost:x.git', 'characters'],
  ['https://git.example.test/%7f.git', 'characters'],
  ['https://gıt.example.test/x.git', 'characters'],
  ['https://git.example.test/\u202Ex.git', 'characters'],
  ['https://git.example.test/ü.git', 'characters'],
  ['https:git.example.test/x.git', 'scheme'],
  ['https:///git.example.test/x.git', 'host'],
  ['https://2130706433/x.git', 'host'],
  ['https://0x7f.1/x.git', 'host'],
  ['https://127.1/x.git', 'host'],
  ['https://%31%32%37.0.0.1/x.git', 'host'],
  ['https://git.example.test:99999/x.git', 'host'],
  ['https://git.example.test:080/x.git', 'host'],
  ['https://git.example.test:/x.git', 'host'],
  ['https://[::0001]/x.git', 'host'],
  ['https://-a.example.test/x.git', 'host'],
  ['https://a.example.test./x.git', 'host'],
  ['https://a,b/x.git', 'host'],
  ['https://git.example.test/acme/shop/%2e%2e/%2E%2E/evil/x.git', 'dots'],
  ['https://git.example.test/acme/./shop', 'dots'],
  ['https://git.example.test/a/..', 'dots'],
  ['https://git.example.test/a/.%2e', 'dots'],
  ['https://git.example.test/acme%2f..%2Fevil/x.git', 'dots'],
  ['https://git.example.test/acme%5c..%5cevil', 'dots'],
];

test.each(odd)('%j is refused as %s', (address, fault) => {
  expect(readGitAddress(address)).toBe(fault);
  expect(readHttpAddress(address)).toBe(fault);
  expect(readChartAddress(address, 'https')).toBe(fault);
});

test.each<readonly [string, AddressFault]>([
  ['https://user:secret@git.example.test/x.git', 'credentials'],
  ['https://token@git.example.test/x.git', 'credentials'],
  ['ssh://git:secret@git.example.test/x.git', 'credentials'],
  ['https://@git.example.test/x.git', 'credentials'],
  ['https://git.example.test/x.git?token=secret', 'query'],
  ['https://git.example.test/x.git#main', 'query'],
  ['https://git.example.test', 'path'],
  ['https://git.example.test/', 'path'],
  ['ssh://2130706433/x.git', 'host'],
  ['ssh://git@git.example.test/acme/../evil/x.git', 'dots'],
  ['git@git.example.test:acme/../../evil/x.git', 'dots'],
  ['git@git.example.test:%2E%2e/x.git', 'dots'],
  ['git@0x7f.1:x.git', 'host'],
  ['git@git.example.test:', 'scheme'],
  ['ext::sh -c id', 'characters'],
  ['file:///etc', 'folder'],
  ['/srv/git/shop', 'folder'],
  ['./shop', 'folder'],
  ['~/shop.git', 'folder'],
  [String.raw`C:\shop`, 'folder'],
  ['acme/shop', 'scheme'],
  ['-oProxyCommand=id@git.example.test:x', 'scheme'],
])('%j is refused as %s for a repository, and what is said repeats nothing of it', (address, fault) => {
  expect(readGitAddress(address)).toBe(fault);
  expect(addressFaultText(fault)).not.toContain('secret');
});

test.each([
  [
    'https://Git.Example.test:443/acme/%C3%BC.git',
    { url: 'https://git.example.test/acme/%C3%BC.git', host: 'git.example.test', hostname: 'git.example.test' },
  ],
  [
    'http://git.example.test:3000/acme/shop',
    { url: 'http://git.example.test:3000/acme/shop', host: 'git.example.test:3000', port: 3000 },
  ],
  ['https://git.example.test/..a/b..c/.../shop.git', { url: 'https://git.example.test/..a/b..c/.../shop.git' }],
  ['https://git.example.test/a@b/shop.git', { url: 'https://git.example.test/a@b/shop.git', host: 'git.example.test' }],
  [
    'ssh://git@Git.example.test:2222/acme/shop.git',
    { url: 'ssh://git@git.example.test:2222/acme/shop.git', scheme: 'ssh', host: 'git.example.test:2222' },
  ],
  [
    'git@Git.example.test:acme/shop.git',
    { url: 'git@git.example.test:acme/shop.git', scheme: 'ssh', hostname: 'git.example.test' },
  ],
  [
    'https://[::1]:8443/shop.git',
    { url: 'https://[::1]:8443/shop.git', host: '[::1]:8443', hostname: '::1', port: 8443 },
  ],
  ['https://xn--gt-dpa.example.test/shop.git', { host: 'xn--gt-dpa.example.test' }],
])('%s is put together again from its parts', (address, parts) => {
  expect(readGitAddress(address)).toMatchObject(parts);
});

test('addresses with http may have credentials, a query and a fragment', () => {
  expect(readHttpAddress('https://me:word@hooks.example.test/in?x=1#y')).toMatchObject({
    url: 'https://me:word@hooks.example.test/in?x=1#y',
    host: 'hooks.example.test',
  });
  expect(readHttpAddress('https://hooks.example.test/in?x=/../y#/./z')).toMatchObject({
    url: 'https://hooks.example.test/in?x=/../y#/./z',
  });
  expect(readHttpAddress('https://me@8.8.8.8@127.0.0.1/')).toBe('host');
});

test.each([
  [String.raw`https:\\a@evil.example/x`, false],
  [String.raw`https://a.example\@evil.example/x`, false],
  ['https:evil.example/x', false],
  ['https:///evil.example/x', false],
  ['HTTP:/evil.example', false],
  ['https://a.example/\t/x', false],
  [' https://a.example/x', false],
  ['no uri', false],
  ['app://icons/box', true],
  ['https://a.example/x.png?size=2#y', true],
  ['https://me:word@a.example/x', true],
  ['https://a.example/ü.png', true],
  ['data:image/png;base64,AAAA', true],
  ['urn:icon:box', true],
])('%j is a URI: %j', (text, isUri) => {
  expect(Uri.safeParse(text).success).toBe(isUri);
});

/** What is wrong with a request, field by field. */
const messages = (
  schema: typeof ApplicationRequest | typeof HelmRepositoryRequest | typeof operations.create_webhook.body,
  value: unknown,
) => schema.safeParse(value).error?.issues.map(({ path, message }) => [path.join('.'), message]);

test('a request names the field of an address that is refused, once', () => {
  const [address] = odd[0]!;
  expect(messages(ApplicationRequest, { name: 'a', git_repository: { url: address } })).toEqual([
    ['git_repository.url', addressFaultText('characters')],
  ]);
  expect(messages(ApplicationRequest, { name: 'a', git_repository: { url: 'not a url' } })).toEqual([
    ['git_repository.url', expect.stringMatching(/^must be a git address/)],
  ]);
  expect(messages(ApplicationRequest, { name: 'a', git_repository: { url: 'file:///srv/shop.git' } })).toEqual([
    ['git_repository.url', addressFaultText('folder')],
  ]);
  expect(
    messages(HelmRepositoryRequest, {
      name: 'a',
      kind: 'HTTPS',
      skip_tls_verification: false,
      config: {},
      url: address,
    }),
  ).toEqual([['url', addressFaultText('characters')]]);
  expect(
    messages(HelmRepositoryRequest, {
      name: 'a',
      kind: 'OCI_ECR',
      skip_tls_verification: false,
      config: {},
      url: 'oci://me:word@registry.example.test',
    }),
  ).toEqual([['url', addressFaultText('credentials')]]);
  expect(
    messages(HelmRepositoryRequest, {
      name: 'a',
      kind: 'OCI_ECR',
      skip_tls_verification: false,
      config: {},
      url: 'https://registry.example.test',
    }),
  ).toEqual([['url', expect.stringMatching(/^must start with/)]]);
  expect(messages(operations.create_webhook.body, { target_url: address, events: ['DEPLOYMENT_FAILED'] })).toEqual([
    ['target_url', addressFaultText('characters')],
  ]);
});
