import { type CommandName, flagOf, type Option, type ValueOf } from './fields.ts';
import { httpOptions } from './http-options.ts';
import { options, scopeOptions, testingOptions } from './options.ts';

/** Every option. The flag is the member's name, unless it says otherwise. */
const allOptions = { ...options, ...scopeOptions, ...testingOptions, ...httpOptions };
export type OptionName = keyof typeof allOptions;

/** The values of every option. */
export type OptionValues = { readonly [Name in OptionName]: ValueOf<(typeof allOptions)[Name]> };

/** One option as help texts and documents show it. */
export interface OptionHelp extends Option {
  readonly name: OptionName;
  /** `--data-dir`; absent where only the environment gives it. */
  readonly flag?: string;
  /** What holds when it isn't given, in words; absent when nothing does. */
  readonly defaultText?: string;
}

/** The name of an option's flag as commands know it: `dataDir` → `--data-dir`. */
export const flagNameOf = (name: OptionName): string => allOptions[name].flagName ?? name;

const helpOf = (name: OptionName): OptionHelp => {
  const option: Option = allOptions[name];
  const otherwise = option.fallback ?? option.defaultValue;
  return {
    ...option, name,
    ...(!option.environmentOnly && { flag: flagOf(flagNameOf(name)) }),
    ...(otherwise !== undefined && { defaultText: `${otherwise as string | number | boolean}` }),
  };
};

/** Every option, in the order of documents. */
export const optionHelp: readonly OptionHelp[] = (Object.keys(allOptions) as OptionName[]).map(helpOf);

/** The options that a command takes. */
export const optionsOf = (command: CommandName): readonly OptionHelp[] => optionHelp.filter(({ commands }) => commands.includes(command));
