import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startFakeMattermost } from '../support/chats/fake-mattermost.ts';
import { startFakeSlack } from '../support/chats/fake-slack.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { approvalCodeIn } from '../support/guard-fixture.ts';
import { textOf } from '../support/mcp-clients.ts';
import { cleanEnvironment, spawnInTest, startProgram } from '../support/started-program.ts';
import { closeTestServers, connectModernHttp } from '../transport/test-server.ts';
import { pageText } from '../docs/pages.ts';

/** The blocks of a kind on the page. */
const blocks = (kind: string): string[] =>
  [...pageText('docs/chat-ops.md').matchAll(new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text]) => text!,
  );

/** Starts the server as the page says, in a folder with its files, on a free port. */
async function startServer(folder: string) {
  const line = blocks('sh')
    .flatMap((block) => block.split('\n'))
    .find((one) => one.startsWith('infra-mcp http'))!;
  const args = line.replace('infra-mcp ', '').replace('8080', '0').split(' ');
  return startProgram({
    ...commandLine(args, { INFRA_DATA_DIR: folder, INFRA_TIME_SCALE: '0', INFRA_LOG_LEVEL: 'info' }),
    cwd: folder,
  });
}

const policy = { 'policy.yaml': 'operator_only: [disruptive, destructive, sensitive]\n' };

test('what docs/chat-ops.md describes: a deployment that is approved in the channel, and one that is refused', async () => {
  const folder = await temporaryDirectory();
  const [operators, chat] = blocks('yaml');
  const port = await freePort();
  const files = {
    'operators.yaml': operators!,
    'chat.yaml': chat!.replace('9090', String(port)),
    'chat-secret': `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`,
    ...policy,
    'bridge.mjs': blocks('js')[0]!,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const server = await startServer(folder);
  const bridge = spawnInTest({
    command: [process.execPath, 'bridge.mjs', new URL(server.ready.url).origin, String(port)],
    env: cleanEnvironment(),
    cwd: folder,
  });
  const client = await connectModernHttp(new URL(server.ready.url));
  const deploy = () => client.call('deploy_application', { application_id: 'shop/production/checkout-api' });

  const waits = textOf(await deploy());
  expect(waits).toContain("team's chat");
  const code = approvalCodeIn(waits);
  const path = 'shop/production/checkout-api';
  await eventually(() => expect(bridge.output.stdout).toContain(`Decide: approve ${code} ${path}, or`));
  expect(bridge.output.stdout).toContain('Sends: POST ');
  bridge.child.stdin.write(`approve ${code} ${path}\n`);
  await eventually(() => expect(bridge.output.stdout).toContain('Approved by ada, for one call.'));
  await eventually(() => expect(bridge.output.stdout).toContain(`${code}: approved by ada`));
  expect((await deploy()).isError).toBeFalsy();

  const again = approvalCodeIn(textOf(await deploy()));
  await eventually(() => expect(bridge.output.stdout).toContain(`refuse ${again}`));
  bridge.child.stdin.write(`refuse ${again} the sale has begun\n`);
  await eventually(() => expect(bridge.output.stdout).toContain('Refused by ada.'));
  expect(textOf(await deploy())).toMatch(/the operator ada refused it, with the reason .*the sale has begun/);

  const log = await readFile(join(folder, 'audit.jsonl'), 'utf8');
  expect(log).toMatch(/"who":"operator:ada","confirmed":"chat"/);
  expect(log + server.output.stderr).not.toContain(files['chat-secret'].trim());
  await client.close();
  await closeTestServers();
});

test.each([
  ['Slack', async () => (await startFakeSlack(Date.now)).chat],
  ['Mattermost', async () => (await startFakeMattermost()).chat],
])('what it describes for %s: a deployment that is approved in the channel', async (name, start) => {
  const [folder, chat] = [await temporaryDirectory(), await start()];
  onTestFinished(() => chat.close());
  const [fields, block] = [
    Object.keys(parse(chat.files['chat.yaml']!) as object),
    blocks('yaml').find((text) => text.startsWith(`kind: ${name.toLowerCase()}`))!,
  ];
  // The page's file has the fields of the one that leads to the chat of this test, but for the address of its API.
  expect(Object.keys(parse(block) as object)).toEqual(fields.filter((field) => field !== 'api'));
  const files = { ...chat.files, ...policy, 'operators.yaml': blocks('yaml')[0]! };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const server = await startServer(folder);
  chat.connect(new URL('/approvals/chat', server.ready.url).href);
  const client = await connectModernHttp(new URL(server.ready.url));
  const deploy = () => client.call('deploy_application', { application_id: 'shop/production/checkout-api' });
  const code = approvalCodeIn(textOf(await deploy()));
  await eventually(() => expect(chat.shown()).toHaveLength(1));
  const { form } = await chat.press('U-ADA', 'approve');
  expect(await chat.submit('U-ADA', form!, 'shop/production/checkout-api')).toEqual({ status: 200, error: undefined });
  await eventually(() => expect(chat.shown()).toMatchObject([{ buttons: [] }]));
  expect((await deploy()).isError).toBeFalsy();
  const log = await readFile(join(folder, 'audit.jsonl'), 'utf8');
  expect(log).toContain(code);
  expect(log).toMatch(/"who":"operator:ada","confirmed":"chat"/);
  for (const file of ['token', 'signing'])
    if (chat.files[file] !== undefined) expect(log + server.output.stderr).not.toContain(chat.files[file].trim());
  await client.close();
  await closeTestServers();
});
