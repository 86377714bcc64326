import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../support/built-program.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';
import { approveOnPage } from '../transport/approve-on-page.ts';
import { callReplica, replicaText, yesTo } from '../transport/replica-calls.ts';
import { closeTestServers, connectModernHttp } from '../transport/test-server.ts';
import { openServerFleet, stopReplica, type Replica, type ServerFleet } from './server-fleet.ts';

let fleet: ServerFleet;
let one: Replica;
let other: Replica;
beforeAll(async () => {
  fleet = await openServerFleet();
  [one, other] = [await fleet.start('one'), await fleet.start('other')];
});
afterEach(closeTestServers);
afterAll(() => fleet.close());

const putKey = (name: string): Promise<void> => writeFile(join(fleet.keysDir, name), randomBytes(32), { mode: 0o600 });

test('a question that one server asked is answered at another one, once, whoever gets the answer first', async () => {
  const asked = await callReplica(one.mcp, 'create_webhook', fleet.webhookCall('answered'));
  expect(asked.inputRequests?.confirm, replicaText(asked)).toBeDefined();
  const answers = await Promise.all(
    [other, one, other, one].map(({ mcp }) =>
      callReplica(mcp, 'create_webhook', fleet.webhookCall('answered'), yesTo(asked)),
    ),
  );
  expect(answers.filter(({ isError }) => !isError).map(replicaText)).toEqual([
    expect.stringContaining('hooks.example'),
  ]);
  for (const refused of answers.filter(({ isError }) => isError))
    expect(failureIn(refused)).toMatchObject({ kind: 'not_confirmed', why: 'used' });
  expect(await fleet.webhooksTo('answered')).toBe(1);
});

test('a question outlives the replacement of its key, as long as the key is there', async () => {
  const lost = await callReplica(one.mcp, 'create_webhook', fleet.webhookCall('lost'));
  await putKey('question-2.key');
  const kept = await callReplica(one.mcp, 'create_webhook', fleet.webhookCall('kept'));
  await rm(join(fleet.keysDir, 'question-1.key'));
  await putKey('question-3.key');
  expect(
    failureIn(await callReplica(other.mcp, 'create_webhook', fleet.webhookCall('lost'), yesTo(lost))),
  ).toMatchObject({ kind: 'not_confirmed', why: 'invalid' });
  expect((await callReplica(other.mcp, 'create_webhook', fleet.webhookCall('kept'), yesTo(kept))).isError).toBeFalsy();
  expect([await fleet.webhooksTo('lost'), await fleet.webhooksTo('kept')]).toEqual([0, 1]);
});

test('the hourly limit counts the calls of all servers', async () => {
  const env = { INFRA_MAX_DISRUPTIVE_PER_HOUR: '3' };
  const limited = [await fleet.start('limited-1', env), await fleet.start('limited-2', env)];
  const made: boolean[] = [];
  for (const index of [0, 1, 0, 1, 0]) {
    const name = `limited-${made.length}`;
    const { mcp } = limited[index]!;
    const asked = await callReplica(mcp, 'create_webhook', fleet.webhookCall(name));
    made.push(
      asked.requestState !== undefined &&
        !(await callReplica(mcp, 'create_webhook', fleet.webhookCall(name), yesTo(asked))).isError,
    );
  }
  // Two calls were made by the tests before, at servers without a limit, which don't count.
  expect(made).toEqual([true, true, true, false, false]);
  await Promise.all(limited.map(stopReplica));
});

test('a call that waits at one server is approved on the page of another, made once, and all logs are verified together', async () => {
  const clients = [await connectModernHttp(one.mcp), await connectModernHttp(other.mcp)] as const;
  const waitingCode = async (name: string): Promise<string> =>
    /code (\w{4}-\w{4})/.exec(textOf(await clients[0].call('create_webhook', fleet.webhookCall(name))))![1]!;
  for (const [name, page] of [
    ['own', one],
    ['across', other],
  ] as const) {
    await approveOnPage(new URL(`/approvals?code=${await waitingCode(name)}`, page.mcp).href);
    const made = await Promise.all(
      [0, 1, 0, 1].map((index) => clients[index]!.call('create_webhook', fleet.webhookCall(name))),
    );
    expect(made.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(await fleet.webhooksTo(name)).toBe(1);
  }
  for (const client of clients) await client.close();
  await Promise.all([one, other].map(stopReplica));

  const directories = await Promise.all(['one', 'other', 'limited-1', 'limited-2'].map(fleet.directory));
  const verify = (words: readonly string[]) =>
    runProgram(['audit', 'verify', ...words], { ...fleet.shared, INFRA_DATA_DIR: directories[0]! });
  const all = await verify(directories);
  expect([all.code, all.stderr]).toEqual([0, '']);
  expect(all.stdout).toMatch(/^The audit log is whole: \d+ entries of 4 processes\./);
  const some = await verify(directories.slice(0, 3));
  expect(some.code).toBe(1);
  expect(some.stdout).toMatch(/Chain 1-\w+ is missing whole: the shared store knows \d+ entries of it/);
  expect((await verify([join(directories[0]!, 'nowhere')])).stderr).toMatch(/There is no log at .*nowhere/);
});
