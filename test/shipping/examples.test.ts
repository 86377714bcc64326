import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/cli/config/index.ts';
import { mcpPath } from '../../src/transport/http/mount.ts';
import { startAssistant, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';
import { root, readText } from './repository-files.ts';

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  '.json': JSON.parse,
  '.toml': parseToml,
  '.yaml': parseYaml,
};
const files = readdirSync(join(root, 'examples')).filter((file) => file !== 'README.md');
const examples = files.map((file) => ({ file, content: readers[extname(file)]!(readText(`examples/${file}`)) }));

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The first object, at any depth, that has one of these members. */
const objectWith = (value: unknown, members: readonly string[]): Json | undefined => {
  if (!isObject(value)) return undefined;
  if (members.some((member) => typeof value[member] === 'string')) return value;
  return Object.values(value)
    .map((inner) => objectWith(inner, members))
    .find((found) => found !== undefined);
};

const starting = examples.flatMap(({ file, content }) => {
  const server = objectWith(content, ['command', 'cmd']);
  return server
    ? [
        {
          file,
          command: server['command'] ?? server['cmd'],
          args: server['args'],
          env: (server['env'] ?? server['envs']) as Record<string, string>,
        },
      ]
    : [];
});
const connecting = examples.flatMap(({ file, content }) => {
  const server = objectWith(content, ['url', 'httpUrl']);
  return server
    ? [
        {
          file,
          url: (server['url'] ?? server['httpUrl']) as string,
          headers: server['headers'] as Record<string, string>,
        },
      ]
    : [];
});

describe('the examples', () => {
  test('each start a server or connect to one, and are all documented', () => {
    expect([...starting, ...connecting].map(({ file }) => file).toSorted()).toEqual(files.toSorted());
    for (const file of files) expect(readText('examples/README.md')).toContain(`(${file})`);
  });

  test.each(starting)('$file starts the program with options that it takes', ({ command, args, env }) => {
    expect([command, args]).toEqual([
      'node',
      [expect.stringMatching(new RegExp(`^/.*/${manifest.bin['infra-mcp']}$`))],
    ]);
    expect(readConfig('stdio', {}, env).warnings).toEqual([]);
  });

  test('start a server that works with a platform', async () => {
    const folder = await temporaryDirectory();
    const { ready } = await startPlatformProgram(['--data-dir', join(folder, 'platform')]);
    const token = join(folder, 'token');
    await writeFile(token, ready.token!);
    for (const { env } of starting) expect(Object.keys(env)).toEqual(['INFRA_BASE_URL', 'INFRA_API_TOKEN_FILE']);
    const assistant = await startAssistant({ INFRA_BASE_URL: ready.url, INFRA_API_TOKEN_FILE: token });
    expect((await assistant.call('get_organization')).text).toContain('Acme');
  });

  test.each(connecting)('$file connects to where MCP is served, with a key', ({ url, headers }) => {
    expect(new URL(url).pathname).toBe(mcpPath);
    expect(Object.keys(headers)).toEqual(['Authorization']);
    expect(headers['Authorization']).toMatch(/^Bearer \$/);
  });
});
