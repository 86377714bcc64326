import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { temporaryDirectory } from '../support/built-program.ts';

const missing = '/nowhere/at-all.yaml';
const folder = import.meta.dirname;

const ofServers = [
  ['--policy-file', missing],
  ['--tools', 'no_such_tool'],
  ['--approvals-operators', missing],
  ['--base-url', 'https://api.example.com', '--api-token-file', missing],
  ['--keys-dir', '/proc/k'],
  ['--audit-file', '/proc/a.jsonl'],
];

test.each(
  [
    ...[
      ['--clusters-file', missing],
      ['--runtime', 'docker', '--clusters-file', missing],
      ['--runtime', 'docker', '--engine-tls-dir', '/nowhere/at-all'],
      ['--faults', missing],
      ['--token-file', folder],
      ['--keys-dir', '/proc/k'],
    ].map((args) => ['platform', '--port', '0', ...args]),
    ...ofServers.map((args) => ['stdio', ...args]),
    ...[...ofServers, ['--keys-file', missing], ['--approvals-chat', missing]].map((args) => [
      'http',
      '--port',
      '0',
      ...args,
    ]),
    ['token', 'create', '--name', 'ci', '--permission', 'everything'],
    ['approve', '--set-secret'],
  ].map((args) => ({ args, line: args.join(' ') })),
)('$line: what is wrong is said before anything is made', async ({ args }) => {
  const dataDir = join(await temporaryDirectory(), 'data');
  const { code, stdout } = await runCommand([...args, '--data-dir', dataDir]);
  expect({ code, stdout, made: existsSync(dataDir) }).toEqual({ code: 1, stdout: '', made: false });
});
