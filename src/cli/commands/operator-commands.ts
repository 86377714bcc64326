import * as z from 'zod';
import { integerBetween } from '../config/index.ts';
import { booleanFlag, type Command, defineCommand, json } from './command.ts';

const files = [
  { name: '[files...]', description: 'files of a rotated log, oldest first (default: the configured file)' },
];

/** The commands of operators, in the order of help texts: they decide, look, and read the audit log. */
export const operatorCommands: readonly Command[] = [
  defineCommand({
    name: 'approve',
    summary: 'list the calls that wait for approval, or approve one in a terminal',
    takes: 'approve',
    flags: {
      refuse: booleanFlag('refuse the call instead'),
      reason: { value: 'text', description: 'with --refuse: why, for whoever asked', schema: z.string().optional() },
      setSecret: booleanFlag('set the operator secret'),
      operatorEntry: {
        value: 'name',
        description: 'ask for the secret of an operator with this name, and print their entry for the operators file',
        schema: z.string().optional(),
      },
      json: { ...json, description: 'list as JSON' },
      all: booleanFlag('list all waiting calls'),
    },
    args: [
      { name: '[code]', description: 'code of the call to approve; shows its plan and asks for the operator secret' },
    ],
    examples: [
      { line: 'infra-mcp approve', does: 'list the waiting calls' },
      { line: 'infra-mcp approve C7DR-JQW2', does: 'show the plan of a call and decide' },
      {
        line: 'infra-mcp approve C7DR-JQW2 --refuse --reason "after the sale"',
        does: 'refuse a call, and tell whoever asked why',
      },
      { line: 'infra-mcp approve --set-secret', does: 'set the secret for approving calls' },
      { line: 'infra-mcp approve --operator-entry ada', does: 'print the entry of an operator for the operators file' },
    ],
    run: async ({ config, flags, args: [code] }) => (await import('./approve.ts')).approveCommand(config, code, flags),
  }),
  defineCommand({
    name: 'console',
    summary:
      'serve a console to this machine, for a browser: states, deployments, the calls that wait for approval, and the audit log; print its address as one line of JSON when ready',
    takes: 'console',
    flags: {
      port: {
        value: 'port',
        description: 'port to listen on; 0 picks a free port',
        schema: integerBetween(0, 65_535)().default(0),
      },
    },
    examples: [
      { line: 'infra-mcp console', does: 'serve the console of the default data directory' },
      { line: 'infra-mcp console --data-dir ./data --port 8090', does: 'serve that of another one, on a fixed port' },
    ],
    run: async ({ config, flags }) => (await import('./console.ts')).consoleCommand(config, flags),
  }),
  defineCommand({
    name: 'audit show',
    summary: 'print the newest calls and operator decisions: caller, tool, target, confirmation and outcome',
    takes: 'audit',
    flags: {
      limit: {
        value: 'calls',
        description: 'maximum number of calls to print',
        schema: integerBetween(1, 1_000_000)().default(50),
      },
      json: { ...json, description: 'print one line of JSON for each call' },
    },
    args: files,
    examples: [
      { line: 'infra-mcp audit show --limit 10', does: 'print the ten newest calls' },
      { line: 'infra-mcp audit show --json', does: 'print one line of JSON for each call' },
    ],
    run: async ({ config, flags, args }) => (await import('./audit.ts')).auditShowCommand(config, args, flags),
  }),
  defineCommand({
    name: 'audit verify',
    summary:
      'check that no entry of the log was changed, moved, added or removed; exit code 1 if one was, or if there is no log',
    takes: 'audit',
    flags: { json },
    args: [
      {
        name: '[files...]',
        description:
          'files of a rotated log, oldest first, or data directories of servers that share a database (default: the configured file)',
      },
    ],
    examples: [
      { line: 'infra-mcp audit verify', does: 'check the log of the data directory' },
      { line: 'infra-mcp audit verify audit.1.jsonl audit.jsonl', does: 'check a rotated log' },
      {
        line: 'infra-mcp audit verify /srv/one /srv/two',
        does: 'check the logs of servers that share a database, by their data directories, against what the database knows of them',
      },
    ],
    run: async ({ config, flags, args }) => (await import('./audit.ts')).auditVerifyCommand(config, args, flags),
  }),
];
