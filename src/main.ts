import { Command, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { type CommandName, type Config, type OptionHelp, optionsOf, readConfig } from './config.ts';
import { permissionLevels } from './contract/operation.ts';

type Flags = Readonly<Record<string, string | true | undefined>>;

const told = ({ description, env, otherwise }: OptionHelp): string =>
  `${description} (env: ${env}${otherwise === undefined ? '' : `; default: ${otherwise}`})`;

/** Gives a command the options that the configuration has for it. */
const withOptions = (command: Command, name: CommandName): Command => {
  for (const option of optionsOf(name)) {
    if (option.flag) command.addOption(new Option(option.value ? `${option.flag} <${option.value}>` : option.flag, told(option)));
  }
  const unflagged = optionsOf(name).filter(({ flag }) => !flag);
  if (unflagged.length > 0) command.addHelpText('after', `\nBy environment only:\n${unflagged.map((option) => `  ${option.env}  ${option.description}`).join('\n')}`);
  return command;
};

/** Runs a command with its configuration; warnings are told on stderr. */
const withConfig = async (name: CommandName, flags: Flags, run: (config: Config) => Promise<void>): Promise<void> => {
  const { config, warnings } = readConfig(name, flags, process.env);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  await run(config);
};

const program = new Command('infra-mcp')
  .description(manifest.description)
  .version(manifest.version)
  .showHelpAfterError('(infra-mcp --help lists the commands, infra-mcp <command> --help its options)')
  .addHelpText('after', '\nThe options of stdio may also be given without naming it: infra-mcp --read-only');

withOptions(program.command('stdio', { isDefault: true }), 'stdio')
  .description('serve an MCP client on stdin and stdout (the default)')
  .allowExcessArguments()
  .action((flags: Flags, { args: [unknown] }: Command) => {
    if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
    return withConfig('stdio', flags, async (config) => (await import('./commands/stdio.ts')).stdio(config));
  });

withOptions(program.command('http'), 'http')
  .description('serve MCP clients over HTTP, and print one line of JSON when it is ready')
  .action((flags: Flags) => withConfig('http', flags, async (config) => (await import('./commands/http.ts')).http(config)));

program.command('key')
  .description('make a key for callers over HTTP: prints it, this once, and the entry for the keys file')
  .requiredOption('--name <name>', 'who will use it, in logs and records')
  .addOption(new Option('--level <level>', 'what it may call, each level including those before it').choices(permissionLevels).default('read'))
  .action(async ({ name, level }) => (await import('./commands/key.ts')).key({ name, level }));

withOptions(program.command('platform'), 'platform')
  .description('serve the embedded platform over HTTP, and print one line of JSON when it is ready')
  .action((flags: Flags) => withConfig('platform', flags, async (config) => (await import('./commands/platform.ts')).platform(config)));

const token = program.command('token').description("manage the tokens of the embedded platform's data directory");

withOptions(token.command('create'), 'token')
  .description('create a token and print it, this once')
  .requiredOption('--name <name>', 'who or what will use it')
  .addOption(new Option('--permission <level>', 'what it may do, each level including those before it').choices(permissionLevels).makeOptionMandatory())
  .option('--ttl <seconds>', 'seconds until it expires', Number)
  .option('--jwt', 'make it a JWT, for the Bearer scheme')
  .action(({ name, permission, ttl, jwt, ...flags }) =>
    withConfig('token', flags, async (config) =>
      (await import('./commands/token.ts')).create(config, { name, permission, ttlSeconds: ttl, jwt })));

withOptions(token.command('list'), 'token')
  .description('list the tokens, without their values')
  .option('--json', 'print JSON')
  .action(({ json, ...flags }) => withConfig('token', flags, async (config) => (await import('./commands/token.ts')).list(config, { json })));

withOptions(token.command('revoke'), 'token')
  .description('revoke a token at once')
  .argument('<id-or-name>')
  .action((idOrName: string, flags: Flags) =>
    withConfig('token', flags, async (config) => (await import('./commands/token.ts')).revoke(config, idOrName)));

withOptions(program.command('tools'), 'tools')
  .description('print the tools: what each does to the platform, and the token permission it needs')
  .option('--json', 'print JSON')
  .action(({ json, ...flags }) => withConfig('tools', flags, async (config) => (await import('./commands/tools.ts')).tools(config, { json })));

withOptions(program.command('approve'), 'approve')
  .description('list the calls that wait for approval, or approve one in a terminal')
  .argument('[code]', 'approve the call under this code: shows its plan, and asks for the operator secret')
  .option('--refuse', 'refuse it instead')
  .option('--set-secret', 'set the operator secret')
  .option('--json', 'list as JSON')
  .action((code: string | undefined, { refuse, setSecret, json, ...flags }) =>
    withConfig('approve', flags, async (config) => (await import('./commands/approve.ts')).approve(config, code, { refuse, setSecret, json })));

const audit = program.command('audit').description('read the audit log');
const auditFiles = 'files of the log, oldest first, where it was moved away (default: the configured one)';

withOptions(audit.command('show'), 'audit')
  .description('print the newest calls: who did what, how it was agreed to, and what came of it')
  .argument('[files...]', auditFiles)
  .addOption(new Option('--limit <calls>', 'most calls to print').argParser(Number).default(50))
  .option('--json', 'print a line of JSON for each')
  .action((files: string[], { limit, json, ...flags }) =>
    withConfig('audit', flags, async (config) => (await import('./commands/audit.ts')).show(config, files, { limit, json })));

withOptions(audit.command('verify'), 'audit')
  .description('check that nothing in the log was changed, moved, added or taken out; exit code 1 when something was')
  .argument('[files...]', auditFiles)
  .option('--json', 'print JSON')
  .action((files: string[], { json, ...flags }) =>
    withConfig('audit', flags, async (config) => (await import('./commands/audit.ts')).verify(config, files, { json })));

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`infra-mcp: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
