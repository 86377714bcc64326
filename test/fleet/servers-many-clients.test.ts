import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/transport/index.ts';
import { runProgram } from '../support/built-program.ts';
import { freePort } from '../support/free-port.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { rowsOf } from '../support/test-platform.ts';
import { signInOnPage, type PageOperator } from './page-operator.ts';
import { persistentClient, type CallResult, type PersistentClient } from './persistent-client.ts';
import { startProxy, type Proxy } from './proxies.ts';
import { openServerFleet, stopReplica, type Replica, type ServerFleet } from './server-fleet.ts';

const [clientCount, atOnce] = [200, 24];

let fleet: ServerFleet;
let proxy: Proxy | undefined;
let address: URL;
let operator: PageOperator;
let start: (name: string, port: number) => Promise<Replica>;
let replicas: Replica[];
let ports: number[];
let keys: readonly string[];

beforeAll(async () => {
  fleet = await openServerFleet();
  const made = Array.from({ length: clientCount }, createApiKey);
  keys = made.map(({ key }) => key);
  const keysFile = join(await fleet.directory('callers'), 'keys.json');
  await writeFile(
    keysFile,
    JSON.stringify({ keys: made.map(({ sha256 }, index) => ({ name: `c${index}`, sha256, level: 'admin' })) }),
  );
  start = (name, port) =>
    fleet.start(name, {
      INFRA_HTTP_KEYS_FILE: keysFile,
      INFRA_HTTP_PORT: String(port),
      INFRA_HTTP_DRAIN_DELAY: '3',
      INFRA_HTTP_ADDRESS_LIMITS: 'false',
    });
  ports = [await freePort(), await freePort(), await freePort()];
  replicas = await Promise.all(ports.map((port, index) => start(`server-${index}`, port)));
  proxy = await startProxy(
    'haproxy',
    replicas.map(({ mcp }) => mcp.host),
  );
  address = proxy.mcp;
  operator = await signInOnPage(address);
});
afterAll(async () => {
  await proxy?.close();
  await fleet.close();
});

/** What went wrong, in words, and what was counted. */
const faults: string[] = [];
const counts = { calls: 0, unknown: 0, lost: 0, questions: 0, approvals: 0 };

/** The names of one client, which nobody else has. */
const namesOf = (index: number) => ({
  project: `fleet-p${index}x`,
  asked: `https://hooks.example/fleet-a${index}x`,
  waiting: `https://hooks.example/fleet-w${index}x`,
});

/** Whether a text is about a client, and no other. */
function checkOwn(index: number, text: string, name: string): void {
  const own = Object.values(namesOf(index));
  if (!text.includes(name)) faults.push(`client ${index} got an answer without ${name}: ${text.slice(0, 300)}`);
  const others = (text.match(/fleet-[paw]\d+x/g) ?? []).filter((found) => !own.some((one) => one.endsWith(found)));
  if (others.length > 0) faults.push(`client ${index} got what is about ${others.join(', ')}`);
}

const projects = async (): Promise<unknown[]> =>
  rowsOf(await fleet.platform.must('list_projects', { organization_id: fleet.platform.organizationId })).map(
    ({ name }) => name,
  );
const webhooks = async (): Promise<unknown[]> =>
  rowsOf(await fleet.platform.must('list_webhooks', { organization_id: fleet.platform.organizationId })).map(
    ({ target_url: url }) => url,
  );

/** Whether a change was made of which no answer came. A server that was killed may have sent it just before. */
async function wasMade(made: () => Promise<unknown[]>, name: string): Promise<boolean> {
  for (let round = 0; round < 5; round += 1) {
    // Again after a while.
    if ((await made()).includes(name)) return true;
    await setTimeout(100);
  }
  return false;
}

/**
 * Makes a change until it is known to be made.
 * @param next what is done before the call is repeated, when it was answered with something else; false if that is a
 *   fault
 */
async function makeOnce(
  client: PersistentClient,
  index: number,
  change: readonly [tool: string, args: Record<string, unknown>],
  [made, name]: readonly [() => Promise<unknown[]>, string],
  next: (result: CallResult) => Promise<boolean>,
): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    counts.calls += 1;
    // Each attempt follows from the one before.
    const result = await client.change(...change);
    if (result && !result.isError) return checkOwn(index, textOf(result), name.replace('https://', ''));
    if (!result) counts.unknown += 1;
    if (result ? !(await next(result)) : await wasMade(made, name)) {
      if (result) faults.push(`client ${index}: ${textOf(result)}`);
      return;
    }
  }
  faults.push(`client ${index} never got ${name} made`);
}

/**
 * A server that can't finish a call says so, and that its outcome is unknown; whoever stops says that it takes none.
 */
const wasInterrupted = async (result: CallResult): Promise<boolean> =>
  /takes no new calls|look at the present state/.test(textOf(result));

async function work(index: number): Promise<void> {
  const era = index % 2 === 0 ? 'modern' : 'legacy';
  const { project, asked, waiting } = namesOf(index);
  const key = keys[index]!;
  const organization = { organization_id: fleet.platform.organizationId };
  const user = userAnswering((question) => {
    counts.questions += 1;
    checkOwn(index, question.message, asked.replace('https://', ''));
    return agree(question);
  });
  const asking = persistentClient(era, address, key, user);
  const unasked = persistentClient(era, address, key);
  const webhook = (to: string) =>
    ['create_webhook', { ...organization, target_url: to, events: ['DEPLOYMENT_FAILED'] }] as const;

  await asking.read('list_clusters');
  await makeOnce(asking, index, ['create_project', { name: project }], [projects, project], wasInterrupted);
  const found = await asking.read('list_environments', { project_id: project });
  if (found.isError) faults.push(`client ${index} didn't find its project: ${textOf(found)}`);
  await makeOnce(asking, index, webhook(asked), [webhooks, asked], wasInterrupted);
  // Every fourth one has nobody to ask: its call waits for the operator.
  if (index % 4 < 2) {
    await makeOnce(unasked, index, webhook(waiting), [webhooks, waiting], async (result) => {
      const code = /code (\w{4}-\w{4})/.exec(textOf(result))?.[1];
      if (code === undefined) return wasInterrupted(result);
      checkOwn(index, textOf(result), waiting.replace('https://', ''));
      counts.approvals += 1;
      await operator.approve(code);
      return true;
    });
  }
  counts.calls += 2;
  counts.lost += asking.losses() + unasked.losses();
  await Promise.all([asking.close(), unasked.close()]);
}

/** Stops a server as an orchestrator does, and starts another one at its address. */
async function replace(): Promise<void> {
  await stopReplica(replicas[1]!);
  replicas.push(await start('server-3', ports[1]!));
}

const times = (all: readonly unknown[], name: string): number => all.filter((one) => one === name).length;

test(`${clientCount} clients lose no answer and no approval while one server is killed and one is replaced`, async () => {
  let begun = 0;
  let replaced: Promise<void> | undefined;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (begun < clientCount) {
      const index = begun;
      begun += 1;
      if (index === Math.floor(clientCount / 3)) replicas[0]!.child.kill('SIGKILL');
      if (index === Math.floor(clientCount / 2)) replaced = replace();
      // One client after the other, several workers at a time.
      await work(index).catch((error: unknown) => faults.push(`client ${index}: ${String(error)}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await replaced;
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(`${clientCount} clients in ${seconds.toFixed(1)} s: ${JSON.stringify(counts)}\n`);
  expect(faults).toEqual([]);

  const clients = Array.from({ length: clientCount }, (_, index) => index);
  const [made, hooked] = [await projects(), await webhooks()];
  expect(clients.filter((index) => times(made, namesOf(index).project) !== 1)).toEqual([]);
  expect(clients.filter((index) => times(hooked, namesOf(index).asked) !== 1)).toEqual([]);
  expect(clients.filter((index) => times(hooked, namesOf(index).waiting) !== (index % 4 < 2 ? 1 : 0))).toEqual([]);
  expect(operator.signIns()).toBe(1);
});

test('the logs of all of them are whole', async () => {
  await Promise.all([replicas[2]!, replicas[3]!].map(stopReplica));
  const { code, stdout } = await runProgram(['audit', 'verify', ...replicas.map(({ dataDir }) => dataDir)], {
    ...fleet.shared,
    INFRA_DATA_DIR: replicas[0]!.dataDir,
  });
  // One that began late may have recorded nothing.
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^The audit log is whole: \d+ entries of [34] processes\./m),
  ]);
});
