import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { approveCommand } from '../../src/cli/commands/approve.ts';
import { approvalsConfigOf } from '../../src/cli/wiring/guard.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { ConfigError, readConfig, type Config } from '../../src/cli/config/index.ts';
import { createApprovals } from '../../src/server/guard/index.ts';
import { parseOperators } from '../../src/server/guard/approvals/operators.ts';
import { approvalRequest } from '../server/guard/approvals/approvals-fixture.ts';
import { namedRequest } from '../server/guard/approvals/named-operators-fixture.ts';
import { secretOf, writeOperators } from '../support/operators-file.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';
import { makesTerminals, runInTerminal } from './pseudo-terminal.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { isLanding } from '../suites.ts';

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
    askHidden: async (prompt: string) => {
      terminal.seen += prompt;
      return types.shift() ?? '';
    },
  };
  return terminal;
}

const configIn = (dataDir: string): Config => readConfig('approve', { dataDir }, {}).config;

/** Asks for approval as a server does; its code. */
async function ask(config: Config, request = approvalRequest()): Promise<string> {
  const approvals = approvalsConfigOf(config);
  const asked = await createApprovals(approvals).ask(request, Date.now());
  await approvals.store.close();
  if (asked.kind !== 'pending') throw new Error(`not pending: ${asked.kind}`);
  return asked.code;
}

const comesOf = async (config: Config): Promise<string> => {
  const approvals = approvalsConfigOf(config);
  const { kind } = await createApprovals(approvals).ask(approvalRequest(), Date.now());
  await approvals.store.close();
  return kind;
};

/** Asks for approval of a call whose place operators may be limited to. */
async function namedAsk(approvals: ReturnType<typeof approvalsConfigOf>) {
  const asked = await createApprovals(approvals).ask(namedRequest(), Date.now());
  await approvals.store.close();
  return { asked };
}

/** A directory whose operator has set the secret. */
async function approvalsConfig(): Promise<Config> {
  const config = configIn(await temporaryDirectory());
  await setOperatorSecret(join(config.dataDir, 'operator.json'));
  return config;
}

describe('approving', () => {
  test('shows the plan, and takes the name of the target and the secret', async () => {
    const config = await approvalsConfig();
    const code = await ask(config);
    const operator = person('shop/prod', operatorSecret);
    await approveCommand(config, code, {}, operator);
    expect(operator.seen).toContain('ann wants to run stop_environment (destructive)');
    expect(operator.seen).toContain(
      'On: environment "shop/prod", PRODUCTION (id e-1)\nSends: POST /environment/e-1/stop',
    );
    expect(operator.seen).not.toContain(operatorSecret);
    expect(await comesOf(config)).toBe('approved');
  });

  test('takes a yes where no name is asked for, and only a yes', async () => {
    const config = await approvalsConfig();
    const code = await ask(config, approvalRequest({ typed: undefined }));
    await expect(approveCommand(config, code, {}, person('y'))).rejects.toThrow('Not approved');
    await approveCommand(config, code, {}, person('yes', operatorSecret));
    expect(await comesOf(config)).toBe('approved');
  });

  test.each([['another name'], ['prod'], ['shop/Prod'], ['']])(
    'does not approve with %j as the name',
    async (typed) => {
      const config = await approvalsConfig();
      const code = await ask(config);
      await expect(approveCommand(config, code, {}, person(typed, operatorSecret))).rejects.toThrow(
        'Not approved. It waits until it expires',
      );
      expect(await comesOf(config)).toBe('pending');
    },
  );

  test('does not approve with a wrong secret, and says how many tries are left', async () => {
    const config = await approvalsConfig();
    const code = await ask(config);
    await expect(approveCommand(config, code, {}, person('shop/prod', 'wrong secret'))).rejects.toThrow(
      'not the secret. 4 more tries',
    );
    expect(await comesOf(config)).toBe('pending');
  });

  test('refuses where asked to', async () => {
    const config = await approvalsConfig();
    const code = await ask(config);
    const operator = person(operatorSecret);
    await approveCommand(config, code, { refuse: true }, operator);
    expect(operator.seen).toContain('Refused.');
    expect(await comesOf(config)).toBe('refused');
  });

  test('of what is not there says so', async () => {
    const config = await approvalsConfig();
    await expect(approveCommand(config, 'AAAA-BBBB', {}, person())).rejects.toThrow('Nothing waits under AAAA-BBBB');
  });

  test('needs a secret that was set', async () => {
    const config = configIn(await temporaryDirectory());
    const code = await ask(config);
    await expect(approveCommand(config, code, {}, person('shop/prod', operatorSecret))).rejects.toThrow(
      'No operator secret is set',
    );
  });

  test('lists what waits', async () => {
    const config = await approvalsConfig();
    const code = await ask(config);
    const operator = person();
    await approveCommand(config, undefined, {}, operator);
    expect(operator.seen).toMatch(new RegExp(`^${code} +stop_environment +shop/prod +destructive +ann +20`, 'm'));
    const program = person();
    await approveCommand(config, undefined, { json: true }, program);
    expect(JSON.parse(program.seen)).toEqual([expect.objectContaining({ code })]);
  });

  test('names the conversation of a call, and says where none is told', async () => {
    const config = await approvalsConfig();
    const request = approvalRequest({ call: 'another', conversation: '#releases \u202E' });
    const [told, untold] = [await ask(config, request), await ask(config)];
    const operator = person();
    await approveCommand(config, undefined, {}, operator);
    expect(operator.seen).toContain('#releases');
    expect(operator.seen).toContain('not told');
    expect(operator.seen).not.toContain('\u202E');
    for (const [code, conversation] of [
      [told, '#releases'],
      [untold, 'not told'],
    ] as const) {
      const one = person(operatorSecret);
      await approveCommand(config, code, { refuse: true }, one);
      expect(one.seen).toContain(`Conversation: ${conversation}`);
    }
  });
});

test('of 60 calls that wait, 50 are listed, oldest first, and all where all are asked for', async () => {
  const config = await approvalsConfig();
  const codes = [];
  for (let number = 0; number < 60; number += 1)
    codes.push(await ask(config, approvalRequest({ call: `call ${number}`, identity: `caller ${number}` })));
  const listed = async (flags: Parameters<typeof approveCommand>[2]) => {
    const operator = person();
    await approveCommand(config, undefined, flags, operator);
    return { seen: operator.seen, codes: operator.seen.match(/\b[2-9A-Z]{4}-[2-9A-Z]{4}\b/g) };
  };
  const some = await listed({});
  expect(some.codes).toEqual(codes.slice(0, 50));
  expect(some.seen).toMatch(/10 more wait; infra-mcp approve --all --data-dir \S+ lists them all/);
  expect((await listed({ all: true })).codes).toEqual(codes);
  expect(JSON.parse((await listed({ json: true })).seen)).toHaveLength(60);
});

/** The calls and decisions that the audit log of a directory tells. */
const shown = async (dataDir: string) => {
  const { stdout } = await runProgram(['audit', 'show', '--json'], { INFRA_DATA_DIR: dataDir });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe('a decision', () => {
  test.each([
    [{}, 'approved'],
    [{ refuse: true }, 'refused'],
  ])('is in the audit log at once: %j', async (flags, verdict) => {
    const config = await approvalsConfig();
    const code = await ask(config);
    await approveCommand(config, code, flags, person(...(verdict === 'approved' ? ['shop/prod'] : []), operatorSecret));
    expect(await shown(config.dataDir)).toEqual([
      expect.objectContaining({
        who: 'operator',
        confirmed: 'terminal',
        tool: 'stop_environment',
        tier: 'destructive',
        code,
        caller: 'ann',
        outcome: verdict,
        plan: approvalRequest().plan.digest,
        target: expect.objectContaining({ kind: 'environment', id: 'e-1' }) as unknown,
      }),
    ]);
    const env = { INFRA_DATA_DIR: config.dataDir };
    expect((await runProgram(['audit', 'show'], env)).stdout).toMatch(
      new RegExp(
        `operator +stop_environment +environment shop/prod +destructive +terminal +${verdict} +${code}, asked by ann`,
      ),
    );
    expect((await runProgram(['audit', 'verify'], env)).code).toBe(0);
    const file = join(config.dataDir, 'audit.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"caller":"ann"', '"caller":"bob"'));
    expect((await runProgram(['audit', 'verify'], env)).code).toBe(1);
  });

  test('is not made when it can not be recorded', async () => {
    const config = await approvalsConfig();
    const code = await ask(config);
    await mkdir(join(config.dataDir, 'audit.jsonl'));
    await expect(approveCommand(config, code, {}, person('shop/prod', operatorSecret))).rejects.toThrow(
      /^Nothing was decided: the decision could not be recorded \(EISDIR/,
    );
    expect(await comesOf(config)).toBe('pending');
  });

  test('is recorded where the call is: the proposed command says so, and another one decides nothing', async () => {
    const config = await approvalsConfig();
    const auditFile = join(config.dataDir, 'elsewhere.jsonl');
    const { config: withFile } = readConfig('stdio', { dataDir: config.dataDir, auditFile }, {});
    const approvals = approvalsConfigOf(withFile);
    const asked = await createApprovals(approvals).ask(approvalRequest(), Date.now());
    await approvals.store.close();
    const { code, command } = asked as { code: string; command: string };
    expect(command).toContain(`--audit-file ${auditFile}`);
    await expect(approveCommand(config, code, {}, person('shop/prod', operatorSecret))).rejects.toThrow(
      'Give this one the same INFRA_AUDIT_FILE or INFRA_AUDIT_COMMAND',
    );
    await approveCommand(withFile, code, {}, person('shop/prod', operatorSecret));
    expect(await readFile(auditFile, 'utf8')).toContain('"verdict":"approved"');
  });
});

describe('the operator secret', () => {
  test('is changed only by who knows it', async () => {
    const config = await approvalsConfig();
    await expect(
      approveCommand(config, undefined, { setSecret: true }, person('wrong secret', 'new secret 1', 'new secret 1')),
    ).rejects.toThrow('not the secret');
    await approveCommand(
      config,
      undefined,
      { setSecret: true },
      person(operatorSecret, 'new secret 1', 'new secret 1'),
    );
    const code = await ask(config);
    await expect(approveCommand(config, code, {}, person('shop/prod', operatorSecret))).rejects.toThrow(
      'not the secret',
    );
    await approveCommand(config, code, {}, person('shop/prod', 'new secret 1'));
  });

  test.each([
    ['the first one', [], operatorSecret],
    ['another one', [operatorSecret], 'yet another 1'],
  ])('is not set by somebody who types while others set %s', async (_, known, theirs) => {
    const config = known.length > 0 ? await approvalsConfig() : configIn(await temporaryDirectory());
    const others = person(...known, theirs, theirs);
    const slow = person(...known, 'typed slowly 1', 'typed slowly 1');
    const typing: Terminal = {
      ...slow,
      askHidden: async (prompt) => {
        if (prompt === 'Again: ') await approveCommand(config, undefined, { setSecret: true }, others);
        return slow.askHidden(prompt);
      },
    };
    await expect(approveCommand(config, undefined, { setSecret: true }, typing)).rejects.toThrow('Somebody else set');
    const code = await ask(config);
    await expect(approveCommand(config, code, {}, person('shop/prod', 'typed slowly 1'))).rejects.toThrow(
      'not the secret',
    );
    await approveCommand(config, code, {}, person('shop/prod', theirs));
  });

  test('is not set by a slip', async () => {
    const config = configIn(await temporaryDirectory());
    await expect(
      approveCommand(config, undefined, { setSecret: true }, person(operatorSecret, `${operatorSecret}!`)),
    ).rejects.toThrow('not the same');
    await expect(approveCommand(config, undefined, { setSecret: true }, person('short', 'short'))).rejects.toThrow(
      'at least 8 characters',
    );
    await expect(readFile(join(config.dataDir, 'operator.json'))).rejects.toThrow('ENOENT');
  });
});

describe('the command', () => {
  test.each([[['AAAA-BBBB']], [['--set-secret']], [['AAAA-BBBB', '--refuse']]])('%j needs a terminal', async (args) => {
    const { code, stdout, stderr } = await runProgram(['approve', ...args], {
      INFRA_DATA_DIR: await temporaryDirectory(),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Approving needs a terminal');
  });

  test('lists without one', async () => {
    expect(await runProgram(['approve', '--json'], { INFRA_DATA_DIR: await temporaryDirectory() })).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: '',
    });
  });
});

describe.skipIf(!makesTerminals)('in a real terminal', () => {
  /** Settings of a terminal that shows what is typed, takes whole lines, and lets Ctrl-C end programs. */
  const sane = expect.arrayContaining(['echo', 'icanon', 'isig']) as string[];

  test('every prompt stays on the screen with what is typed there, and the secret is never shown', async () => {
    const config = await approvalsConfig();
    const code = await ask(config);
    const { sent, screen, prompts, exit, settings } = await runInTerminal(
      ['approve', code],
      { INFRA_DATA_DIR: config.dataDir },
      [
        [/to approve it:/, 'shop/prod\r'],
        [/Operator secret:/, `${operatorSecret}\r`],
      ],
    );
    expect(prompts).toEqual(['Type shop/prod to approve it:', 'Operator secret:']);
    expect(screen).toContain('Sends: POST /environment/e-1/stop');
    expect(screen.trimEnd().split('\n').slice(-3)).toEqual([
      'Type shop/prod to approve it: shop/prod',
      'Operator secret:',
      'Approved, for one call. The assistant can repeat it now.',
    ]);
    expect(sent).not.toContain(operatorSecret);
    expect({ exit, settings }).toEqual({ exit: 0, settings: sane });
    expect(await comesOf(config)).toBe('approved');
  });

  test('setting the secret asks twice, and shows it never', async () => {
    const config = configIn(await temporaryDirectory());
    const { sent, screen, prompts, exit } = await runInTerminal(
      ['approve', '--set-secret'],
      { INFRA_DATA_DIR: config.dataDir },
      [
        [/New operator secret:/, `${operatorSecret}\r`],
        [/Again:/, `${operatorSecret}\r`],
      ],
    );
    expect(prompts).toEqual(['New operator secret:', 'Again:']);
    expect(screen).toMatch(/^New operator secret:\nAgain:\nSet\. /m);
    expect(sent).not.toContain(operatorSecret);
    expect(exit).toBe(0);
  });

  const endings = [
    ['Ctrl-C where agreement is asked for', [[/to approve it:/, '\u0003']]],
    [
      'Ctrl-C where the secret is asked for',
      [
        [/to approve it:/, 'shop/prod\r'],
        [/Operator secret:/, 'only\u0003'],
      ],
    ],
    [
      'the end of input',
      [
        [/to approve it:/, 'shop/prod\r'],
        [/Operator secret:/, '\u0004'],
      ],
    ],
  ] as const;
  test.each(isLanding ? endings.slice(0, 1) : endings)(
    '%s ends it, decides nothing, counts as no wrong secret, and leaves the terminal as it was',
    async (_, typing) => {
      const config = await approvalsConfig();
      const code = await ask(config);
      const { screen, exit, settings, untyped } = await runInTerminal(
        ['approve', code],
        { INFRA_DATA_DIR: config.dataDir },
        typing,
      );
      expect(screen).toMatch(/^infra-mcp: No answer was given, so nothing was done\.$/m);
      expect({ exit, settings, untyped }).toEqual({ exit: 1, settings: sane, untyped: 0 });
      expect(await comesOf(config)).toBe('pending');
      await expect(approveCommand(config, code, {}, person('shop/prod', 'wrong secret'))).rejects.toThrow(
        '4 more tries',
      );
    },
  );
});

/** A directory whose operators have names. */
const namedConfig = async (operators: Record<string, object>): Promise<Config> => {
  const dataDir = await temporaryDirectory();
  const approvalsOperators = join(dataDir, 'operators.json');
  await writeOperators(approvalsOperators, operators);
  return readConfig('approve', { dataDir, approvalsOperators }, {}).config;
};

describe('operators with names', () => {
  test('give their names with their secrets', async () => {
    const config = await namedConfig({ ada: {} });
    const code = await ask(config);
    const operator = person('shop/prod', 'ada', secretOf('ada'));
    await approveCommand(config, code, {}, operator);
    expect(operator.seen).toContain('Operator name: ada');
    expect(operator.seen).not.toContain(secretOf('ada'));
    expect(await comesOf(config)).toBe('approved');
  });

  test('are told what they may decide, and the command that the assistant shows finds their file', async () => {
    const config = await namedConfig({ ada: { may: [{ project: 'bank' }] }, bob: {} });
    const approvals = approvalsConfigOf(config);
    const { asked } = await namedAsk(approvals);
    expect(asked).toMatchObject({ command: expect.stringContaining('--approvals-operators') as unknown });
    const code = (asked as { code: string }).code;
    await expect(approveCommand(config, code, {}, person('shop/prod', 'ada', secretOf('ada')))).rejects.toThrow(
      'Nothing was decided. You may decide calls for which one of these holds: project is bank. This call can be decided by: bob.',
    );
  });

  test('set no secret without a name, and get an entry for the file that holds no secret', async () => {
    const config = await namedConfig({ ada: {} });
    await expect(approveCommand(config, undefined, { setSecret: true }, person())).rejects.toThrow('--operator-entry');
    await expect(approveCommand(config, undefined, { operatorEntry: 'c y' }, person())).rejects.toThrow(ConfigError);
    const operator = person('the secret of cy', 'the secret of cy');
    await approveCommand(config, undefined, { operatorEntry: 'cy' }, operator);
    expect(operator.seen).not.toContain('the secret of cy');
    const entry = /name: (?<name>\w+)\n +secret: (?<secret>\S+)/.exec(operator.seen)!.groups!;
    await expect(parseOperators('o', JSON.stringify({ operators: [{ ...entry }] }))).resolves.toMatchObject([
      { name: 'cy', callers: ['key:cy'] },
    ]);
  });
});
