import { chosenProfile, type CommandName, type Config, type GivenFlags, readConfig } from '../config/read-config.ts';

/**
 * Runs a command with its configuration; warnings are told on stderr.
 * @throws ConfigError naming every option that is wrong, Error naming a scenario or profile that there isn't.
 */
export async function runWithConfig(name: CommandName, flags: GivenFlags, run: (config: Config) => Promise<void>): Promise<void> {
  const { config, warnings } = readConfig(name, flags, process.env, await chosenProfile(name, flags, process.env));
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  // Here, not when the platform is first needed: whoever started it still looks.
  if (config.scenario) (await import('../../platform/testing/scenarios/scenarios.ts')).scenariosNamed(config.scenario);
  await run(config);
}
