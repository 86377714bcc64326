import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chosenProfile } from '../../src/cli/config/index.ts';
import { readConfigFile } from '../../src/cli/init/config-file.ts';
import { configuredWebhook } from '../../src/cli/wiring/approvals-webhook.ts';
import { readConfiguredFile, readConfiguredValue } from '../../src/cli/wiring/configured-file.ts';
import { readOrCreateToken } from '../../src/cli/wiring/secret-file.ts';
import { readCredentialFile } from '../../src/client/index.ts';
import { loadFaults } from '../../src/platform/testing/index.ts';
import { requireTlsFiles } from '../../src/platform/runtime/docker/api/connection.ts';
import { parseAddress } from '../../src/postgres/index.ts';
import { loadPolicy } from '../../src/server/guard/policy/load.ts';
import { loadApiKeys, stdioTransport } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { closeTestServers, initialize, startTestServer } from '../transport/test-server.ts';
import { directoryForRecords } from '../support/memory-directory.ts';

const mark = '\uFEFF';
const utf16 = (text: string, order: 'LE' | 'BE' = 'LE'): Buffer => {
  const bytes = Buffer.from(mark + text, 'utf16le');
  return order === 'LE' ? bytes : bytes.swap16();
};

let folder: string;
const fileIn = (): string => join(folder, 'file.yaml');
beforeAll(async () => void (folder = await mkdtemp(join(directoryForRecords, 'infra-mcp-marks-'))));
afterAll(async () => {
  await closeTestServers();
  await rm(folder, { recursive: true });
});

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const webhook = { approvalsWebhookUrl: 'https://hooks.example.com/in' };

/** Every file that a person writes: what reads it, a text, and what is read. */
const files: [what: string, read: (path: string) => unknown, text: string, expected: unknown][] = [
  ['a policy', (path) => loadPolicy(path, tools), 'read_only: true', { readOnly: expect.any(String) as unknown }],
  ['keys', (path) => loadApiKeys(path, tools), `{"keys":[{"name":"ci","sha256":"${'a'.repeat(64)}"}]}`, { size: 1 }],
  ["the platform's token", (path) => readCredentialFile(path), 'token-of-platform', { value: 'token-of-platform' }],
  ["an administrator's token", readOrCreateToken, 'token-of-admin', 'token-of-admin'],
  ['a configured file', (path) => readConfiguredFile(path, 'The file'), 'clusters: {}', 'clusters: {}'],
  ['a configured value', (path) => readConfiguredValue(path, 'The value'), 'secret\n', 'secret'],
  [
    "a webhook's secret",
    (path) => configuredWebhook({ ...webhook, approvalsWebhookSecretFile: path } as never),
    secret,
    { target: expect.anything() as unknown },
  ],
  [
    'profiles',
    (path) => chosenProfile('http', {}, { INFRA_PROFILE: 'one', INFRA_PROFILES_FILE: path, HOME: '/tmp' }),
    'profiles:\n  one:\n    read-only: true\n',
    { name: 'one' },
  ],
  ['fault rules', loadFaults, '{"faults":[]}', []],
  [
    'the certificates of an engine',
    async (path) => {
      const tls = { ca: path, cert: path, key: path };
      await requireTlsFiles({ kind: 'tcp', host: 'engine.example', port: 2376, tls });
      return 'read';
    },
    '-----BEGIN CERTIFICATE-----',
    'read',
  ],
  [
    'the password of a database',
    async (path) => parseAddress(`postgres://ann@127.0.0.1/db?passwordfile=${path}`).password!(),
    'hunter2\n',
    'hunter2',
  ],
];

describe.each(files)('%s', (_, read, text, expected) => {
  test('may start with a byte order mark', async () => {
    await writeFile(fileIn(), mark + text);
    const value = await read(fileIn());
    if (typeof expected === 'string') expect(value).toBe(expected);
    else expect(value).toMatchObject(expected as object);
  });

  test.each(['LE', 'BE'] as const)('in UTF-16 %s is refused by that name', async (order) => {
    await writeFile(fileIn(), utf16(text, order));
    const message = await Promise.resolve()
      .then(() => read(fileIn()))
      .then(String, (error: unknown) => (error as Error).message);
    expect(message).toMatch(/file\.yaml.*it is UTF-16; save it as UTF-8/);
    expect(message).not.toMatch(/hunter2|whsec|token-of/);
  });
});

test("an assistant's configuration keeps its mark, and is refused in UTF-16", async () => {
  const path = join(folder, 'assistant.json');
  await writeFile(path, `${mark}{}`);
  expect((await readConfigFile(path)).text).toBe(`${mark}{}`);
  await writeFile(path, utf16('{}'));
  await expect(readConfigFile(path)).rejects.toThrow('it is UTF-16; save it as UTF-8');
});

/** What a server over stdio reads of bytes: its messages, and what is malformed. */
async function readOverStdio(bytes: string | Buffer) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const messages: unknown[] = [];
  const faults: string[] = [];
  const transport = stdioTransport((fault) => faults.push(fault.reason) > 0, input, output);
  const closed = new Promise<void>((resolve) => {
    Object.assign(transport, { onmessage: (message: unknown) => messages.push(message), onclose: resolve });
  });
  await transport.start();
  input.end(bytes);
  await closed;
  return { messages, faults };
}

describe('over stdio', () => {
  const ping = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`;
  test('the first line may start with a byte order mark, and a line may have only that', async () => {
    expect(await readOverStdio(mark + ping)).toMatchObject({ messages: [{ id: 1, method: 'ping' }], faults: [] });
    expect(await readOverStdio(`${mark}\n${ping}`)).toMatchObject({ messages: [{ id: 1 }], faults: [] });
  });

  test.each(['LE', 'BE'] as const)('UTF-16 %s is named', async (order) => {
    const { messages, faults } = await readOverStdio(utf16(ping, order));
    expect([messages, faults]).toEqual([[], [expect.stringContaining('UTF-16; send it as UTF-8')]]);
  });
});

describe('over HTTP', () => {
  test('a body may start with a byte order mark, and is refused in UTF-16', async () => {
    const { url } = await startTestServer();
    const post = (body: string | Buffer<ArrayBuffer>) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body,
      });
    expect((await post(mark + JSON.stringify(initialize))).status).toBe(200);
    const refused = await post(Buffer.from(utf16(JSON.stringify(initialize))));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: -32700, message: expect.stringContaining('UTF-16; send it as UTF-8') as unknown },
    });
  });
});
