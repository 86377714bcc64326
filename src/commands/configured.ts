import { type CommandName, type Config, readConfig } from '../config.ts';

/**
 * Runs a command with its configuration; warnings are told on stderr.
 * @throws ConfigError naming every option that is wrong.
 */
export async function configured(name: CommandName, flags: Readonly<Record<string, string | true | undefined>>, run: (config: Config) => Promise<void>): Promise<void> {
  const { config, warnings } = readConfig(name, flags, process.env);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  await run(config);
}
