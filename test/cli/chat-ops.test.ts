import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test('what docs/chat-ops.md describes: a deployment that is approved in the channel, and one that is refused', async () => {
  const folder = await temporaryDirectory();
  const [operators, chat] = blocks('yaml');
  const port = await freePort();
  const files = {
    'operators.yaml': operators!,
    'chat.yaml': chat!.replace('9090', String(port)),
    'chat-secret': `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`,
    'policy.yaml': 'operator_only: [disruptive, destructive, sensitive]\n',
    'bridge.mjs': blocks('js')[0]!,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const line = blocks('sh')
    .flatMap((block) => block.split('\n'))
    .find((one) => one.startsWith('infra-mcp http'))!;
  const args = line.replace('infra-mcp ', '').replace('8080', '0').split(' ');
  const server = await startProgram({
    ...commandLine(args, { INFRA_DATA_DIR: folder, INFRA_TIME_SCALE: '0', INFRA_LOG_LEVEL: 'info' }),
    cwd: folder,
  });
  const bridge = spawnInTest({
    command: [process.execPath, 'bridge.mjs', new URL(server.ready.url).origin, String(port)],
    env: cleanEnvironment(),
    cwd: folder,
  });
  const client = await connectModernHttp(new URL(server.ready.url));
  const deploy = () => client.call('deploy_application', { application_id: 'shop/production/checkout-api' });

  const code = approvalCodeIn(textOf(await deploy()));
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
