import { booleanText, type CommandName, flagOf, type Option, path, type ValueOf } from './fields.ts';
import { httpOptions } from './http-options.ts';
import { options } from './options.ts';
import { scopeOptions } from './scope-options.ts';
import { engineOptions, testingOptions } from './platform-options.ts';

/** Every option. The flag is the member's name unless `flagName` is set. */
const allOptions = { ...options, ...scopeOptions, ...engineOptions, ...testingOptions, ...httpOptions };
export type OptionName = keyof typeof allOptions;

/** The values of every option. */
export type OptionValues = { readonly [Name in OptionName]: ValueOf<(typeof allOptions)[Name]> };

/** An option as shown in help texts and documentation. */
export interface OptionHelp extends Option {
  readonly name: OptionName;
  /** For example `--data-dir`; absent if only the environment can set it. */
  readonly flag?: string;
  /** Its default as text; absent if there is none. */
  readonly defaultText?: string;
}

/** The name of an option's flag in camel case, as the parser reports it: `dataDir` for `--data-dir`. */
export const flagNameOf = (name: OptionName): string => allOptions[name].flagName ?? name;

const helpOf = (name: OptionName): OptionHelp => {
  const option: Option = allOptions[name];
  const defaultText = option.fallback ?? option.defaultValue;
  return {
    ...option,
    name,
    ...(!option.environmentOnly && { flag: flagOf(flagNameOf(name)) }),
    ...(defaultText !== undefined && { defaultText: `${defaultText as string | number | boolean}` }),
  };
};

/** Every option, in the order of the documentation. */
export const optionHelp: readonly OptionHelp[] = (Object.keys(allOptions) as OptionName[]).map(helpOf);

/** The kind of an option's value: a number if the text `1` is parsed as one. */
export const kindOf = ({ createSchema }: Option): 'path' | 'boolean' | 'number' | 'text' => {
  if (createSchema === path) return 'path';
  if (createSchema === booleanText) return 'boolean';
  return typeof createSchema().safeParse('1').data === 'number' ? 'number' : 'text';
};

/** The options that a command takes. */
export const optionsOf = (command: CommandName): readonly OptionHelp[] =>
  optionHelp.filter(({ commands }) => commands.includes(command));
