import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyLogs } from '../../src/server/audit/index.ts';
import { keysFromFile } from '../../src/server/context/keys.ts';
import { setSecret } from '../../src/server/guard/approvals/operator-secret.ts';
import { createTestStore } from '../server/guard/storage/test-stores.ts';
import { operatorSecret } from '../support/guard-fixture.ts';
import { textOf } from '../support/mcp-clients.ts';
import { cleanEnvironment, startProgram } from '../support/started-program.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { approveOnPage } from './approve-on-page.ts';
import { callReplica, replicaText, yesTo } from './replica-calls.ts';
import { connectModernHttp } from './test-server.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const replicaProgram = fileURLToPath(new URL('./sharing-replica.ts', import.meta.url));

const putKey = (folder: string, name: string): Promise<void> => writeFile(join(folder, name), randomBytes(32), { mode: 0o600 });

/** Two servers, each with a data directory of its own, that share a store, keys and the operator, as on two machines. */
async function sharingReplicas() {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-replicas-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = await createTestStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const [keys, operator, guardKey] = [join(folder, 'keys'), join(folder, 'operator.json'), randomBytes(32)];
  await mkdir(keys);
  await putKey(keys, '1.key');
  await setSecret(operator, operatorSecret);
  const start = async (name: string) => {
    const dataDir = join(folder, name);
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'guard.key'), guardKey, { mode: 0o600 });
    await copyFile(operator, join(dataDir, 'operator.json'));
    const env = cleanEnvironment({ INFRA_DATA_DIR: dataDir, INFRA_BASE_URL: platform.url, INFRA_API_TOKEN: platform.token, INFRA_HTTP_PORT: '0', INFRA_HTTP_APPROVALS_PAGE: 'true' });
    const program = await startProgram({ command: [process.execPath, '--import', import.meta.resolve('tsx'), replicaProgram, store.address, keys], env });
    return { ...program, url: new URL(program.ready.url), dataDir };
  };
  return { one: await start('one'), other: await start('other'), keys, anchors: store.open().anchors };
}

const webhookCall = (name: string) => ({ organization_id: platform.organizationId, target_url: `https://hooks.example/${name}`, events: ['DEPLOYMENT_FAILED'] });

const webhooksTo = async (name: string): Promise<number> => JSON.stringify(await platform.must('list_webhooks', { organization_id: platform.organizationId })).split(`https://hooks.example/${name}`).length - 1;

test('a question that one server asked is answered at another one, once, whoever gets the answer first', async () => {
  const { one, other } = await sharingReplicas();
  const asked = await callReplica(one.url, 'create_webhook', webhookCall('answered'));
  expect(asked.inputRequests?.confirm, replicaText(asked)).toBeDefined();
  const answers = await Promise.all([other, one, other, one].map(({ url }) => callReplica(url, 'create_webhook', webhookCall('answered'), yesTo(asked))));
  expect(answers.filter(({ isError }) => !isError).map(replicaText)).toEqual([expect.stringContaining('hooks.example')]);
  for (const refused of answers.filter(({ isError }) => isError)) expect(replicaText(refused)).toMatch(/was not carried out and nothing has changed/);
  expect(await webhooksTo('answered')).toBe(1);
}, 120_000);

test('a question outlives the server that asked it, and the replacement of its key', async () => {
  const { one, other, keys } = await sharingReplicas();
  const asked = await callReplica(one.url, 'create_webhook', webhookCall('lost'));
  one.child.kill('SIGKILL');
  await one.ended;
  await putKey(keys, '2.key');
  const later = await callReplica(other.url, 'create_webhook', webhookCall('kept'));
  await rm(join(keys, '1.key'));
  await putKey(keys, '3.key');
  // Its key is gone: it has to be asked for again.
  expect(replicaText(await callReplica(other.url, 'create_webhook', webhookCall('lost'), yesTo(asked)))).toMatch(/nothing has changed/);
  expect((await callReplica(other.url, 'create_webhook', webhookCall('kept'), yesTo(later))).isError).toBeFalsy();
  expect([await webhooksTo('lost'), await webhooksTo('kept')]).toEqual([0, 1]);
}, 120_000);

test('a call that waits at one server is approved on the page of either, made once, and recorded in logs that are verified together', async () => {
  const { one, other, anchors } = await sharingReplicas();
  const clients = [await connectModernHttp(one.url), await connectModernHttp(other.url)] as const;
  const waitingCode = async (name: string): Promise<string> => /code (\w{4}-\w{4})/.exec(textOf(await clients[0].call('create_webhook', webhookCall(name))))![1]!;
  for (const [name, page] of [['own', one], ['across', other]] as const) {
    await approveOnPage(new URL(`/approvals?code=${await waitingCode(name)}`, page.url).href);
    const made = await Promise.all([0, 1, 0, 1].map((index) => clients[index]!.call('create_webhook', webhookCall(name))));
    expect(made.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(await webhooksTo(name)).toBe(1);
  }
  for (const client of clients) await client.close();
  for (const { child, ended } of [one, other]) {
    child.kill('SIGTERM');
    await ended;
  }
  const keysOf = keysFromFile(join(one.dataDir, 'guard.key'));
  const verify = (replicas: readonly { readonly dataDir: string }[]) =>
    verifyLogs(replicas.map(({ dataDir }) => ({ files: [join(dataDir, 'audit.jsonl')], heads: join(dataDir, 'audit-heads') })), { entries: keysOf('audit'), heads: keysOf('audit head') }, anchors);
  expect(await verify([one, other])).toMatchObject({ chains: 2, faults: [] });
  expect((await verify([one])).faults).toEqual([{ what: expect.stringMatching(/^Chain 1-\w+ is missing whole: the shared store knows \d+ entries of it/) as string }]);
}, 120_000);
