import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bearerAuthentication } from '../../src/transport/index.ts';
import { createApiKey, identityForKey, loadApiKeys } from '../../src/transport/http/api-keys.ts';
import { tools } from '../../tools/index.ts';
import { oauthOf, startAuthorizationServer } from './authorization-server.ts';
import { closeTestServers, initialize, modernCall, modernHeaders, startTestServer } from './test-server.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'infra-mcp-keys-'));
});

afterEach(async () => {
  await closeTestServers();
  await rm(directory, { recursive: true });
});

const keysFile = async (text: string) => {
  const path = join(directory, 'keys.yaml');
  await writeFile(path, text);
  return loadApiKeys(path, tools);
};

const entries = (...lines: string[]): string => ['keys:', ...lines.map((line) => `  - ${line}`)].join('\n');

describe('a keys file', () => {
  test('says who has which key, and what it may do', async () => {
    const [ann, bob, old] = [createApiKey(), createApiKey(), createApiKey()];
    await writeFile(join(directory, 'bob.yaml'), 'deny:\n  - tool: lock_cluster\n');
    const keys = await keysFile(
      entries(
        `{ name: ann, sha256: ${ann.sha256} }`,
        `{ name: bob, sha256: [${bob.sha256}, ${old.sha256}], level: admin, policy: bob.yaml }`,
      ),
    );
    expect(identityForKey(keys, ann.key)).toMatchObject({
      principal: 'key:ann',
      level: 'read',
      restriction: { rules: [{ permissionLimit: { level: 'read' } }, { readOnly: expect.stringContaining('"ann"') }] },
    });
    expect(identityForKey(keys, bob.key)).toMatchObject({
      principal: 'key:bob',
      level: 'admin',
      restriction: { rules: [{ deny: [{ conditions: { tool: ['lock_cluster'] } }] }] },
    });
    expect(identityForKey(keys, old.key)).toBe(identityForKey(keys, bob.key));
    for (const stranger of [createApiKey().key, ann.sha256, `${ann.key} `, ann.key.slice(0, -1), ''])
      expect(identityForKey(keys, stranger)).toBeUndefined();
  });

  test.each(['keys:', 'keys: []', '', 'key: []', 'ann'])('without keys says how to create one: %j', async (text) => {
    await expect(keysFile(text)).rejects.toThrow(
      /^The keys can't be used: \S+keys\.yaml: has no keys; infra-mcp key creates one, and prints its entry for a list below "keys:"(?:; key: is not known; did you mean "keys"\?)?$/,
    );
  });

  test('names the entry that has a fault', async () => {
    await expect(keysFile(entries('{ name: ann, sha256: short }'))).rejects.toThrow(
      /keys\.yaml: keys\[0\]\.sha256: must be the SHA-256/,
    );
  });

  test('takes no key that could be guessed', async () => {
    const { createHash } = await import('node:crypto');
    const keys = await keysFile(
      entries(`{ name: ann, sha256: ${createHash('sha256').update('hunter2').digest('hex')} }`),
    );
    expect(identityForKey(keys, 'hunter2')).toBeUndefined();
  });

  const { sha256 } = createApiKey();
  test.each([
    ['is no YAML', 'keys: [', /keys\.yaml/],
    ['holds no keys', 'keys: []', /keys/],
    ['is something else', 'read_only: true', /keys/],
    ['has a key itself in place of its hash', entries(`{ name: ann, sha256: ${createApiKey().key} }`), /SHA-256/],
    ['misspells something', entries(`{ name: ann, sha256: ${sha256}, readonly: true }`), /readonly/],
    ['has a level that is none', entries(`{ name: ann, sha256: ${sha256}, level: root }`), /level/],
    ['has a name that could pass for another', entries(`{ name: "a+b", sha256: ${sha256} }`), /name/],
    [
      'has a name twice',
      entries(`{ name: ann, sha256: ${sha256} }`, `{ name: ann, sha256: ${createApiKey().sha256} }`),
      /"ann" is there twice/,
    ],
    ['has a key twice', entries(`{ name: ann, sha256: ${sha256} }`, `{ name: bob, sha256: ${sha256} }`), /twice/],
    [
      'names a policy that is not there',
      entries(`{ name: ann, sha256: ${sha256}, policy: none.yaml }`),
      /none\.yaml.*ENOENT/,
    ],
  ])('that %s is refused', async (_, text, says) => {
    const refusal = await keysFile(text).catch((error: unknown) => String(error));
    expect(refusal).toMatch(says);
    expect(refusal).not.toContain('imk_');
  });

  test('that is not there is refused', async () => {
    await expect(loadApiKeys(join(directory, 'none.yaml'), tools)).rejects.toThrow(/none\.yaml.*ENOENT/);
  });
});

const startGuarded = async (level: string) => {
  const { key, sha256 } = createApiKey();
  const keys = await keysFile(entries(`{ name: ann, sha256: ${sha256}, level: ${level} }`));
  const server = await startTestServer({
    authenticate: bearerAuthentication({ keys }),
    levelOf: (tool) => (tool === 'hold' ? 'deploy' : 'read'),
  });
  return { ...server, key };
};

describe('a key', () => {
  test('lets in, without one nobody comes in', async () => {
    const { post, key } = await startGuarded('read');
    expect((await post(initialize, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await post(initialize, { authorization: `bearer ${key}` })).status).toBe(200);
    for (const authorization of ['', `Bearer ${createApiKey().key}`, `Basic ${key}`, key]) {
      const answer = await post(initialize, authorization ? { authorization } : {});
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="infra-mcp"');
    }
  });

  test('works beside access tokens', async () => {
    const authority = await startAuthorizationServer();
    const { key, sha256 } = createApiKey();
    const keys = await keysFile(entries(`{ name: ann, sha256: ${sha256} }`));
    const { post } = await startTestServer({ authenticate: bearerAuthentication({ keys, oauth: oauthOf(authority) }) });
    const who = async (token: string) =>
      (await post(modernCall('who'), { ...modernHeaders('who'), authorization: `Bearer ${token}` })).text();
    expect(await who(key)).toContain('key:ann');
    expect(await who(await authority.token())).toContain('oauth:user:ann');
    await authority.close();
  });
});
