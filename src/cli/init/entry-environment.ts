import {
  chosenProfile,
  type Config,
  ConfigError,
  type GivenFlags,
  givenOptions,
  type OptionHelp,
  optionsOf,
  pageLink,
  readConfig,
} from '../config/index.ts';

/** Whether a text is a URL that contains a user or password. */
const holdsPassword = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
};

/** The alternative place for a secret: the file of another option, if one exists. */
const elsewhere = ({ name }: OptionHelp): string => {
  const file = optionsOf('stdio').find((other) => other.name === `${name}File`);
  if (file) return `it can stay in a file: ${file.flag}`;
  return `put it into a profile (${pageLink('profiles')}), or into the environment of the assistant if that hands it on to its servers`;
};

/**
 * The environment that an assistant must pass to the server, from the flags and variables given to `init`. Paths are
 * absolute, because the working directory of assistants is unknown.
 * @throws ConfigError if they are invalid, or contain a secret.
 */
export async function entryEnvironment(
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
): Promise<{
  readonly env: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  readonly config: Config;
}> {
  const { config, warnings } = readConfig('stdio', flags, env, await chosenProfile('stdio', flags, env));
  const given = givenOptions('stdio', flags, env);
  const secrets = given.filter(({ option, text }) => option.secret || holdsPassword(text));
  if (secrets.length > 0) {
    throw new ConfigError(
      secrets
        .map(
          ({ source, option }) =>
            `${source} is secret, and no secret is written into the files of assistants. Unset it; ${elsewhere(option)}.`,
        )
        .join('\n'),
    );
  }
  return {
    env: Object.fromEntries(
      given.map(({ option: { env: name, name: option, value }, text }) => [
        name,
        value === 'path' ? String(config[option]) : text,
      ]),
    ),
    warnings,
    config,
  };
}
