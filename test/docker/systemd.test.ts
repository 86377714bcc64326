import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { commandsOfPage } from '../docs/pages.ts';
import { startTestEngine, type TestEngine } from '../support/docker/docker-engine.ts';
import { startSystemdMachine, type SystemdMachine } from '../support/docker/systemd-machine.ts';

let engine: TestEngine;
let machine: SystemdMachine;

beforeAll(async () => {
  engine = await startTestEngine();
  machine = await startSystemdMachine(engine.socket, inject('programDirectory'));
});
afterAll(async () => {
  await machine?.end();
  await engine?.end();
});

/** The commands of a page, as root gives them, from one that contains a text to the last one that does. */
const commandsOf = (page: string, parts: RegExp): string[] =>
  commandsOfPage(page)
    .filter(({ text, isInline }) => !isInline && parts.test(text))
    .map(({ text }) => text.replaceAll(/\bsudo -u (\S+)/g, 'runuser -u $1 --').replaceAll(/\bsudo /g, ''));

/** Types a command, which has to succeed. @returns what it printed */
function type(command: string): string {
  const { status, stdout, stderr } = machine.type(command);
  expect(status, `${command}\n${stderr}${machine.type('systemctl status --no-pager infra-mcp-platform').stdout}`).toBe(
    0,
  );
  return stdout.trim();
}

/** What systemd says of the service. */
const state = (): Record<string, string> =>
  Object.fromEntries(
    type('systemctl show --property=ActiveState,SubState,NRestarts,MainPID,Result infra-mcp-platform')
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );

const filesOfPlatform = (): string[] => type('ls /var/lib/infra-mcp').split('\n');

/** The status with which the platform answers whoever has the token that the page made. */
const answer = async (): Promise<number> =>
  (
    await fetch('http://127.0.0.1:8090/organization', {
      headers: { authorization: `Token ${type('cat ~/platform.token')}` },
    })
  ).status;

test('the service of the page waits until it is ready, comes back when it was killed, and leaves no claim', async () => {
  const [user, unit, reload, enable, token] = commandsOf(
    'docs/run-a-platform.md',
    /^sudo (?!cp|systemctl (?:start|stop))|--print-unit/,
  ) as [string, string, string, string, string];
  expect(token).toContain('token create');
  for (const command of [user, unit, reload, enable]) type(command);
  // Ready means that it answers: nothing is waited for.
  type(token);
  expect(await answer()).toBe(200);
  const started = state();
  expect(started).toMatchObject({ ActiveState: 'active', SubState: 'running', NRestarts: '0' });
  expect(filesOfPlatform()).toContain('serving.json');

  type(`kill -KILL ${started['MainPID']}`);
  while (state()['NRestarts'] === '0' || state()['ActiveState'] !== 'active') await delay(200);
  const restarted = state();
  expect(restarted).toMatchObject({ SubState: 'running', NRestarts: '1' });
  expect(restarted['MainPID']).not.toBe(started['MainPID']);
  expect(await answer()).toBe(200);

  type('systemctl stop infra-mcp-platform');
  expect(state()).toMatchObject({ ActiveState: 'inactive', SubState: 'dead', Result: 'success' });
  expect(filesOfPlatform()).not.toContain('serving.json');
  type('systemctl start infra-mcp-platform');
  expect(await answer()).toBe(200);

  for (const command of commandsOf('docs/uninstalling.md', /^sudo /)) type(command);
  expect(machine.type('id infra-mcp').status).not.toBe(0);
  expect(type('systemctl show --property=LoadState infra-mcp-platform')).toBe('LoadState=not-found');
  await expect(answer()).rejects.toThrow('fetch failed');
});
