import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commandsOfPage } from '../docs/pages.ts';
import { runProgram, startAssistant, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';
import type { Json } from '../support/test-platform.ts';

const token = 'given-token';

/** Commands of the page that copy the data directory, and put the copy back. */
const [copy, moveAway, putBack, ...others] = commandsOfPage('docs/upgrading.md')
  .filter(({ isInline }) => !isInline)
  .map(({ text }) => text)
  .filter((text) => /^(?:cp|mv) /.test(text)) as [string, string, string];

/** A user with the data directory at its usual place. */
async function newUser() {
  const home = await temporaryDirectory();
  const env = { HOME: home, XDG_DATA_HOME: '' };
  /** Types a command as it is on the page. */
  const type = (command: string) =>
    promisify(execFile)('sh', ['-c', command], { env: { PATH: process.env['PATH'], ...env } });
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram(args, env);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  return { env, type, run };
}

/** Lets somebody use the platform of a user, and ends it. */
async function withPlatform<Result>(
  { env }: Awaited<ReturnType<typeof newUser>>,
  use: (call: (method: string, path: string, body?: Json) => Promise<Json>, organization: string) => Promise<Result>,
): Promise<Result> {
  const { child, ready, ended } = await startPlatformProgram(['--token', token], env);
  const call = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await fetch(`${ready.url}${path}`, {
      method,
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.ok, `${method} ${path}: ${text}`).toBe(true);
    return (text === '' ? {} : JSON.parse(text)) as Json;
  };
  const result = await use(call, `/organization/${ready.organization_id}`);
  child.kill('SIGTERM');
  await ended;
  return result;
}

/** Everything that a caller sees of projects, environments and variables. */
const seen = (user: Awaited<ReturnType<typeof newUser>>) =>
  withPlatform(user, async (call, organization) => {
    const { results: projects } = (await call('GET', `${organization}/project`)) as { results: Json[] };
    const rows = await Promise.all(
      projects.map(async (project) => ({
        project,
        environments: await call('GET', `/project/${String(project['id'])}/environment`),
        variables: await call('GET', `/project/${String(project['id'])}/environmentVariable`),
        secrets: await call('GET', `/project/${String(project['id'])}/secret`),
      })),
    );
    return { rows, tokens: JSON.parse(await user.run('token', 'list', '--json')) as Json[] };
  });
type Seen = Awaited<ReturnType<typeof seen>>;

/** What stays the same while a platform is only read. */
const lasting = ({ rows, tokens }: Seen) => ({
  rows,
  tokens: tokens.map(({ id, name, revoked_at: revoked }) => ({ id, name, revoked })),
});

const ask = async ({ env }: Awaited<ReturnType<typeof newUser>>): Promise<void> => {
  const assistant = await startAssistant(env);
  expect(await assistant.call('get_organization', {})).toMatchObject({ failed: false });
  await assistant.close();
};

/** Creates a project with a variable and a secret, and a token. @returns the path of the project */
const create = (user: Awaited<ReturnType<typeof newUser>>): Promise<string> =>
  withPlatform(user, async (call, organization) => {
    const path = `/project/${String((await call('POST', `${organization}/project`, { name: 'kept' }))['id'])}`;
    await call('POST', `${path}/environmentVariable`, { key: 'COLOUR', value: 'green' });
    await call('POST', `${path}/secret`, { key: 'PASSWORD', value: 'before' });
    await user.run('token', 'create', '--name', 'ci', '--permission', 'read');
    return path;
  });

/** Changes one thing, deletes another, and adds a third. */
const change = (user: Awaited<ReturnType<typeof newUser>>, path: string): Promise<void> =>
  withPlatform(user, async (call, organization) => {
    const { results: variables } = (await call('GET', `${path}/environmentVariable`)) as { results: Json[] };
    const variable = variables.find(({ key }) => key === 'COLOUR');
    await call('PUT', `${path}/environmentVariable/${String(variable!['id'])}`, { key: 'COLOUR', value: 'red' });
    const { results: secrets } = (await call('GET', `${path}/secret`)) as { results: Json[] };
    await call('DELETE', `${path}/secret/${String(secrets[0]!['id'])}`);
    await call('POST', `${organization}/project`, { name: 'passing' });
    await user.run('token', 'revoke', 'ci');
  });

test('the page copies a data directory once and puts it back once', () => {
  expect(others).toEqual([]);
  for (const command of [copy, moveAway, putBack]) expect(command).toContain('~/.local/share/infra-mcp');
});

test('a data directory that was copied and put back has everything as it was, and its audit log verifies', async () => {
  const user = await newUser();
  const path = await create(user);
  await ask(user);
  const before = lasting(await seen(user));
  await user.type(copy);
  await change(user, path);
  await ask(user);
  expect(lasting(await seen(user))).not.toEqual(before);
  await user.type(moveAway);
  await user.type(putBack);
  expect(lasting(await seen(user))).toEqual(before);
  await ask(user);
  expect(JSON.parse(await user.run('audit', 'verify', '--json'))).toMatchObject({ entries: 2, faults: [] });
});

test('a backup brings back the records as they were, and tokens stay as they are', async () => {
  const user = await newUser();
  const path = await create(user);
  const before = await seen(user);
  await user.run('backup', 'before-upgrade');
  await change(user, path);
  const changed = await seen(user);
  await user.run('restore', 'before-upgrade');
  expect(lasting(await seen(user))).toEqual({ rows: before.rows, tokens: lasting(changed).tokens });
});
