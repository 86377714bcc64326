import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/cli/config/index.ts';
import { approveCommandOf, typedCommand } from '../../src/cli/wiring/typed-command.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryDirectory } from '../support/built-program.ts';

afterEach(() => vi.unstubAllEnvs());

/** The text without the line breaks of a terminal. */
const joined = (text: string): string => text.replaceAll(/\s+/g, ' ');

test('a printed command leads to the directory that was given', async () => {
  const dataDir = join(await temporaryDirectory(), "an operator's");
  await mkdir(dataDir);
  const quoted = `'${dataDir.replaceAll("'", String.raw`'\''`)}'`;
  const { stdout } = await runCommand(['restore', '--data-dir', dataDir]);
  expect(joined(stdout)).toContain(`infra-mcp backup --data-dir ${quoted} makes one.`);
  expect(joined((await runCommand(['doctor', '--data-dir', dataDir])).stdout)).toContain(
    `infra-mcp approve --set-secret --data-dir ${quoted}`,
  );
  // The environment of this shell leads there already.
  vi.stubEnv('INFRA_DATA_DIR', dataDir);
  expect(joined((await runCommand(['restore'])).stdout)).toContain('infra-mcp backup makes one.');
});

test.each([
  [['--set-secret'], 'approve --set-secret'],
  [['AAAA-BBBB'], 'approve AAAA-BBBB'],
  [['AAAA-BBBB', '--refuse'], 'approve AAAA-BBBB --refuse'],
  [['--operator-entry', 'ann'], 'approve --operator-entry ann'],
])('the command for a terminal keeps what was asked for: %j', async (words, line) => {
  const dataDir = await temporaryDirectory();
  const { code, stderr } = await runCommand(['approve', ...words, '--data-dir', dataDir]);
  expect(code).toBe(1);
  expect(joined(stderr)).toContain(` Run infra-mcp ${line} --data-dir ${dataDir} in one, without pipes.`);
});

test('where no platform is, the command that creates a first token is whole', async () => {
  const dataDir = await temporaryDirectory();
  const { code, stderr } = await runCommand(['token', 'list', '--data-dir', dataDir]);
  expect(code).toBe(1);
  expect(joined(stderr)).toContain(`: infra-mcp token create --name NAME --permission admin --data-dir ${dataDir}`);
});

test('keys that are missing are created by a command that can be typed here', async () => {
  const dataDir = await temporaryDirectory();
  const keysFile = join(dataDir, 'keys.yaml');
  await writeFile(keysFile, 'keys:');
  const script = process.argv[1]!;
  onTestFinished(() => void (process.argv[1] = script));
  process.argv[1] = join(import.meta.dirname, '../../src/main.ts');
  const { code, stderr } = await runCommand(['http', '--port', '0', '--data-dir', dataDir, '--keys-file', keysFile]);
  expect(code).toBe(1);
  expect(joined(stderr)).toContain(': has no keys; npm start -- key creates one, ');
});

test('it has each option that the command takes and the environment does not give, and no secret', () => {
  const flags = { dataDir: '/srv/data', keysDir: '/srv/keys', auditFile: '/srv/audit.jsonl' };
  const { config } = readConfig('approve', flags, { INFRA_DATABASE_URL: 'postgres://user:secret@127.0.0.1/x' });
  expect(typedCommand(config, 'approve CODE')).toBe(
    'infra-mcp approve CODE --data-dir /srv/data --keys-dir /srv/keys --audit-file /srv/audit.jsonl',
  );
  expect(typedCommand(config, 'restore x')).toBe('infra-mcp restore x --data-dir /srv/data --keys-dir /srv/keys');
  vi.stubEnv('INFRA_KEYS_DIR', '/srv/other/../keys');
  expect(typedCommand(config, 'restore x')).toBe('infra-mcp restore x --data-dir /srv/data');
  expect(approveCommandOf(config)).toBe(
    'infra-mcp approve --data-dir /srv/data --keys-dir /srv/keys --audit-file /srv/audit.jsonl',
  );
});

test('a command for databases keeps the engine, unless it is the usual one', () => {
  const engine = 'tcp://engine.example.com:2376';
  const given = readConfig('database', { engine, engineTlsDir: '/srv/tls' }, {}).config;
  expect(typedCommand(given, 'database restore 1 shop.dump')).toBe(
    `infra-mcp database restore 1 shop.dump --engine ${engine} --engine-tls-dir /srv/tls`,
  );
  vi.stubEnv('DOCKER_HOST', engine);
  const fromHost = readConfig('database', {}, process.env).config;
  expect(typedCommand(fromHost, 'database restore 1 shop.dump')).toBe('infra-mcp database restore 1 shop.dump');
  vi.stubEnv('DOCKER_HOST', undefined);
  const usual = readConfig('database', {}, process.env).config;
  expect(typedCommand(usual, 'database restore 1 shop.dump')).toBe('infra-mcp database restore 1 shop.dump');
});

test('a token that lives for a while says when it expires', async () => {
  const dataDir = await temporaryDirectory();
  await runCommand(['token', 'create', '--name', 'ci', '--permission', 'read', '--ttl', '3600', '--data-dir', dataDir]);
  expect((await runCommand(['token', 'list', '--data-dir', dataDir])).stdout).toMatch(/ live, expires 20\d\d-/);
});
