import { proxyWarnings } from '../../outgoing/index.ts';
import { chosenProfile, type CommandName, type Config, type GivenFlags, readConfig } from '../config/index.ts';
import { openSecretWarnings } from './open-secret-files.ts';

/**
 * Runs a command with its configuration. Writes warnings to stderr.
 * @throws ConfigError that names every invalid option.
 * @throws Error that names an unknown scenario or profile.
 */
export async function runWithConfig(
  name: CommandName,
  flags: GivenFlags,
  run: (config: Config) => Promise<void>,
): Promise<void> {
  const { config, warnings } = readConfig(name, flags, process.env, await chosenProfile(name, flags, process.env));
  for (const warning of [...warnings, ...openSecretWarnings(config), ...proxyWarnings()])
    process.stderr.write(`warning: ${warning}\n`);
  // Checked now, not with the first call, so that the user who starts the program sees the error.
  if (config.scenario) (await import('../../platform/testing/scenarios/scenarios.ts')).scenariosNamed(config.scenario);
  await run(config);
}
