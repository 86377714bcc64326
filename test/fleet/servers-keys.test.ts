import { randomBytes } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../support/built-program.ts';
import { setOperatorSecret } from '../support/guard-fixture.ts';
import { openServerFleet, stopReplica, type ServerFleet } from './server-fleet.ts';

let fleet: ServerFleet;
beforeAll(async () => {
  fleet = await openServerFleet();
  await fleet.start('first');
});
afterAll(() => fleet.close());

/** Why a server doesn't start with these keys. */
const refusal = (keysDir: string): Promise<string> =>
  fleet.start(`of ${keysDir.split('/').at(-1)}`, { INFRA_KEYS_DIR: keysDir }).then(() => 'it started', String);

const copyOfKeys = async (name: string): Promise<string> => {
  const keysDir = await fleet.directory(name);
  await cp(fleet.keysDir, keysDir, { recursive: true });
  return keysDir;
};

test('a server with the keys of the others starts', async () => {
  const replica = await fleet.start('copied', { INFRA_KEYS_DIR: await copyOfKeys('copied-keys') });
  await stopReplica(replica);
});

test('one without keys is refused, and makes none', async () => {
  const keysDir = await fleet.directory('no-keys');
  expect(await refusal(keysDir)).toMatch(
    /There is no .*no-keys\/guard\.key, and the servers on this database have one.* Copy guard\.key, operator\.json and question-\*\.key/s,
  );
  expect(await readdir(keysDir)).toEqual([]);
});

test('one with other keys is refused: the guard key, the question keys, the operator', async () => {
  const [guard, questions, operator] = [
    await copyOfKeys('other-guard-key'),
    await copyOfKeys('other-question-keys'),
    await copyOfKeys('other-operator'),
  ];
  await writeFile(join(guard, 'guard.key'), randomBytes(32), { mode: 0o600 });
  await writeFile(join(questions, 'question-1.key'), randomBytes(32), { mode: 0o600 });
  await setOperatorSecret(join(operator, 'operator.json'), 'another secret');
  expect(await refusal(guard)).toMatch(
    /There is a guard\.key in .*other-guard-key, and the servers on this database have another/,
  );
  expect(await refusal(questions)).toMatch(
    /There are question-\*\.key in .*and the servers on this database have another.*again in three minutes/s,
  );
  expect(await refusal(operator)).toMatch(
    /There is an operator\.json with the operator's secret in .*and the servers on this database have another/s,
  );
});

test("the operator's commands are refused too", async () => {
  const keysDir = await fleet.directory('no-keys-either');
  for (const [args, why] of [
    [['approve'], 'the servers on this database have one'],
    [['audit', 'verify'], 'There is no log at'],
  ] as const) {
    const { code, stderr } = await runProgram(args, {
      ...fleet.shared,
      INFRA_KEYS_DIR: keysDir,
      INFRA_DATA_DIR: keysDir,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  }
});

test('no key, seed or secret is in the database', async () => {
  const rows = JSON.stringify(await fleet.query('select * from guard_key_check'));
  const keys = await Promise.all(['guard.key', 'question-1.key'].map((name) => readFile(join(fleet.keysDir, name))));
  for (const key of keys)
    for (const form of ['base64', 'base64url', 'hex'] as const) expect(rows).not.toContain(key.toString(form));
  expect(rows).toContain('guard key');
});

test("without its database, a server doesn't start, and says which without the password", async () => {
  const { code, stderr } = await runProgram(['http', '--port', '0'], {
    ...fleet.shared,
    INFRA_DATABASE_URL: 'postgres://ann:hunter2@127.0.0.1:9/servers',
    INFRA_DATA_DIR: await fleet.directory('away'),
    INFRA_BASE_URL: fleet.platform.url,
    INFRA_API_TOKEN: fleet.platform.token,
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /The database that the servers share could not be used: .*ECONNREFUSED.* \(ann@127\.0\.0\.1:9\/servers, from INFRA_DATABASE_URL\)/,
  );
  expect(stderr).not.toContain('hunter2');
});
