import { type CommandName, flagOf } from './fields.ts';
import { flagNameOf, optionHelp, optionsOf, type OptionHelp, type OptionName } from './option-help.ts';

/** Options that a profile gives, by the names they have in profiles. */
export interface Profile {
  readonly name: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** What a command line has for each flag, by name as written; true for a flag that takes no value. */
export type GivenFlags = Readonly<Record<string, string | true | undefined>>;

/** An option that was given. */
export interface GivenOption {
  readonly option: OptionHelp;
  /** The flag, the variable or the profile that gave it. */
  readonly source: string;
  readonly text: string;
}

/** What flags and environment give. */
export const directlyGiven = (command: CommandName, flags: GivenFlags, env: NodeJS.ProcessEnv): GivenOption[] =>
  optionsOf(command).flatMap((option) => {
    const flag = flags[flagNameOf(option.name)];
    const source = flag === undefined ? option.env : option.flag!;
    const text = flag === undefined ? env[option.env] : String(flag);
    return text === undefined ? [] : [{ option, source, text }];
  });

/** The name that an option has in profiles: that of its flag, where it has one. */
const profileNameOf = (option: OptionHelp): string => flagOf(flagNameOf(option.name)).slice(2);

const profileSelectors: readonly OptionName[] = ['profile', 'profilesFile'];

/** The options that profiles can give, by their names there: all that servers take. */
export const profileOptions: ReadonlyMap<string, OptionHelp> = new Map(
  optionHelp
    .filter(({ commands, name }) => (commands.includes('stdio') || commands.includes('http')) && !profileSelectors.includes(name))
    .map((option) => [profileNameOf(option), option]),
);

const givenByProfile = (command: CommandName, { name, texts }: Profile): GivenOption[] =>
  Object.entries(texts).flatMap(([key, text]) => {
    const option = profileOptions.get(key);
    return option?.commands.includes(command) ? [{ option, source: `${key} in the profile ${name}`, text }] : [];
  });

/** Where the platform is and what it is called with. */
const connectionOptions: readonly OptionName[] = ['baseUrl', 'apiToken', 'apiTokenFile'];

/** What of a command's options is given and where, a flag winning over the environment. */
export const givenOptions = (command: CommandName, flags: GivenFlags, env: NodeJS.ProcessEnv, profile?: Profile): readonly GivenOption[] => [
  ...directlyGiven(command, flags, env),
  ...(profile ? givenByProfile(command, profile) : []),
];

/** What is given beside a profile and may not be, one line each: in doubt which of two counts, neither does. */
export const profileConflicts = (command: CommandName, flags: GivenFlags, env: NodeJS.ProcessEnv, { name, texts }: Profile): readonly string[] =>
  directlyGiven(command, flags, env).flatMap(({ option, source }) => {
    const key = profileNameOf(option);
    if (Object.hasOwn(texts, key)) return [`${source} is given, and the profile ${name} gives ${key} too. Leave one out.`];
    return connectionOptions.includes(option.name) ? [`${source} is given beside the profile ${name}. A platform and its token come from one place: unset it, or leave the profile out.`] : [];
  });
