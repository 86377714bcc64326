import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { approve } from '../../src/commands/approve.ts';
import { approvalsOf } from '../../src/commands/guard.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { readConfig, type Config } from '../../src/config.ts';
import { createApprovals } from '../../src/mcp/guard/approvals/approvals.ts';
import { approvalFor } from '../mcp/guard/approvals/support.ts';
import { commandLine, run, temporaryDirectory } from './support.ts';

// What makes a terminal for another program; not every system has it in this form.
const makesTerminals = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

const secret = 'only the operator knows';

/** A person who types these lines one after another, and what they saw. */
function person(...types: string[]): Terminal & { seen: string } {
  const terminal = {
    seen: '',
    isInteractive: true,
    write: (text: string) => void (terminal.seen += text),
    ask: async (prompt: string) => {
      const typed = types.shift();
      if (typed === undefined) throw new Error(`asked once more than expected: ${prompt}`);
      terminal.seen += `${prompt}${typed}\n`;
      return typed;
    },
    askUnseen: async (prompt: string) => {
      terminal.seen += prompt;
      return types.shift() ?? '';
    },
  };
  return terminal;
}

const configIn = (dataDir: string): Config => readConfig('approve', { dataDir }, {}).config;

/** Asks for approval as a server does; its code. */
async function ask(config: Config, request = approvalFor()): Promise<string> {
  const approvals = approvalsOf(config);
  const asked = await createApprovals(approvals).ask(request, Date.now());
  approvals.store.close();
  if (asked.kind !== 'pending') throw new Error(`not pending: ${asked.kind}`);
  return asked.code;
}

const comesOf = async (config: Config): Promise<string> => {
  const approvals = approvalsOf(config);
  const { kind } = await createApprovals(approvals).ask(approvalFor(), Date.now());
  approvals.store.close();
  return kind;
};

// Setting a secret is slow on purpose: once is enough.
let set: string;
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-commands-'));
  await approve(configIn(directory), undefined, { setSecret: true }, person(secret, secret));
  set = await readFile(join(directory, 'operator.json'), 'utf8');
  await rm(directory, { recursive: true });
});

/** A directory whose operator has set the secret. */
async function office(): Promise<Config> {
  const config = configIn(await temporaryDirectory());
  await writeFile(join(config.dataDir, 'operator.json'), set, { mode: 0o600 });
  return config;
}

describe('approving', () => {
  test('shows the plan, and takes the name of the target and the secret', async () => {
    const config = await office();
    const code = await ask(config);
    const operator = person('shop/prod', secret);
    await approve(config, code, {}, operator);
    expect(operator.seen).toContain('ann wants to run stop_environment (destructive)');
    expect(operator.seen).toContain('On: environment "shop/prod", PRODUCTION (id e-1)\nSends: POST /environment/e-1/stop');
    expect(operator.seen).not.toContain(secret);
    expect(await comesOf(config)).toBe('approved');
  });

  test('takes a yes where no name is asked for, and only a yes', async () => {
    const config = await office();
    const code = await ask(config, approvalFor({ typed: undefined }));
    await expect(approve(config, code, {}, person('y'))).rejects.toThrow('Not approved');
    await approve(config, code, {}, person('yes', secret));
    expect(await comesOf(config)).toBe('approved');
  });

  test.each([['another name'], ['prod'], ['shop/Prod'], ['']])('comes to nothing with %j for the name', async (typed) => {
    const config = await office();
    const code = await ask(config);
    await expect(approve(config, code, {}, person(typed, secret))).rejects.toThrow('Not approved. It waits until it expires');
    expect(await comesOf(config)).toBe('pending');
  });

  test('comes to nothing with a wrong secret, and says how many tries are left', async () => {
    const config = await office();
    const code = await ask(config);
    await expect(approve(config, code, {}, person('shop/prod', 'wrong secret'))).rejects.toThrow('not the secret. 4 more tries');
    expect(await comesOf(config)).toBe('pending');
  });

  test('refuses where asked to', async () => {
    const config = await office();
    const code = await ask(config);
    const operator = person(secret);
    await approve(config, code, { refuse: true }, operator);
    expect(operator.seen).toContain('Refused.');
    expect(await comesOf(config)).toBe('refused');
  });

  test('of what is not there says so', async () => {
    const config = await office();
    await expect(approve(config, 'AAAA-BBBB', {}, person())).rejects.toThrow('Nothing waits under AAAA-BBBB');
  });

  test('needs a secret that was set', async () => {
    const config = configIn(await temporaryDirectory());
    const code = await ask(config);
    await expect(approve(config, code, {}, person('shop/prod', secret))).rejects.toThrow('No operator secret is set');
  });

  test('lists what waits', async () => {
    const config = await office();
    const code = await ask(config);
    const operator = person();
    await approve(config, undefined, {}, operator);
    expect(operator.seen).toMatch(new RegExp(`^${code} +stop_environment +shop/prod +destructive +ann +20`, 'm'));
    const program = person();
    await approve(config, undefined, { json: true }, program);
    expect(JSON.parse(program.seen)).toEqual([expect.objectContaining({ code })]);
  });
});

test('of 60 calls that wait, 50 are listed, oldest first, and all where all are asked for', async () => {
  const config = await office();
  const codes = [];
  for (let number = 0; number < 60; number += 1) codes.push(await ask(config, approvalFor({ call: `call ${number}`, identity: `caller ${number}` })));
  const listed = async (flags: Parameters<typeof approve>[2]) => {
    const operator = person();
    await approve(config, undefined, flags, operator);
    return { seen: operator.seen, codes: operator.seen.match(/\b[2-9A-Z]{4}-[2-9A-Z]{4}\b/g) };
  };
  const some = await listed({});
  expect(some.codes).toEqual(codes.slice(0, 50));
  expect(some.seen).toContain('10 more wait; infra-mcp approve --all lists them all');
  expect((await listed({ all: true })).codes).toEqual(codes);
  expect(JSON.parse((await listed({ json: true })).seen)).toHaveLength(60);
});

describe('the operator secret', () => {
  test('is changed only by who knows it', async () => {
    const config = await office();
    await expect(approve(config, undefined, { setSecret: true }, person('wrong secret', 'new secret 1', 'new secret 1'))).rejects.toThrow('not the secret');
    await approve(config, undefined, { setSecret: true }, person(secret, 'new secret 1', 'new secret 1'));
    const code = await ask(config);
    await expect(approve(config, code, {}, person('shop/prod', secret))).rejects.toThrow('not the secret');
    await approve(config, code, {}, person('shop/prod', 'new secret 1'));
  });

  test('is not set by a slip', async () => {
    const config = configIn(await temporaryDirectory());
    await expect(approve(config, undefined, { setSecret: true }, person(secret, `${secret}!`))).rejects.toThrow('not the same');
    await expect(approve(config, undefined, { setSecret: true }, person('short', 'short'))).rejects.toThrow('at least 8 characters');
    await expect(readFile(join(config.dataDir, 'operator.json'))).rejects.toThrow('ENOENT');
  });
});

describe('the command', () => {
  test.each([[['AAAA-BBBB']], [['--set-secret']], [['AAAA-BBBB', '--refuse']]])('%j needs a terminal', async (args) => {
    const { code, stdout, stderr } = await run(['approve', ...args], { INFRA_DATA_DIR: await temporaryDirectory() });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Approving needs a terminal');
  });

  test('lists without one', async () => {
    expect(await run(['approve', '--json'], { INFRA_DATA_DIR: await temporaryDirectory() })).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test.skipIf(!makesTerminals)('shows the plan in a real terminal, and never what is typed as the secret', async () => {
    const config = await office();
    const code = await ask(config);
    const { command, env } = commandLine(['approve', code], { INFRA_DATA_DIR: config.dataDir });
    const quoted = command.map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', quoted, '/dev/null'], { env });
    const answers: [RegExp, string][] = [[/to approve it: /, 'shop/prod\r'], [/Operator secret: /, `${secret}\r`]];
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (answers[0]?.[0].test(shown)) child.stdin.write(answers.shift()![1]);
    });
    const exit = await new Promise<number | null>((resolve) => child.once('close', resolve));
    expect(shown).toContain('Sends: POST /environment/e-1/stop');
    expect(shown).toContain('Approved, for one call');
    expect(shown).not.toContain(secret);
    expect(exit).toBe(0);
    expect(await comesOf(config)).toBe('approved');
  });
});
