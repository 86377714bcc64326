import { dirname } from 'node:path';
import { ConfigError, type Config, type GivenFlags, givenOptions, type OptionName } from '../config/index.ts';
import { type Launch, launchOf } from '../init/launch.ts';
import { wrapped } from '../terminal/lines.ts';
import { isInHome, isTemporary, pathsOf, secretsFile, unitText, type UnitSettings, unitUser } from './unit-text.ts';

const dataFolder = `/var/lib/${unitUser}`;

const defaultPort = 8090;

/** What a service needs that a terminal doesn't: a place of its own, a port that stays, and no token in the journal. */
const defaults: Readonly<Partial<Record<OptionName, readonly [variable: string, value: (dataDir: string) => string]>>> =
  {
    dataDir: ['INFRA_DATA_DIR', () => dataFolder],
    port: ['INFRA_PLATFORM_PORT', () => String(defaultPort)],
    tokenFile: ['INFRA_PLATFORM_TOKEN_FILE', (dataDir) => `${dataDir}/admin.token`],
  };

/**
 * The unit of a platform with these options.
 * @throws ConfigError that names the options that are secret
 */
export function unitSettings(config: Config, flags: GivenFlags, env: NodeJS.ProcessEnv, launch: Launch): UnitSettings {
  const given = givenOptions('platform', flags, env);
  const secret = given.filter(({ option }) => option.secret);
  if (secret.length > 0)
    throw new ConfigError(
      secret
        .map(
          ({ source, option }) =>
            `${source} is secret, and everybody can read a unit. Put ${option.env} into ${secretsFile}, which the unit reads, and unset it here.`,
        )
        .join('\n'),
    );
  const names = given.map(({ option }) => option.name);
  const dataDir = names.includes('dataDir') ? config.dataDir : dataFolder;
  const keysDir = names.includes('keysDir') ? [config.keysDir] : [];
  const tokenFile = config.tokenFile === undefined ? [] : [dirname(config.tokenFile)];
  const missing = Object.entries(defaults).filter(([name]) => !names.includes(name as OptionName));
  return {
    launch,
    environment: {
      ...Object.fromEntries(missing.map(([, [variable, value]]) => [variable, value(dataDir)])),
      ...Object.fromEntries(
        given.map(({ option: { env: variable, name, value }, text }) => [
          variable,
          value === 'path' ? String(config[name]) : text,
        ]),
      ),
    },
    writable: [dataDir, ...keysDir, ...tokenFile],
    read: given.flatMap(({ option: { name, value } }) => (value === 'path' ? [String(config[name])] : [])),
    ports: [
      names.includes('port') ? config.port : defaultPort,
      ...[config.metricsPort].filter((port) => port !== undefined),
    ],
    usesDocker: config.runtime === 'docker' || config.clustersFile !== undefined,
  };
}

/** What may keep the unit from working, in sentences. */
function warningsOf(settings: UnitSettings): readonly string[] {
  const { command, args } = settings.launch;
  const program = [command, ...args].find(isInHome);
  const temporary = [...new Set(pathsOf(settings))].filter(isTemporary);
  return [
    ...(program === undefined
      ? []
      : [
          `${program} is in a home folder, which the user ${unitUser} may not be able to read. Install the program for everybody, and print the unit with that one.`,
        ]),
    ...(temporary.length === 0
      ? []
      : [
          `${temporary.join(', ')}: a folder for temporary files is emptied when the machine starts, if not before. Name another place. Until then, the unit has PrivateTmp=no, so that the platform finds what is there.`,
        ]),
  ];
}

/** `infra-mcp platform --print-unit`: prints a unit of systemd that starts the platform with the given options. */
export function printUnitCommand(config: Config, flags: GivenFlags): void {
  const launch = launchOf();
  if (!launch.command.startsWith('/'))
    throw new Error(
      'npx keeps the program in a cache, from which no service should start it. Install it: npm install -g infra-mcp.',
    );
  const settings = unitSettings(config, flags, process.env, launch);
  for (const warning of warningsOf(settings)) process.stderr.write(wrapped(`warning: ${warning}\n`, process.stderr));
  process.stdout.write(unitText(settings));
}
