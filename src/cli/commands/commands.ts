import * as z from 'zod';
import { enumListOf, enumOf, integerBetween, type GivenFlags } from '../config/index.ts';
import type { ServerKind } from '../doctor/doctor.ts';
import { permissionLevels } from '../../contract/index.ts';
import { type Command, defineCommand, json, booleanFlag } from './command.ts';
import { backupCommands } from './backup-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { assistants } from '../init/assistants.ts';
import { completionCommand, type Shell, shells } from './shells.ts';

const examinedPlatform = booleanFlag(
  'say which tools work on the configured platform instead; sends GET requests only, and prints nothing secret',
);

const verbose = booleanFlag('show every check and option, not only what needs attention');

const toolNames = async () => (await import('../../../tools/index.ts')).tools.map(({ name }) => name);

const doctor = async (
  server: ServerKind,
  rawFlags: GivenFlags,
  { platform, ...shown }: { platform?: boolean; json?: boolean; verbose?: boolean },
): Promise<void> =>
  platform
    ? (await import('../doctor/tools-on-platform/examine-platform.ts')).doctorPlatformCommand(server, rawFlags, shown)
    : (await import('../doctor/doctor.ts')).doctorCommand(server, rawFlags, shown);

const assistantNames = assistants.map(({ name }) => name) as [string, ...string[]];

/** Groups of commands that share their first word, with a description. */
export const groups: Readonly<Record<string, string>> = {
  token: "manage the tokens of the embedded platform's data directory",
  audit: 'read the audit log',
  node: 'work on the machines of a cluster',
  database: 'back up and restore the data of a PostgreSQL that runs on a Docker engine, with its own tools',
  doctor:
    'check what a server or a platform needs before you start it, and how to fix problems; changes nothing; exit code 1 if there is a problem',
};

/** Every command, in the order of help texts. The code of a command is loaded when it runs. */
export const commands: readonly Command[] = [
  defineCommand({
    name: 'stdio',
    summary: 'serve an MCP client on stdin and stdout (the default)',
    isDefault: true,
    takes: 'stdio',
    examples: [
      { line: 'infra-mcp', does: 'start the server as assistants do, with the embedded platform' },
      { line: 'infra-mcp --read-only', does: 'offer only tools that read' },
    ],
    run: async ({ config }) => (await import('./stdio.ts')).stdioCommand(config),
  }),
  defineCommand({
    name: 'init',
    summary: 'add the server to the assistants on this machine, after showing what it would write',
    examines: 'stdio',
    flags: {
      assistant: {
        value: 'name',
        description: 'only this assistant; separate several with commas or repeat the option',
        schema: enumListOf(assistantNames)().optional(),
        repeatable: true,
      },
      remove: booleanFlag('remove the server from them instead; everything else in their files stays'),
      dryRun: booleanFlag('show what would be written, and write nothing'),
      yes: booleanFlag('write without asking'),
      verbose: booleanFlag('show every entry, and what to add by hand where nothing is written'),
    },
    examples: [
      { line: 'infra-mcp init', does: 'find the assistants, show what would be written, and ask' },
      { line: 'infra-mcp init --assistant cursor --read-only', does: 'add a server that only reads to one of them' },
      {
        line: 'infra-mcp init --base-url https://api.example.com --api-token-file ~/.config/infra-token',
        does: 'add a server for a remote platform',
      },
      { line: 'infra-mcp init --remove', does: 'remove it again' },
    ],
    run: async ({ rawFlags: unread, flags }) => (await import('./init.ts')).initCommand(unread, flags),
  }),
  defineCommand({
    name: 'http',
    summary: 'serve MCP clients over HTTP; print one line of JSON when ready',
    takes: 'http',
    examples: [
      { line: 'infra-mcp http --port 8080', does: 'serve only this machine' },
      {
        line: 'infra-mcp http --keys-file keys.yaml --public-url https://mcp.example.com/mcp',
        does: 'serve callers with a key, behind a proxy',
      },
    ],
    run: async ({ config }) => (await import('./http.ts')).httpCommand(config),
  }),
  defineCommand({
    name: 'key',
    summary:
      'create an API key for HTTP callers; prints the key, which is not shown again, and its entry for the keys file',
    flags: {
      name: { value: 'name', description: 'name of its user, for logs and audit records', schema: z.string() },
      level: {
        value: 'level',
        description: 'permission level; each level includes those before it',
        schema: enumOf(permissionLevels)().default('read'),
      },
      json,
    },
    examples: [{ line: 'infra-mcp key --name ci --level deploy', does: 'create a key for a deployment pipeline' }],
    run: async ({ flags }) => (await import('./key.ts')).keyCommand(flags),
  }),
  defineCommand({
    name: 'platform',
    summary: 'serve the embedded platform over HTTP; print one line of JSON when ready',
    takes: 'platform',
    flags: {
      printUnit: booleanFlag(
        'print a systemd unit that keeps a platform with these options running, and start nothing',
      ),
    },
    examples: [
      { line: 'infra-mcp platform --data-dir ./data --port 7070', does: 'serve a platform on a fixed port' },
      { line: 'infra-mcp platform --time-scale 0.05', does: 'deploy twenty times faster' },
      {
        line: 'infra-mcp platform --scenario bad-image-tag --scenario out-of-memory',
        does: 'add failures for an assistant to diagnose',
      },
      { line: 'infra-mcp platform --runtime docker --print-unit', does: 'print the unit with which systemd runs it' },
    ],
    run: async ({ config, flags: { printUnit }, rawFlags }) =>
      printUnit
        ? (await import('../systemd/print-unit.ts')).printUnitCommand(config, rawFlags)
        : (await import('./platform.ts')).platformCommand(config),
  }),
  defineCommand({
    name: 'token create',
    summary: 'create a token and print it; it is not shown again',
    takes: 'token',
    flags: {
      name: { value: 'name', description: 'name of its user', schema: z.string() },
      permission: {
        value: 'level',
        description: 'permission level; each level includes those before it',
        schema: enumOf(permissionLevels)(),
      },
      ttl: {
        value: 'seconds',
        description: 'time until it expires, in seconds',
        schema: integerBetween(1, 1_000_000_000, 'seconds')().optional(),
      },
      member: {
        value: 'email',
        description: 'member whose token it is; it is revoked when they are removed',
        schema: z.string().optional(),
      },
      jwt: booleanFlag('create a JWT for the Bearer scheme'),
      json,
    },
    examples: [
      { line: 'infra-mcp token create --name ci --permission deploy', does: 'create a token that can deploy' },
      {
        line: 'infra-mcp token create --name visitor --permission read --ttl 3600',
        does: 'create a token that can read for an hour',
      },
    ],
    run: async ({ config, flags: { ttl, ...flags } }) =>
      (await import('./token.ts')).tokenCreateCommand(config, { ...flags, ttlSeconds: ttl }, flags),
  }),
  defineCommand({
    name: 'token list',
    summary: 'list the tokens, without their values',
    takes: 'token',
    flags: { json },
    examples: [{ line: 'infra-mcp token list', does: 'show all tokens and when they were last used' }],
    run: async ({ config, flags }) => (await import('./token.ts')).tokenListCommand(config, flags),
  }),
  defineCommand({
    name: 'token revoke',
    summary: 'revoke a token at once',
    takes: 'token',
    flags: { json },
    args: [{ name: '<id-or-name>', description: 'id of the token, or its name if no other live token has it' }],
    examples: [{ line: 'infra-mcp token revoke ci', does: 'revoke the token named ci' }],
    run: async ({ config, args, flags }) => (await import('./token.ts')).tokenRevokeCommand(config, args[0]!, flags),
  }),
  ...backupCommands,
  defineCommand({
    name: 'node drain',
    summary:
      "move the services of a node to others, where they start before they end on it, and drain it; says first what can't move; can be run again after it was interrupted",
    takes: 'node',
    flags: {
      force: booleanFlag(
        "drain it although services can't run elsewhere: they end with it, and wait until it is active again",
      ),
      json,
    },
    args: [{ name: '<node>', description: 'name of the node, or its id' }],
    examples: [
      { line: 'infra-mcp node drain node-2', does: 'empty a node of the swarm of this machine before it is updated' },
      { line: 'infra-mcp node drain node-2 --force', does: 'empty it although a database has its storage there' },
    ],
    run: async ({ config, args: [node], flags }) => (await import('./node.ts')).nodeDrainCommand(config, node!, flags),
  }),
  defineCommand({
    name: 'tools',
    summary: 'list the tools with their risk and the token permission they need, or show one tool in detail',
    takes: 'tools',
    flags: { json },
    args: [{ name: '[tool]', description: 'show this tool and its arguments', words: toolNames }],
    examples: [
      { line: 'infra-mcp tools', does: 'list the offered tools' },
      { line: 'infra-mcp tools stop_environment', does: 'show one tool in detail' },
      { line: 'infra-mcp tools --read-only --json', does: 'list the tools of read-only mode as JSON' },
    ],
    run: async ({ config, args: [tool], flags }) => (await import('./tools.ts')).toolsCommand(config, tool, flags),
  }),
  defineCommand({
    name: 'doctor stdio',
    summary: 'check the server on stdin and stdout (the default)',
    isDefault: true,
    examines: 'stdio',
    flags: { platform: examinedPlatform, verbose, json },
    examples: [
      { line: 'infra-mcp doctor', does: 'check the default setup' },
      {
        line: 'infra-mcp doctor --base-url https://api.example.com --api-token-file token',
        does: 'check a remote platform and its token',
      },
      {
        line: 'infra-mcp doctor --platform --base-url https://api.example.com --api-token-file token',
        does: 'see which tools work on a remote platform',
      },
      { line: 'infra-mcp doctor --verbose', does: 'show every check and every option' },
      { line: 'infra-mcp doctor --json', does: 'print the result as JSON' },
    ],
    run: async ({ rawFlags: unread, flags }) => doctor('stdio', unread, flags),
  }),
  defineCommand({
    name: 'doctor http',
    summary: 'check the HTTP server, with its port and authentication',
    examines: 'http',
    flags: { platform: examinedPlatform, verbose, json },
    examples: [{ line: 'infra-mcp doctor http --port 8080', does: 'check that the server can listen on a port' }],
    run: async ({ rawFlags: unread, flags }) => doctor('http', unread, flags),
  }),
  defineCommand({
    name: 'doctor platform',
    summary:
      'check the Docker engines that services are to run on, and what they need; changes nothing, except that it begins an upload to the registry and cancels it, and removes the containers through which it reaches agents',
    examines: 'doctor platform',
    flags: { verbose, json },
    examples: [
      {
        line: 'infra-mcp doctor platform --engine unix:///var/run/docker.sock',
        does: 'check the engine of this machine',
      },
      {
        line: 'infra-mcp doctor platform --engine tcp://engine.example.com:2376 --engine-tls-dir certificates',
        does: 'check the engine of another machine',
      },
      {
        line: 'infra-mcp doctor platform --clusters-file clusters.yaml --data-dir ./data',
        does: 'check every engine of a clusters file, and find what no record knows',
      },
    ],
    run: async ({ rawFlags: unread, flags }) =>
      (await import('../doctor/clusters.ts')).doctorClustersCommand(unread, flags),
  }),
  ...operatorCommands,
  defineCommand({
    name: 'completion',
    summary: 'print a completion script for a shell',
    args: [{ name: '<shell>', description: shells.join(', '), schema: enumOf(shells)() }],
    examples: [
      { line: 'infra-mcp completion bash', does: 'for ~/.bashrc: eval "$(infra-mcp completion bash)"' },
      { line: 'infra-mcp completion fish', does: 'for ~/.config/fish/config.fish: infra-mcp completion fish | source' },
    ],
    run: async ({ args: [shell] }) => completionCommand(shell as Shell),
  }),
];
