import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken, listTokens, revokeToken } from '../../../src/platform/api/tokens.ts';
import { databaseFile } from '../../../src/platform/store/index.ts';
import { createVault, keyFile, openVault } from '../../../src/platform/store/vault.ts';
import { type TestPlatform, startTestPlatform } from '../../support/test-platform.ts';
import { postgresTests } from '../../support/test-store.ts';

let now = Date.now();
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ clock: { now: () => now } });
});

afterAll(() => platform.close());

const statusWith = async (value: string, scheme = 'Token') =>
  (await platform.call('get_organization', {}, { authorization: `${scheme} ${value}` })).status;

const read = (part: string | undefined) =>
  JSON.parse(Buffer.from(part!, 'base64url').toString()) as Record<string, unknown>;

describe('a token', () => {
  test('counts as soon as it is created, and no longer once it is revoked, while the platform runs', async () => {
    const value = await createToken(platform, { name: 'for a while', permission: 'read' });
    expect(await statusWith(value)).toBe(200);
    const revoked = await revokeToken(platform, 'for a while');
    expect(revoked).toMatchObject({ name: 'for a while', permission: 'read', revoked_at: expect.any(String) });
    expect(await statusWith(value)).toBe(401);
  });

  test('is listed without its value, with when it was last used', async () => {
    const value = await createToken(platform, { name: 'listed', permission: 'deploy' });
    const find = async () => (await listTokens(platform)).find(({ name }) => name === 'listed');
    expect(await find()).toMatchObject({
      permission: 'deploy',
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    });
    expect(await statusWith(value)).toBe(200);
    // Calls don't wait for it.
    await expect.poll(async () => (await find())!.last_used_at).toBe(new Date(now).toISOString());
    const listed = await find();
    expect(JSON.stringify(await listTokens(platform))).not.toContain(value);
    expect(Object.keys(listed!)).not.toContain('hash');
  });

  test('expires', async () => {
    const value = await createToken(platform, { name: 'short', permission: 'read', ttlSeconds: 100 });
    expect(await statusWith(value)).toBe(200);
    now += 3600_000;
    expect(await statusWith(value)).toBe(401);
    now -= 3600_000;
  });

  test('for the Bearer scheme reads as a JWT, which expires with it', async () => {
    const value = await createToken(platform, { name: 'person', permission: 'write', ttlSeconds: 60, jwt: true });
    const [header, claims, signature] = value.split('.');
    expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const { iat, exp } = read(claims) as { iat: number; exp: number };
    expect(read(claims)).toMatchObject({ sub: 'person', permission: 'write' });
    expect(exp - iat).toBe(60);
    expect(signature).toBe(openVault(platform.dataDir).sign(`${header}.${claims}`));
    expect(await statusWith(value, 'Bearer')).toBe(200);
    expect(await statusWith(`${header}.${claims}.${'A'.repeat(signature!.length)}`, 'Bearer')).toBe(401);
  });

  test('is refused without a name, with a level that does not exist, or with no time to live', async () => {
    await expect(createToken(platform, { name: ' ', permission: 'read' })).rejects.toThrow('name');
    await expect(createToken(platform, { name: 'x', permission: 'root' as 'admin' })).rejects.toThrow(
      'read, deploy, write, admin',
    );
    await expect(createToken(platform, { name: 'x', permission: 'read', ttlSeconds: 0 })).rejects.toThrow('above 0');
  });

  test('is revoked by its id where several have its name', async () => {
    const values = [
      await createToken(platform, { name: 'twin', permission: 'read' }),
      await createToken(platform, { name: 'twin', permission: 'read' }),
    ];
    const twins = (await listTokens(platform)).filter(({ name }) => name === 'twin');
    await expect(revokeToken(platform, 'twin')).rejects.toThrow(twins[0]!.id);
    await revokeToken(platform, twins[0]!.id);
    expect(new Set(await Promise.all(values.map((value) => statusWith(value))))).toEqual(new Set([200, 401]));
    await revokeToken(platform, 'twin');
    await expect(revokeToken(platform, 'twin')).rejects.toThrow('No live token');
  });
});

/** Whether a token is neither the tests' nor seeded. */
const isOwn = (name: string): boolean => !name.endsWith('of the tests') && name !== 'laptop of Cleo';

describe('the token of the start', () => {
  test('given by the operator is an admin token, at every later start too', async () => {
    expect(await statusWith('token-of-the-tests')).toBe(200);
    platform = await platform.restart();
    const invited = { organization_id: platform.organizationId, email: 'only.admins@example.com' };
    expect((await platform.call('invite_member', invited, { authorization: 'Token token-of-the-tests' })).status).toBe(
      201,
    );
  });

  test('is made in a new directory, and only there', async () => {
    const fresh = await startTestPlatform({ token: undefined });
    const others = await listTokens(fresh);
    expect(others.filter(({ name }) => isOwn(name))).toMatchObject([{ permission: 'admin', revoked_at: null }]);
    const again = await fresh.restart();
    expect((await listTokens(again)).filter(({ name }) => isOwn(name))).toHaveLength(1);
    await again.close();
  });
});

describe('the data directory', () => {
  test('keeps its files to their owner', async () => {
    for (const name of postgresTests ? [keyFile] : [databaseFile, keyFile])
      expect((await stat(join(platform.dataDir, name))).mode & 0o077).toBe(0);
  });

  test('holds no token in clear', async () => {
    for (const name of await readdir(platform.dataDir)) {
      const bytes = await readFile(join(platform.dataDir, name));
      for (const value of ['token-of-the-tests', ...Object.values(platform.tokens)])
        expect(bytes.includes(value)).toBe(false);
    }
  });
});

describe('the vault', () => {
  const vault = createVault(Buffer.alloc(32, 7));

  test('opens what it sealed, and seals the same twice differently', () => {
    expect(vault.open(vault.seal('pässword'))).toBe('pässword');
    expect(vault.seal('same')).not.toBe(vault.seal('same'));
  });

  test('opens nothing that was changed or sealed with another key', () => {
    const sealed = Buffer.from(vault.seal('secret'), 'base64');
    sealed[sealed.length - 1]! ^= 1;
    expect(() => vault.open(sealed.toString('base64'))).toThrow();
    expect(() => createVault(Buffer.alloc(32, 8)).open(vault.seal('secret'))).toThrow();
  });

  test('keeps its key from one start to the next, and says so when it is damaged', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-vault-'));
    const sealed = openVault(dataDir).seal('kept');
    expect(openVault(dataDir).open(sealed)).toBe('kept');
    expect(await readdir(dataDir)).toEqual([keyFile]);
    await writeFile(join(dataDir, keyFile), 'short');
    expect(() => openVault(dataDir)).toThrow(/damaged.*backup/);
    await rm(dataDir, { recursive: true });
  });
});

test('asking for the tokens of a directory without a platform makes none there', async () => {
  const nowhere = join(tmpdir(), `infra-mcp-nowhere-${process.pid}`);
  await expect(listTokens({ dataDir: nowhere })).rejects.toThrow(`There is no platform in ${nowhere}`);
  await expect(revokeToken({ dataDir: nowhere }, 'ci')).rejects.toThrow('There is no platform');
  expect(existsSync(nowhere)).toBe(false);
});
