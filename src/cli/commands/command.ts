import * as z from 'zod';
import type { CommandName, Config, GivenFlags } from '../config/index.ts';

/**
 * A flag of a single command. Options that several commands share, or that the environment can set, are in
 * src/cli/config.
 */
export interface CommandFlag<Value = unknown> {
  /** Placeholder of its value in help texts; absent for boolean flags. */
  readonly value?: string;
  readonly description: string;
  /** Parses the text, or `true` for a boolean flag. The flag is optional if the schema accepts undefined. */
  readonly schema: z.ZodType<Value>;
  /** Whether it may be given several times; the schema parses the values with commas between them. */
  readonly repeatable?: true;
}

type Flags = Readonly<Record<string, CommandFlag>>;

/** A positional argument: `[code]` is optional, `<code>` is required, `[files...]` takes any number. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** Validates the value. Default: any text. */
  readonly schema?: z.ZodType<string>;
  /** Suggestions for completion. */
  readonly words?: () => Promise<readonly string[]>;
}

/** A complete command line, and its purpose. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** The parsed arguments of a command. */
export interface Invocation<Takes extends CommandName | undefined, Own extends Flags> {
  /** The configuration; undefined for a command without options. */
  readonly config: Takes extends CommandName ? Config : undefined;
  /** Its own flags, by name. */
  readonly flags: { readonly [Name in keyof Own]: z.output<Own[Name]['schema']> };
  readonly args: readonly string[];
  /** The flags as written on the command line, before validation. */
  readonly rawFlags: GivenFlags;
}

/** A command as data. The parser, help texts, completion and docs/commands.md are generated from it. */
export interface Command<Takes extends CommandName | undefined = CommandName | undefined, Own extends Flags = Flags> {
  /** The words to type, for example `token create`. */
  readonly name: string;
  readonly summary: string;
  /** Marks the default command of the program, or of its group. */
  readonly isDefault?: true;
  /** The command whose options it takes; absent if it takes none. */
  readonly takes?: Takes;
  /** The command whose options it checks itself, so that invalid ones don't abort it. */
  readonly examines?: CommandName;
  /** Its own flags by name: `setSecret` is the flag --set-secret. */
  readonly flags?: Own;
  readonly args?: readonly Argument[];
  readonly examples: readonly [Example, ...Example[]];
  run(invocation: Invocation<Takes, Own>): Promise<void>;
}

/** Defines a command. Types the argument of `run` by what the command declares. */
export const defineCommand = <const Takes extends CommandName | undefined = undefined, const Own extends Flags = {}>(
  command: Command<Takes, Own>,
): Command => command;

/** A flag without a value. */
export const booleanFlag = (description: string): CommandFlag<true | undefined> => ({
  description,
  schema: z.literal(true).optional(),
});

/** The --json flag of commands that print data: one JSON value for programs. */
export const json = booleanFlag('print JSON');
