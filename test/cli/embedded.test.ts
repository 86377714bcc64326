import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram, startAssistant, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';
import { eventually } from '../support/eventually.ts';

const organizationOf = async (assistant: Awaited<ReturnType<typeof startAssistant>>): Promise<unknown> => {
  const { failed, text, data } = await assistant.call('get_organization');
  expect(failed, text).toBe(false);
  return data['id'];
};

/** Which process serves a data directory. */
const serverOf = async (directory: string): Promise<number> =>
  (JSON.parse(await readFile(join(directory, 'serving.json'), 'utf8')) as { pid: number }).pid;

describe('stdio without a base URL', () => {
  test('uses the chosen organization if it is that of the embedded platform, by name or id', async () => {
    const directory = await temporaryDirectory();
    const { ready } = await startPlatformProgram(['--data-dir', directory]);
    for (const organization of ['acme', ready.organization_id]) {
      const assistant = await startAssistant({ INFRA_DATA_DIR: directory, INFRA_ORGANIZATION: organization });
      expect(await organizationOf(assistant)).toBe(ready.organization_id);
    }
  });

  test('refuses every call if another organization is chosen, and says what to do', async () => {
    const directory = await temporaryDirectory();
    const { ready } = await startPlatformProgram(['--data-dir', directory]);
    const assistant = await startAssistant({ INFRA_DATA_DIR: directory, INFRA_ORGANIZATION: 'Elsewhere' });
    for (const [tool, args] of [
      ['get_organization', {}],
      ['list_projects', { organization_id: ready.organization_id }],
      ['get_environment', { environment_id: ready.seed['environment_id'] }],
    ] as const) {
      const { failed, text } = await assistant.call(tool, args);
      expect(failed).toBe(true);
      expect(text).toMatch(/the embedded platform has no organization "Elsewhere".*INFRA_BASE_URL/s);
      expect(text).toContain(ready.organization_id);
    }
  });

  test('serves the embedded platform with its first call, not before, and keeps its token to the owner', async () => {
    const directory = join(await temporaryDirectory(), 'made', 'when', 'needed');
    const assistant = await startAssistant({ INFRA_DATA_DIR: directory });
    expect(await assistant.tools()).toContain('stop_environment');
    await expect(stat(directory)).rejects.toThrow('ENOENT');
    await organizationOf(assistant);
    expect(await serverOf(directory)).toBe(assistant.pid);
    expect((await stat(join(directory, 'token'))).mode & 0o777).toBe(0o600);
  });

  test('is found without a request that the first question would make again', async () => {
    const assistant = await startAssistant({ INFRA_DATA_DIR: await temporaryDirectory() });
    await organizationOf(assistant);
    const { data, text } = await assistant.call('get_api_budget');
    expect(Number(data['limit']) - Number(data['remaining']), text).toBe(1);
    await organizationOf(assistant);
    const later = await assistant.call('get_api_budget');
    expect(Number(later.data['limit']) - Number(later.data['remaining']), later.text).toBe(2);
  });

  test('warns of places in the policy that are not there, once it serves, and holds up no call', async () => {
    const policy = join(await temporaryDirectory(), 'policy.yaml');
    await writeFile(
      policy,
      'deny: [{ environment: shop/stagign, tier: destructive }, { project: shop, tier: destructive }]',
    );
    const assistant = await startAssistant({ INFRA_DATA_DIR: await temporaryDirectory(), INFRA_POLICY_FILE: policy });
    await assistant.tools();
    expect(assistant.stderr()).toBe('');
    await organizationOf(assistant);
    await eventually(() => expect(assistant.stderr()).toContain('"name":"shop/stagign"'));
    expect(
      assistant
        .stderr()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({
        kind: 'environment',
        setBy: `${policy}, deny[0]`,
        msg: 'the policy names a place that could not be found: its rule applies to nothing',
      }),
    ]);
  });

  test('shares one platform between processes, and another takes over when the one that serves dies', async () => {
    const env = { INFRA_DATA_DIR: await temporaryDirectory() };
    const assistants = await Promise.all([startAssistant(env), startAssistant(env), startAssistant(env)]);
    const ids = await Promise.all(assistants.map(organizationOf));
    expect(new Set(ids).size).toBe(1);

    const server = await serverOf(env.INFRA_DATA_DIR);
    expect(assistants.map(({ pid }) => pid)).toContain(server);
    const others = assistants.filter(({ pid }) => pid !== server);
    const name = 'made by a process that joined';
    expect((await others[0]!.call('create_project', { organization_id: ids[0], name })).failed).toBe(false);

    process.kill(server, 'SIGKILL');
    for (const other of others)
      expect((await other.call('list_projects', { organization_id: ids[0] })).text).toContain(name);
    expect(others.map(({ pid }) => pid)).toContain(await serverOf(env.INFRA_DATA_DIR));
  });

  test('uses the platform that the platform command serves', async () => {
    const directory = await temporaryDirectory();
    const { child, ready } = await startPlatformProgram(['--data-dir', directory, '--token', 'given-token']);
    const assistant = await startAssistant({ INFRA_DATA_DIR: directory });
    expect(await organizationOf(assistant)).toBe(ready.organization_id);
    expect(await serverOf(directory)).toBe(child.pid);
    expect(await readFile(join(directory, 'token'), 'utf8')).not.toContain('given-token');
  });

  test('gives way when it ends, and the next makes a new token where the old one was revoked', async () => {
    const directory = await temporaryDirectory();
    const first = await startAssistant({ INFRA_DATA_DIR: directory });
    await organizationOf(first);
    const old = await readFile(join(directory, 'token'), 'utf8');
    expect((await runProgram(['token', 'revoke', 'infra-mcp', '--data-dir', directory])).code).toBe(0);
    await first.close();
    const second = await startAssistant({ INFRA_DATA_DIR: directory });
    await organizationOf(second);
    expect(await serverOf(directory)).toBe(second.pid);
    expect(await readFile(join(directory, 'token'), 'utf8')).not.toBe(old);
  });

  test('says so where the directory can not be used', async () => {
    const assistant = await startAssistant({ INFRA_DATA_DIR: '/dev/null/infra-mcp' });
    const { failed, text } = await assistant.call('get_organization');
    expect(failed).toBe(true);
    expect(text).toContain('no platform to call');
    await eventually(() =>
      expect(assistant.stderr()).toMatch(/There is no embedded platform\. The data directory .* set INFRA_DATA_DIR/),
    );
  });
});

test('stdio with a base URL calls that platform, with the token in the file', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'admin-token');
  const { ready } = await startPlatformProgram(['--data-dir', join(directory, 'platform'), '--token-file', path]);
  const own = join(directory, 'own');
  const assistant = await startAssistant({
    INFRA_BASE_URL: ready.url,
    INFRA_API_TOKEN_FILE: path,
    INFRA_DATA_DIR: own,
    INFRA_READ_ONLY: '1',
  });
  expect(await organizationOf(assistant)).toBe(ready.organization_id);
  expect(await assistant.tools()).not.toContain('create_project');
  await expect(stat(join(own, 'serving.json'))).rejects.toThrow('ENOENT');
});
