/** The functions of Helm's templates that our chart uses, as Go and Sprig define them. */
import { stringify } from 'yaml';

/** Whether a condition holds: not for what is empty or zero. */
export const isTrue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

const indented = (spaces: number, text: string): string =>
  `\n${text
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(spaces) + line))
    .join('\n')}`;

/** By name. A piped value is the last argument. */
export const templateFunctions: Readonly<Record<string, (...args: never[]) => unknown>> = {
  default: (fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  not: (value: unknown) => !isTrue(value),
  // Without an empty value, the index is -1: the last one.
  and: (...values: unknown[]) => values.at(values.findIndex((value) => !isTrue(value))),
  or: (...values: unknown[]) => values.find(isTrue) ?? values.at(-1),
  quote: (value: unknown) => JSON.stringify(String(value)),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  nindent: indented,
  contains: (part: string, text: string) => text.includes(part),
  trunc: (length: number, text: string) => text.slice(0, length),
  trimSuffix: (suffix: string, text: string) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  get: (map: Readonly<Record<string, unknown>>, key: string) => map[key] ?? '',
  urlParse: (text: string) => {
    const { hostname, pathname } = new URL(text);
    return { hostname, path: pathname };
  },
};
