import * as z from 'zod';
import type { CommandName, Config, GivenFlags } from '../config/read-config.ts';

/** A flag of one command. What several commands take, or the environment may give, is an option of src/cli/config. */
export interface Flag<Value = unknown> {
  /** What stands for its value in help texts; absent where the flag alone says yes. */
  readonly value?: string;
  readonly description: string;
  /** Reads its text, or true where it takes none. Where it accepts nothing given, the flag may be left out. */
  readonly schema: z.ZodType<Value>;
}

type Flags = Readonly<Record<string, Flag>>;

/** An argument: `[code]` may be left out, `<code>` may not, `[files...]` may be many. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** What it must be; anything where left out. */
  readonly schema?: z.ZodType<string>;
  /** What it may well be, for completion. */
  readonly words?: () => Promise<readonly string[]>;
}

/** A command line that works as it stands, and what it is for. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** What a command was called with. */
export interface Invocation<Takes extends CommandName | undefined, Own extends Flags> {
  /** The options; undefined for a command that takes none. */
  readonly config: Takes extends CommandName ? Config : undefined;
  /** Its own flags, by name. */
  readonly flags: { readonly [Name in keyof Own]: z.output<Own[Name]['schema']> };
  readonly args: readonly string[];
  /** What the command line has, unread. */
  readonly rawFlags: GivenFlags;
}

/** A command, as data: the parser, help texts, completion and the page of commands are made from it. */
export interface Command<Takes extends CommandName | undefined = CommandName | undefined, Own extends Flags = Flags> {
  /** As it is typed, such as `token create`. */
  readonly name: string;
  readonly summary: string;
  /** True for the one of all, or of its group, that runs where none is named. */
  readonly isDefault?: true;
  /** Whose options it takes; absent where it takes none. */
  readonly takes?: Takes;
  /** Whose options it takes to look at them itself, so that wrong ones don't stop it. */
  readonly examines?: CommandName;
  /** Flags of its own, by name: `setSecret` is given as --set-secret. */
  readonly flags?: Own;
  readonly args?: readonly Argument[];
  readonly examples: readonly [Example, ...Example[]];
  run(given: Invocation<Takes, Own>): Promise<void>;
}

/** Makes a command: its `run` is given what it declares. */
export const defineCommand = <const Takes extends CommandName | undefined = undefined, const Own extends Flags = {}>(command: Command<Takes, Own>): Command => command;

/** A flag that is given or not. */
export const booleanFlag = (description: string): Flag<true | undefined> => ({ description, schema: z.literal(true).optional() });

/** The flag of commands that print data: one value of JSON, for programs. */
export const json = booleanFlag('print JSON');
