import { type CommandName, flagOf, type Option, type ValueOf } from './fields.ts';
import { httpOptions } from './http-options.ts';
import { options } from './options.ts';
import { scopeOptions } from './scope-options.ts';
import { testingOptions } from './testing-options.ts';

/** Every option. The flag is the member's name, unless it says otherwise. */
const all = { ...options, ...scopeOptions, ...testingOptions, ...httpOptions };
export type OptionName = keyof typeof all;

/** The values of every option. */
export type Values = { readonly [Name in OptionName]: ValueOf<(typeof all)[Name]> };

/** One option as help texts and documents show it. */
export interface OptionHelp extends Option {
  readonly name: OptionName;
  /** `--data-dir`; absent where only the environment gives it. */
  readonly flag?: string;
  /** What holds when it isn't given, in words; absent when nothing does. */
  readonly otherwise?: string;
}

/** The name of an option's flag as commands know it: `dataDir` → `--data-dir`. */
export const flagNameOf = (name: OptionName): string => all[name].flagName ?? name;

const help = (name: OptionName): OptionHelp => {
  const option: Option = all[name];
  const otherwise = option.fallback ?? option.preset;
  return {
    ...option, name,
    ...(!option.environmentOnly && { flag: flagOf(flagNameOf(name)) }),
    ...(otherwise !== undefined && { otherwise: `${otherwise as string | number | boolean}` }),
  };
};

/** Every option, in the order of documents. */
export const optionHelp: readonly OptionHelp[] = (Object.keys(all) as OptionName[]).map(help);

/** The options that a command takes. */
export const optionsOf = (command: CommandName): readonly OptionHelp[] => optionHelp.filter(({ commands }) => commands.includes(command));
