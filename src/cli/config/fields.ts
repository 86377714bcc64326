import { homedir } from 'node:os';
import { resolve } from 'node:path';
import * as z from 'zod';

/** The commands that take options. */
export type CommandName = 'stdio' | 'platform' | 'token' | 'tools' | 'http' | 'approve' | 'audit' | 'backup' | 'restore';

/** What is told of an option wherever it is documented. */
export interface OptionInfo {
  readonly env: string;
  /** Name its flag has after the dashes, where it isn't the option's own. */
  readonly flagName?: string;
  /** What stands for its value in help texts; absent where the flag alone says yes. */
  readonly value?: string;
  readonly description: string;
  /** What holds when it isn't given, where that is worked out. */
  readonly fallback?: string;
  /** Given by environment only: command lines are shown in lists of processes. */
  readonly environmentOnly?: true;
  /** Its flag may be given several times; the values are put together, with commas. */
  readonly repeatable?: true;
  /** Its value is shown nowhere. */
  readonly secret?: true;
  /** What to give instead of its flag, whose value others on the machine see in the list of processes: whoever uses it is warned. */
  readonly insteadOfFlag?: string;
  readonly commands: readonly CommandName[];
}

/** Gives the schema that reads a text. It is made only where there is a text to read: forty schemas were a tenth of a start. */
type SchemaFactory<Schema extends z.ZodType> = () => Schema;

/** An option: what is told of it, how its text is read, and what it is where it isn't given. */
export interface Option<Value = unknown> extends OptionInfo {
  readonly createSchema: SchemaFactory<z.ZodType>;
  readonly defaultValue?: Value;
}

/** The value that an option has in a configuration. */
export type ValueOf<Some> = Some extends Option<infer Value> ? Value : never;

/** An option that may be left out. */
export const optional = <Schema extends z.ZodType>(reading: SchemaFactory<Schema>, about: OptionInfo): Option<z.output<Schema> | undefined> => ({ ...about, createSchema: reading });

/** An option that has a value of its own where it is left out. */
export const withDefault = <Schema extends z.ZodType>(reading: SchemaFactory<Schema>, value: z.output<Schema>, about: OptionInfo): Option<z.output<Schema>> => ({ ...about, createSchema: reading, defaultValue: value });

export const anyText = () => z.string();
export const textMatching = (what: string, accepts: (value: string) => boolean) => () => z.string().refine(accepts, { error: `must be ${what}` });
export const integerBetween = (least: number, most: number) => () =>
  textMatching(`a whole number from ${least} to ${most}`, (value) => /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most)().transform(Number);
export const path = () => z.string().transform((value) => resolve(value.replace(/^~(?=\/|$)/, homedir())));
export const booleanText = () => z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], case: 'sensitive', error: 'must be true, false, 1 or 0' });

/** One of a few words. */
export const enumOf = <const Words extends readonly [string, ...string[]]>(choices: Words) => () => z.enum(choices, { error: `must be one of ${choices.join(', ')}` });

/** The words that a value may be, where there are only a few. */
export function choicesOf(schema: z.ZodType): readonly string[] | undefined {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? choicesOf(schema.unwrap() as z.ZodType) : undefined;
}

/** A name as a flag is typed: `dataDir` → `--data-dir`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Texts of a list written in JSON. */
const textListOf = (value: string): string[] | undefined => {
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === 'string') && list[0] !== '' ? list : undefined;
  } catch {
    return undefined;
  }
};

/** A command and its arguments. */
export const command = () =>
  textMatching('a command as a JSON list of texts, such as ["logger", "-t", "infra-mcp"]', (value) => textListOf(value) !== undefined)().transform((value) => textListOf(value)!);

const isHttp = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

/** An http or https address, as written. */
export const httpAddress = textMatching('an http or https address', isHttp);

/** The same, taken apart. */
export const url = () => httpAddress().transform((value) => new URL(value));

/** Words, separated by commas. */
export const nameList = () =>
  textMatching('names, separated by commas', (value) => value.split(',').every((word) => /^[a-z0-9_-]+$/.test(word.trim())))().transform((value) =>
    value.split(',').map((word) => word.trim()),
  );

/** Host names, separated by commas. */
export const hostNames = () =>
  textMatching('host names without ports, separated by commas', (value) =>
    value.split(',').every((name) => URL.parse(`http://${name.trim()}`)?.host === name.trim().toLowerCase()),
  )().transform((value) => value.split(',').map((name) => name.trim().toLowerCase()));
