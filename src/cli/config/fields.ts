import { resolve } from 'node:path';
import { homeFolder } from '../../files/index.ts';
import * as z from 'zod';

/** The commands that take options. */
export type CommandName =
  | 'stdio'
  | 'platform'
  | 'doctor platform'
  | 'token'
  | 'tools'
  | 'http'
  | 'console'
  | 'approve'
  | 'audit'
  | 'backup'
  | 'restore'
  | 'migrate'
  | 'database'
  | 'node';

/** The documented properties of an option. */
export interface OptionInfo {
  readonly env: string;
  /** A variable of another program that sets it too, unless it is empty. Its own flag and variable take precedence. */
  readonly foreignEnv?: string;
  /** Name of its flag in camel case, if it differs from the option's name. */
  readonly flagName?: string;
  /** Placeholder of its value in help texts; absent for boolean flags. */
  readonly value?: string;
  readonly description: string;
  /** Describes a computed default. */
  readonly fallback?: string;
  /** Only the environment can set it, because command lines are visible in process lists. */
  readonly environmentOnly?: true;
  /** The flag may be repeated; the values are joined with commas. */
  readonly repeatable?: true;
  /** Its value is never shown. */
  readonly secret?: true;
  /** The alternative to its flag, named in the warning that other users can see the flag's value in process lists. */
  readonly insteadOfFlag?: string;
  readonly commands: readonly CommandName[];
}

/**
 * Creates the schema that parses an option's text. Called only for options that are set: creating all forty schemas
 * took a tenth of the startup time.
 */
type SchemaFactory<Schema extends z.ZodType> = () => Schema;

/** An option: its documentation, schema and default value. */
export interface Option<Value = unknown> extends OptionInfo {
  readonly createSchema: SchemaFactory<z.ZodType>;
  readonly defaultValue?: Value;
}

/** The type of an option's value in a configuration. */
export type ValueOf<Some> = Some extends Option<infer Value> ? Value : never;

/** An option without a default value. */
export const optional = <Schema extends z.ZodType>(
  createSchema: SchemaFactory<Schema>,
  info: OptionInfo,
): Option<z.output<Schema> | undefined> => ({ ...info, createSchema });

/** An option with a default value. */
export const withDefault = <Schema extends z.ZodType>(
  createSchema: SchemaFactory<Schema>,
  defaultValue: z.output<Schema>,
  info: OptionInfo,
): Option<z.output<Schema>> => ({ ...info, createSchema, defaultValue });

export const anyText = () => z.string();
export const textMatching = (what: string, accepts: (value: string) => boolean) => () =>
  z.string().refine(accepts, { error: `must be ${what}` });
/** @param unit what it counts, such as `seconds` */
export const integerBetween = (least: number, most: number, unit?: string) => () =>
  textMatching(
    `a whole number ${unit === undefined ? '' : `of ${unit} `}from ${least} to ${most}`,
    (value) => /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most,
  )().transform(Number);
export const path = () => z.string().transform((value) => resolve(value.replace(/^~(?=\/|$)/, homeFolder())));
export const booleanText = () =>
  z.stringbool({
    truthy: ['true', '1'],
    falsy: ['false', '0'],
    case: 'sensitive',
    error: 'must be true, false, 1 or 0',
  });

/** One of a fixed set of words. */
export const enumOf =
  <const Words extends readonly [string, ...string[]]>(choices: Words) =>
  () =>
    z.enum(choices, { error: `must be one of ${choices.join(', ')}` });

/** Several of these words, separated by commas. */
export const enumListOf =
  <const Words extends readonly [string, ...string[]]>(choices: Words) =>
  () =>
    z
      .string()
      .transform((value) => value.split(',').map((word) => word.trim()))
      .pipe(z.array(enumOf(choices)()));

/** The words that an enum schema, or a list of them, accepts; undefined for other schemas. */
export function choicesOf(schema: z.ZodType): readonly string[] | undefined {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodPipe) return choicesOf(schema.out as z.ZodType);
  if (schema instanceof z.ZodArray) return choicesOf(schema.element as z.ZodType);
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? choicesOf(schema.unwrap() as z.ZodType)
    : undefined;
}

/** The flag of a name: `dataDir` → `--data-dir`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Parses a non-empty JSON array of strings whose first item isn't empty; undefined for anything else. */
const textListOf = (value: string): string[] | undefined => {
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === 'string') && list[0] !== ''
      ? list
      : undefined;
  } catch {
    return undefined;
  }
};

/** A command with its arguments, as a JSON array of strings. */
export const command = () =>
  textMatching(
    'a command as a JSON array of strings, such as ["logger", "-t", "infra-mcp"]',
    (value) => textListOf(value) !== undefined,
  )().transform((value) => textListOf(value)!);

const isHttp = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

/** An http or https URL, as written. */
export const httpAddress = textMatching('an http or https address', isHttp);

/** An http or https URL, parsed. */
export const url = () => httpAddress().transform((value) => new URL(value));

/** Names separated by commas. */
export const nameList = () =>
  textMatching('names, separated by commas', (value) =>
    value.split(',').every((word) => /^[a-z0-9_-]+$/.test(word.trim())),
  )().transform((value) => value.split(',').map((word) => word.trim()));

/** Names of environment variables, separated by commas. */
export const variableNames = () =>
  textMatching('names of environment variables, separated by commas', (value) =>
    value.split(',').every((word) => /^[A-Za-z_]\w*$/.test(word.trim())),
  )().transform((value) => value.split(',').map((word) => word.trim()));
