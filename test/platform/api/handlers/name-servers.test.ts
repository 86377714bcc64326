import { expect, test } from 'vitest';
import { lookUpDomain, type NameServers } from '../../../../src/platform/api/handlers/name-servers.ts';

const target = '11b02e97.apps.example.com';

const failure = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

/** Name servers with these records. */
const serversOf = (cnames: Record<string, string[]>, addresses: Record<string, string[]>): NameServers => ({
  cnames: async (name) => cnames[name] ?? failure('ENODATA'),
  addresses: async (name) => addresses[name] ?? failure('ENOTFOUND'),
});

const here = { [target]: ['192.0.2.1', '2001:db8::1'] };

test.each([
  ['a CNAME record', serversOf({ 'shop.example.com': [target] }, {}), 'MATCHES_LOAD_BALANCER_HOST', null],
  [
    'the same address',
    serversOf({}, { ...here, 'shop.example.com': ['2001:db8::1'] }),
    'MATCHES_LOAD_BALANCER_HOST',
    null,
  ],
  [
    'another address',
    serversOf({}, { ...here, 'shop.example.com': ['198.51.100.7'] }),
    'DOMAIN_LINKED_TO_WRONG_HOST',
    'It leads to 198.51.100.7, and the cluster is at 192.0.2.1, 2001:db8::1.',
  ],
  [
    'no record',
    serversOf({}, here),
    'DOMAIN_NOT_CONFIGURED',
    `There is no record of shop.example.com: enter a CNAME record that holds ${target}.`,
  ],
  [
    'a cluster without a name',
    serversOf({}, { 'shop.example.com': ['198.51.100.7'] }),
    'GENERIC_FAILURE',
    `The name ${target} leads nowhere: enter a record for *.apps.example.com with the address of the cluster.`,
  ],
  [
    'no answer',
    { cnames: async () => failure('ETIMEOUT'), addresses: async () => failure('ETIMEOUT') },
    'GENERIC_FAILURE',
    'The name servers did not answer (ETIMEOUT).',
  ],
] as const)('of a domain with %s', async (_, servers, status, details) => {
  expect(await lookUpDomain({ domain: 'Shop.example.com', usesCdn: false }, target, servers)).toEqual({
    status,
    error_details: details,
  });
});

test('a domain behind a network of others has any address, and one with a star is looked up by a name that it stands for', async () => {
  const servers = serversOf(
    {},
    { ...here, 'shop.example.com': ['198.51.100.7'], 'any-name.shop.example.com': ['192.0.2.1'] },
  );
  expect(await lookUpDomain({ domain: 'shop.example.com', usesCdn: true }, target, servers)).toMatchObject({
    status: 'RESOLVES_TO_IP',
  });
  expect(await lookUpDomain({ domain: '*.shop.example.com', usesCdn: false }, target, servers)).toMatchObject({
    status: 'MATCHES_LOAD_BALANCER_HOST',
  });
});
