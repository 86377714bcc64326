import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { approveCommand } from '../../src/cli/commands/approve.ts';
import { ConfigError, readConfig } from '../../src/cli/config/index.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { eventually } from '../support/eventually.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { connectLegacy, connectModern, failureIn, textOf } from '../support/mcp-clients.ts';
import { secretOf, writeOperators } from '../support/operators-file.ts';
import { startProgram } from '../support/started-program.ts';
import { browserAt } from '../transport/operator-browser.ts';

const path = 'shop/production/checkout-api';
const reason = 'after the sale <b>\u202E';

type Era = 'modern' | 'legacy';

/** A server over HTTP with an operator, who has a name or none, and a client that makes a call that waits for them. */
async function open(era: Era, name: string | undefined) {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, 'policy.yaml'), 'operator_only: [disruptive, destructive, sensitive]\n');
  if (name === undefined) await setOperatorSecret(join(folder, 'operator.json'));
  else await writeOperators(join(folder, 'operators.json'), { [name]: {} });
  const operators = name === undefined ? [] : ['--approvals-operators', 'operators.json'];
  const options = ['http', '--port', '0', '--console', '--policy-file', 'policy.yaml', ...operators];
  const { ready } = await startProgram({
    ...commandLine(options, { INFRA_DATA_DIR: folder, INFRA_TIME_SCALE: '0' }),
    cwd: folder,
  });
  const url = new URL(ready.url);
  const connected = await (era === 'modern' ? connectModern(new ModernHttp(url)) : connectLegacy(new LegacyHttp(url)));
  onTestFinished(() => connected.close());
  const deploy = () => connected.call('deploy_application', { application_id: path });
  const { config } = readConfig(
    'approve',
    { dataDir: folder, ...(name !== undefined && { approvalsOperators: join(folder, 'operators.json') }) },
    {},
  );
  return {
    folder,
    url,
    deploy,
    config,
    ask: async (): Promise<string> => failureIn(await deploy())!.code!,
    /** What the resource of a call says, as codes. Clients may keep what they read for a second. */
    stateOf: async (code: string): Promise<unknown> => {
      const { contents } = await connected.client.readResource({ uri: `infra://approval/${code}` });
      return contents[0]!._meta![metaKeys.approval];
    },
  };
}

const credentials = (name: string | undefined): Record<string, string> =>
  name === undefined ? { secret: operatorSecret } : { name, secret: secretOf(name) };

/** A person at a terminal who types these lines. */
function person(...types: string[]): Terminal {
  const next = async (): Promise<string> => types.shift() ?? '';
  return { isInteractive: true, write: () => undefined, ask: next, askHidden: next };
}

const cases = (['modern', 'legacy'] as const).flatMap((era) => [undefined, 'ada'].map((name) => [era, name] as const));

test.each(cases)('a client of the %s era is told what the operator (%s) decided on the page', async (era, name) => {
  const { folder, url, ask, deploy, stateOf } = await open(era, name);
  const browser = browserAt(url, '/console/approvals');
  await browser.enter(credentials(name));
  const by = name === undefined ? {} : { by: [name] };

  const approved = await ask();
  expect(await stateOf(approved)).toMatchObject({ state: 'waiting' });
  const fields = await browser.fieldsFor(approved);
  const answer = await browser.post({ ...fields, do: 'approve', typed: path });
  expect(answer.headers.get('location')).toBe('/console/approvals?said=approved');
  await eventually(async () =>
    expect(await stateOf(approved)).toMatchObject({ state: 'approved', how: 'page', ...by }),
  );
  expect(failureIn(await deploy())).toBeUndefined();
  await eventually(async () => expect(await stateOf(approved)).toMatchObject({ state: 'used', how: 'page', ...by }));

  const refused = await ask();
  await browser.post({ ...(await browser.fieldsFor(refused)), do: 'refuse', reason: `  ${reason} ` });
  await eventually(async () => expect(await stateOf(refused)).toMatchObject({ state: 'refused', how: 'page', ...by }));
  const told = await deploy();
  expect(failureIn(told)).toMatchObject({ kind: 'not_confirmed', why: 'operator_refused', outcome: 'refused' });
  expect(textOf(told)).toContain('after the sale');
  expect(textOf(told)).not.toContain('\u202E');
  await eventually(async () =>
    expect(await stateOf(refused)).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('after the sale') as string,
    }),
  );

  const without = await ask();
  await browser.post({ ...(await browser.fieldsFor(without)), do: 'refuse', reason: '  ' });
  expect(failureIn(await deploy())).toMatchObject({ why: 'operator_refused' });
  await eventually(async () => expect(await stateOf(without)).toMatchObject({ state: 'refused' }));
  expect(await stateOf(without)).not.toHaveProperty('reason');

  const long = await ask();
  await browser.post({ ...(await browser.fieldsFor(long)), do: 'refuse', reason: `${'x'.repeat(600)}end` });
  expect(textOf(await deploy())).not.toContain('xend');
  await eventually(async () =>
    expect(await stateOf(long)).toMatchObject({ reason: expect.stringMatching(/^x{400,}…?$/) as string }),
  );

  const log = (await readFile(join(folder, 'audit.jsonl'), 'utf8')).trim().split('\n');
  expect(log.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ kind: 'decision', code: refused, verdict: 'refused', confirmed: 'page', reason }),
  );
});

test.each(cases)('a client of the %s era is told why the operator (%s) refused in a terminal', async (era, name) => {
  const { ask, deploy, stateOf, config } = await open(era, name);
  const types = [...(name === undefined ? [] : [name]), credentials(name)['secret']!];
  const code = await ask();
  const flags = { refuse: true, reason: 'x'.repeat(501) };
  await expect(approveCommand(config, code, flags, person(...types))).rejects.toThrow(ConfigError);
  await expect(approveCommand(config, code, { reason }, person(path, ...types))).rejects.toThrow(ConfigError);
  expect(await stateOf(code)).toMatchObject({ state: 'waiting' });
  await approveCommand(config, code, { refuse: true, reason }, person(...types));
  const told = await deploy();
  expect(failureIn(told)).toMatchObject({ kind: 'not_confirmed', why: 'operator_refused', outcome: 'refused' });
  expect(textOf(told)).toContain('after the sale');
  await eventually(async () =>
    expect(await stateOf(code)).toMatchObject({
      state: 'refused',
      how: 'terminal',
      reason: expect.stringContaining('after the sale') as string,
    }),
  );
});
