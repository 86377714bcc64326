import * as z from 'zod';
import { about, type About, type CommandName, flagOf } from './fields.ts';
import { httpOptions } from './http-options.ts';
import { options } from './options.ts';
import { scopeOptions } from './scope-options.ts';
import { testingOptions } from './testing-options.ts';

/** Every option. The flag is the member's name, unless it says otherwise. */
export const Options = z.object({ ...options, ...scopeOptions, ...testingOptions, ...httpOptions });
export type OptionName = keyof typeof Options.shape;
/** One option as help texts and documents show it. */
export interface OptionHelp extends About {
  readonly name: OptionName;
  /** `--data-dir`; absent where only the environment gives it. */
  readonly flag?: string;
  /** What holds when it isn't given, in words; absent when nothing does. */
  readonly otherwise?: string;
  readonly schema: z.ZodType;
}

/** The name of an option's flag as commands know it: `dataDir` → `--data-dir`. */
export const flagNameOf = (name: OptionName): string => about.get(Options.shape[name])?.flagName ?? name;

const help = (name: OptionName): OptionHelp => {
  const schema = Options.shape[name];
  const told = about.get(schema)!;
  const preset = schema.parse(undefined);
  return {
    ...told, name, schema,
    ...(!told.environmentOnly && { flag: flagOf(flagNameOf(name)) }),
    ...((told.fallback ?? preset) !== undefined && { otherwise: told.fallback ?? String(preset) }),
  };
};

/** Every option, in the order of documents. */
export const optionHelp: readonly OptionHelp[] = (Object.keys(Options.shape) as OptionName[]).map(help);

/** The options that a command takes. */
export const optionsOf = (command: CommandName): readonly OptionHelp[] => optionHelp.filter(({ commands }) => commands.includes(command));
