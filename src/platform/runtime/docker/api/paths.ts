import { DockerError } from './errors.ts';

/** The values of a query. Objects are sent as JSON, lists as repeated parameters; undefined is omitted. */
export type DockerQuery = Readonly<Record<string, string | number | boolean | object | readonly string[] | undefined>>;

/** Filters of a list: every key must match, by any of its values. */
export type DockerFilters = Readonly<Record<string, readonly string[]>>;

/** Encodes one value in a path. Slashes are kept, because image names contain them. */
const encoded = (value: string): string => {
  const parts = value.split('/');
  // Such parts would change the path, and so the request.
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw new DockerError('refused', `"${value}" can't be the name or id of anything`);
  return parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':').replaceAll('%40', '@')).join('/');
};

/**
 * Builds a path from a template, with its values encoded.
 * @throws DockerError `refused` for a value that would change the path, such as an empty one
 */
export const dockerPath = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: parts }, ...values.map(encoded));

const textOf = (value: string | number | boolean | object): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The query as text, with its question mark; empty if there are no values. */
export function dockerQueryText(query: DockerQuery): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return (Array.isArray(value) ? (value as readonly string[]) : [value]).map((one) => [name, textOf(one)]);
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
