import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/cli/config/index.ts';
import { approvalsConfigOf, openDecisionLog } from '../../src/cli/wiring/guard.ts';
import { createApprovalQueue } from '../../src/server/guard/index.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { createApiKey } from '../../src/transport/index.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { startFakeMattermost } from '../support/chats/fake-mattermost.ts';
import { eventually } from '../support/eventually.ts';
import { connectLegacy, connectModern, failureIn } from '../support/mcp-clients.ts';
import { secretOf, writeOperators } from '../support/operators-file.ts';
import { legacyResourceClient, modernResourceClient, type ResourceClient } from '../support/resource-clients.ts';
import { startProgram } from '../support/started-program.ts';

const [ann, bob] = [createApiKey(), createApiKey()];
const path = 'shop/production/checkout-api';
const environment = { INFRA_TIME_SCALE: '0' };

/** A data directory with a policy, operators and API keys. */
async function openFolder(): Promise<string> {
  const folder = await temporaryDirectory();
  const keys = [
    ['ann', ann],
    ['bob', bob],
  ] as const;
  const entries = keys.map(([name, { sha256 }]) => `  - { name: ${name}, sha256: ${sha256}, level: admin }\n`);
  await writeFile(join(folder, 'keys.yaml'), `keys:\n${entries.join('')}`);
  await writeFile(join(folder, 'policy.yaml'), 'operator_only: [disruptive, destructive, sensitive]\n');
  await writeOperators(join(folder, 'operators.json'), { ada: { chat: 'U-ADA' } });
  return folder;
}

/** Decides as this process, and not as the server, does. */
async function decide(dataDir: string, code: string, verdict: 'approved' | 'refused', reason?: string): Promise<void> {
  const { config } = readConfig('approve', { dataDir, approvalsOperators: join(dataDir, 'operators.json') }, {});
  const [log, approvals] = [openDecisionLog(config), approvalsConfigOf(config)];
  const queue = createApprovalQueue(approvals, { how: 'terminal', record: log.record });
  const unlocked = await queue.unlock(secretOf('ada'), 'a test', Date.now(), 'ada');
  if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
  expect(await queue.decide(code, verdict, { ...unlocked, reason }, Date.now())).toEqual({ kind: 'decided' });
  await log.close();
  await approvals.store.close();
}

const options = ['--policy-file', 'policy.yaml', '--approvals-operators', 'operators.json'];

/** Starts the server over HTTP. @param more options beside those of every server */
const startHttp = (folder: string, more: readonly string[] = []) =>
  startProgram({
    ...commandLine(['http', '--port', '0', '--keys-file', 'keys.yaml', ...options, ...more], {
      INFRA_DATA_DIR: folder,
      ...environment,
    }),
    cwd: folder,
  });

type Era = 'modern' | 'legacy';

const overHttp = async (era: Era, url: string, { key }: { readonly key: string }): Promise<ResourceClient> => {
  const init = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  if (era === 'modern') return modernResourceClient((await connectModern(new ModernHttp(new URL(url), init))).client);
  return legacyResourceClient((await connectLegacy(new LegacyHttp(new URL(url), init))).client);
};

const overStdio = async (era: Era, folder: string): Promise<ResourceClient> => {
  const { command, env } = commandLine(options, { INFRA_DATA_DIR: folder, ...environment });
  const [program, ...args] = command as [string, ...string[]];
  const server = { command: program, args, env, cwd: folder };
  if (era === 'modern') return modernResourceClient((await connectModern(new ModernStdio(server))).client);
  return legacyResourceClient((await connectLegacy(new LegacyStdio(server))).client);
};

/** Makes a call that waits, or that was agreed to. @returns the code under which it waits, if it does */
const deploy = async ({ client }: ResourceClient): Promise<string | undefined> =>
  failureIn(await client.callTool({ name: 'deploy_application', arguments: { application_id: path } }))?.code;

const uriOf = (code: string): string => `infra://approval/${code}`;

/** What the resource of a call says, as codes. */
const stateOf = async ({ client }: ResourceClient, code: string): Promise<unknown> =>
  (await client.readResource({ uri: uriOf(code) })).contents[0]!._meta![metaKeys.approval];

async function opened(client: ResourceClient | Promise<ResourceClient>): Promise<ResourceClient> {
  const one = await client;
  onTestFinished(() => one.client.close());
  return one;
}

describe.each(['modern', 'legacy'] as const)('a client of the %s era', (era) => {
  test.each(['stdio', 'HTTP'])(
    'over %s is told of what another process decided, and of what became of its call',
    async (transport) => {
      const folder = await openFolder();
      const server = transport === 'HTTP' ? await startHttp(folder) : undefined;
      const client = await opened(server ? overHttp(era, server.ready.url, ann) : overStdio(era, folder));
      const code = (await deploy(client))!;
      const uri = uriOf(code);
      expect((await client.watch([uri])).agreed).toEqual([uri]);
      expect(await stateOf(client, code)).toMatchObject({ code, state: 'waiting' });
      expect(await client.text(uri)).toMatch(/^- State: waiting$/m);
      await decide(folder, code, 'approved');
      await eventually(() => expect(client.updatedUris).toEqual([uri]));
      expect(await stateOf(client, code)).toMatchObject({ state: 'approved', how: 'terminal', by: ['ada'] });
      expect(await deploy(client)).toBeUndefined();
      await eventually(() => expect(client.updatedUris).toEqual([uri, uri]));
      expect(await stateOf(client, code)).toMatchObject({ state: 'used', by: ['ada'] });

      const refused = (await deploy(client))!;
      expect(refused).not.toBe(code);
      await client.watch([uriOf(refused)]);
      await decide(folder, refused, 'refused', 'after the sale');
      await eventually(() => expect(client.updatedUris).toEqual([uri, uri, uriOf(refused)]));
      expect(await stateOf(client, refused)).toMatchObject({
        state: 'refused',
        how: 'terminal',
        by: ['ada'],
        reason: 'after the sale',
      });
      expect(await client.text(uriOf(refused))).toContain('after the sale');
    },
  );

  test('over HTTP is told of what was decided in the chat, and nobody else is', async () => {
    const [folder, { chat }] = [await openFolder(), await startFakeMattermost()];
    onTestFinished(() => chat.close());
    for (const [name, text] of Object.entries(chat.files)) await writeFile(join(folder, name), text);
    const { ready } = await startHttp(folder, ['--approvals-chat', 'chat.yaml']);
    chat.connect(new URL('/approvals/chat', ready.url).href);
    const [client, other] = [await opened(overHttp(era, ready.url, ann)), await opened(overHttp(era, ready.url, bob))];
    const [code, ofOther] = [(await deploy(client))!, (await deploy(other))!];
    const both = [uriOf(code), uriOf(ofOther)];
    expect((await client.watch(both)).agreed).toEqual([both[0]]);
    expect((await other.watch(both)).agreed).toEqual([both[1]]);
    await expect(other.text(both[0]!)).rejects.toMatchObject({ code: -32602 });
    await eventually(() => expect(chat.shown()).toHaveLength(2));
    const message = chat.shown().find(({ markup, literal }) => `${markup}${literal}`.includes(code))!;
    const { form } = await chat.press('U-ADA', 'approve', message.id);
    expect(await chat.submit('U-ADA', form!, path)).toEqual({ status: 200, error: undefined });
    await eventually(() => expect(client.updatedUris).toEqual([both[0]]));
    expect(await stateOf(client, code)).toMatchObject({ state: 'approved', how: 'chat', by: ['ada'] });
    // What comes after it shows that nothing came before.
    await decide(folder, ofOther, 'refused');
    await eventually(() => expect(other.updatedUris).toEqual([both[1]]));
    expect(client.updatedUris).toEqual([both[0]]);
  });
});
