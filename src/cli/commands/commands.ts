import * as z from 'zod';
import { enumOf, integerBetween } from '../config/read-config.ts';
import { permissionLevels } from '../../contract/operation.ts';
import { type Command, defineCommand, json, booleanFlag } from './command.ts';
import { type Shell, shells } from './shells.ts';

const files = [{ name: '[files...]', description: 'files of the log, oldest first, where it was moved away (default: the configured one)' }];

const toolNames = async () => (await import('../../../tools/index.ts')).tools.map(({ name }) => name);

/** The name that goes before the others where commands share their first word, and what they have in common. */
export const groups: Readonly<Record<string, string>> = {
  token: "manage the tokens of the embedded platform's data directory",
  audit: 'read the audit log',
  doctor: 'look at what a server needs before it is started, and say what to do; changes nothing; exit code 1 when something is wrong',
};

/** Every command, in the order of help texts. The code of one is loaded when it runs. */
export const commands: readonly Command[] = [
  defineCommand({
    name: 'stdio',
    summary: 'serve an MCP client on stdin and stdout (the default)',
    isDefault: true,
    takes: 'stdio',
    examples: [
      { line: 'infra-mcp', does: 'the server as assistants start it, with the embedded platform' },
      { line: 'infra-mcp --read-only', does: 'the same, with nothing but the tools that read' },
    ],
    run: async ({ config }) => (await import('./stdio.ts')).stdioCommand(config),
  }),
  defineCommand({
    name: 'http',
    summary: 'serve MCP clients over HTTP, and print one line of JSON when it is ready',
    takes: 'http',
    examples: [
      { line: 'infra-mcp http --port 8080', does: 'for this machine only' },
      { line: 'infra-mcp http --keys-file keys.yaml --public-url https://mcp.example.com/mcp', does: 'for whoever brings a key, behind a proxy' },
    ],
    run: async ({ config }) => (await import('./http.ts')).httpCommand(config),
  }),
  defineCommand({
    name: 'key',
    summary: 'make a key for callers over HTTP: prints it, this once, and the entry for the keys file',
    flags: {
      name: { value: 'name', description: 'who will use it, in logs and records', schema: z.string() },
      level: {
        value: 'level', description: 'what it may call, each level including those before it', schema: enumOf(permissionLevels)().default('read'),
      },
      json,
    },
    examples: [{ line: 'infra-mcp key --name ci --level deploy', does: 'a key for a pipeline that deploys' }],
    run: async ({ flags }) => (await import('./key.ts')).keyCommand(flags),
  }),
  defineCommand({
    name: 'platform',
    summary: 'serve the embedded platform over HTTP, and print one line of JSON when it is ready',
    takes: 'platform',
    examples: [
      { line: 'infra-mcp platform --data-dir ./data --port 7070', does: 'a platform at an address of its own' },
      { line: 'infra-mcp platform --time-scale 0.05', does: 'one that deploys twenty times faster' },
      { line: 'infra-mcp platform --scenario bad-image-tag --scenario out-of-memory', does: 'one with failures to try an assistant on' },
    ],
    run: async ({ config }) => (await import('./platform.ts')).platformCommand(config),
  }),
  defineCommand({
    name: 'token create',
    summary: 'create a token and print it, this once',
    takes: 'token',
    flags: {
      name: { value: 'name', description: 'who or what will use it', schema: z.string() },
      permission: { value: 'level', description: 'what it may do, each level including those before it', schema: enumOf(permissionLevels)() },
      ttl: { value: 'seconds', description: 'seconds until it expires', schema: integerBetween(1, 1_000_000_000)().optional() },
      jwt: booleanFlag('make it a JWT, for the Bearer scheme'),
      json,
    },
    examples: [
      { line: 'infra-mcp token create --name ci --permission deploy', does: 'a token that may deploy' },
      { line: 'infra-mcp token create --name visitor --permission read --ttl 3600', does: 'one that reads, for an hour' },
    ],
    run: async ({ config, flags: { ttl, ...flags } }) => (await import('./token.ts')).tokenCreateCommand(config, { ...flags, ttlSeconds: ttl }, flags),
  }),
  defineCommand({
    name: 'token list',
    summary: 'list the tokens, without their values',
    takes: 'token',
    flags: { json },
    examples: [{ line: 'infra-mcp token list', does: 'who has a token, and when it was last used' }],
    run: async ({ config, flags }) => (await import('./token.ts')).tokenListCommand(config, flags),
  }),
  defineCommand({
    name: 'token revoke',
    summary: 'revoke a token at once',
    takes: 'token',
    flags: { json },
    args: [{ name: '<id-or-name>', description: 'its id, or a name that only one live token has' }],
    examples: [{ line: 'infra-mcp token revoke ci', does: 'the token named ci lets nobody in any more' }],
    run: async ({ config, args, flags }) => (await import('./token.ts')).tokenRevokeCommand(config, args[0]!, flags),
  }),
  defineCommand({
    name: 'backup',
    summary: "copy the embedded platform's records into a backup in the data directory, also while it serves",
    takes: 'backup',
    flags: { json },
    args: [{ name: '[name]', description: 'what to call it: letters, digits, dots, dashes and underscores (default: the time)' }],
    examples: [
      { line: 'infra-mcp backup', does: 'a backup named after the time' },
      { line: 'infra-mcp backup before-upgrade', does: 'one with a name of your own' },
    ],
    run: async ({ config, args: [name], flags }) => (await import('./backup.ts')).backupCommand(config, name, flags),
  }),
  defineCommand({
    name: 'restore',
    summary: 'bring back a backup, all or nothing, while no process serves the data directory; without a name, list the backups',
    takes: 'restore',
    flags: { json },
    args: [{ name: '[name]', description: 'the backup to bring back' }],
    examples: [
      { line: 'infra-mcp restore', does: 'the backups there are' },
      { line: 'infra-mcp restore before-upgrade', does: 'everything as it was then; tokens stay as they are' },
    ],
    run: async ({ config, args: [name], flags }) => (await import('./restore.ts')).restoreCommand(config, name, flags),
  }),
  defineCommand({
    name: 'tools',
    summary: 'print the tools: what each does to the platform, and the token permission it needs; or all about one',
    takes: 'tools',
    flags: { json },
    args: [{ name: '[tool]', description: 'tell all about this one, its arguments too', words: toolNames }],
    examples: [
      { line: 'infra-mcp tools', does: 'what an assistant is offered' },
      { line: 'infra-mcp tools stop_environment', does: 'all about one' },
      { line: 'infra-mcp tools --read-only --json', does: 'what it would be offered read-only, for a program' },
    ],
    run: async ({ config, args: [tool], flags }) => (await import('./tools.ts')).toolsCommand(config, tool, flags),
  }),
  defineCommand({
    name: 'doctor stdio',
    summary: 'look at what the server on stdin and stdout needs (the default)',
    isDefault: true,
    examines: 'stdio',
    flags: { json },
    examples: [
      { line: 'infra-mcp doctor', does: 'is everything as it should be?' },
      { line: 'infra-mcp doctor --base-url https://api.example.com --api-token-file token', does: 'can that platform be worked with?' },
      { line: 'infra-mcp doctor --json', does: 'the same, for a program' },
    ],
    run: async ({ rawFlags: unread, flags }) => (await import('../doctor/doctor.ts')).doctorCommand('stdio', unread, flags),
  }),
  defineCommand({
    name: 'doctor http',
    summary: 'look at what the server over HTTP needs, the port and the callers too',
    examines: 'http',
    flags: { json },
    examples: [{ line: 'infra-mcp doctor http --port 8080', does: 'could it listen there?' }],
    run: async ({ rawFlags: unread, flags }) => (await import('../doctor/doctor.ts')).doctorCommand('http', unread, flags),
  }),
  defineCommand({
    name: 'approve',
    summary: 'list the calls that wait for approval, or approve one in a terminal',
    takes: 'approve',
    flags: { refuse: booleanFlag('refuse it instead'), setSecret: booleanFlag('set the operator secret'), json: { ...json, description: 'list as JSON' }, all: booleanFlag('list all of them, however many wait') },
    args: [{ name: '[code]', description: 'approve the call under this code: shows its plan, and asks for the operator secret' }],
    examples: [
      { line: 'infra-mcp approve', does: 'what waits' },
      { line: 'infra-mcp approve K7QM', does: 'see the plan of one call, and decide' },
      { line: 'infra-mcp approve --set-secret', does: 'set the secret that approving needs' },
    ],
    run: async ({ config, flags, args: [code] }) => (await import('./approve.ts')).approveCommand(config, code, flags),
  }),
  defineCommand({
    name: 'audit show',
    summary: 'print the newest calls, and what the operator decided: who did what, how it was agreed to, and what came of it',
    takes: 'audit',
    flags: {
      limit: { value: 'calls', description: 'most calls to print', schema: integerBetween(1, 1_000_000)().default(50) },
      json: { ...json, description: 'print a line of JSON for each' },
    },
    args: files,
    examples: [
      { line: 'infra-mcp audit show --limit 10', does: 'the ten newest calls' },
      { line: 'infra-mcp audit show --json', does: 'a line of JSON for each call, for a program' },
    ],
    run: async ({ config, flags, args }) => (await import('./audit.ts')).auditShowCommand(config, args, flags),
  }),
  defineCommand({
    name: 'audit verify',
    summary: 'check that nothing in the log was changed, moved, added or taken out; exit code 1 when something was',
    takes: 'audit',
    flags: { json },
    args: files,
    examples: [
      { line: 'infra-mcp audit verify', does: 'the log of the data directory' },
      { line: 'infra-mcp audit verify audit.1.jsonl audit.jsonl', does: 'with the older part that was moved away' },
    ],
    run: async ({ config, flags, args }) => (await import('./audit.ts')).auditVerifyCommand(config, args, flags),
  }),
  defineCommand({
    name: 'completion',
    summary: 'print what teaches a shell to complete commands and flags',
    args: [{ name: '<shell>', description: shells.join(', '), schema: enumOf(shells)() }],
    examples: [
      { line: 'infra-mcp completion bash', does: 'for ~/.bashrc: eval "$(infra-mcp completion bash)"' },
      { line: 'infra-mcp completion fish', does: 'for ~/.config/fish/config.fish: infra-mcp completion fish | source' },
    ],
    run: async ({ args: [shell] }) => (await import('./completion.ts')).completionCommand(shell as Shell),
  }),
];
