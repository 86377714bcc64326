import { type CommandName, flagOf } from './fields.ts';
import { serviceLinksIn } from './service-links.ts';
import { flagNameOf, optionHelp, optionsOf, type OptionHelp, type OptionName } from './option-help.ts';

/** The option values of a profile, by their names in the profiles file. */
export interface Profile {
  readonly name: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** The flags of a command line by name; `true` for a flag without a value. */
export type GivenFlags = Readonly<Record<string, string | true | undefined>>;

/** An option that is set. */
export interface GivenOption {
  readonly option: OptionHelp;
  /** The flag, environment variable or profile that sets it. */
  readonly source: string;
  readonly text: string;
}

/**
 * The options set by flags and environment variables. A flag takes precedence over the variable. Variables that
 * Kubernetes sets about Services don't count.
 */
export const directlyGiven = (command: CommandName, flags: GivenFlags, env: NodeJS.ProcessEnv): GivenOption[] => {
  const links = serviceLinksIn(env);
  return optionsOf(command).flatMap((option) => {
    const flag = flags[flagNameOf(option.name)];
    if (flag !== undefined) return [{ option, source: option.flag!, text: String(flag) }];
    const variable =
      env[option.env] === undefined && option.foreignEnv !== undefined && env[option.foreignEnv] !== ''
        ? option.foreignEnv
        : option.env;
    const text = env[variable];
    return text === undefined || links.has(variable) ? [] : [{ option, source: variable, text }];
  });
};

/** The name of an option in profiles: the name of its flag without dashes. */
const profileNameOf = (option: OptionHelp): string => flagOf(flagNameOf(option.name)).slice(2);

const profileSelectors: readonly OptionName[] = ['profile', 'profilesFile'];

/** The options that profiles can set, by their names there: all options of servers. */
export const profileOptions: ReadonlyMap<string, OptionHelp> = new Map(
  optionHelp
    .filter(
      ({ commands, name }) =>
        (commands.includes('stdio') || commands.includes('http')) && !profileSelectors.includes(name),
    )
    .map((option) => [profileNameOf(option), option]),
);

const setByProfile = (command: CommandName, { name, texts }: Profile): GivenOption[] =>
  Object.entries(texts).flatMap(([key, text]) => {
    const option = profileOptions.get(key);
    return option?.commands.includes(command) ? [{ option, source: `${key} in the profile ${name}`, text }] : [];
  });

/** The options that choose the platform and its token. */
const connectionOptions: readonly OptionName[] = ['baseUrl', 'apiToken', 'apiTokenFile'];

/**
 * The options of a command that are set by flags, environment or profile. A flag takes precedence over its environment
 * variable.
 */
export const givenOptions = (
  command: CommandName,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
  profile?: Profile,
): readonly GivenOption[] => [
  ...directlyGiven(command, flags, env),
  ...(profile ? setByProfile(command, profile) : []),
];

/** Options that conflict with the profile, one line each. Neither source takes precedence over the other. */
export const profileConflicts = (
  command: CommandName,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
  { name, texts }: Profile,
): readonly string[] =>
  directlyGiven(command, flags, env).flatMap(({ option, source }) => {
    const key = profileNameOf(option);
    if (Object.hasOwn(texts, key)) return [`${source} is set, and the profile ${name} sets ${key} too. Remove one.`];
    return connectionOptions.includes(option.name)
      ? [
          `${source} is set in addition to the profile ${name}. The platform and its token must come from the same source: unset it, or don't use the profile.`,
        ]
      : [];
  });
