import type { Sibling } from '../changes.ts';

const normalizedName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Whether a host is this sibling's: its own host, or one whose first label is its name. */
export const isHostOf = (sibling: Sibling, host: string | undefined): boolean =>
  host !== undefined && (host === sibling.host || normalizedName(host.split('.')[0] ?? '') === normalizedName(sibling.name));

/** Whether a variable is named after a sibling: by its name, or as the built-in ones of a database, by the beginning of its id. */
export const isVariableOf = ({ id, kind, name }: Sibling, key: string): boolean =>
  key.startsWith(`${kind}_${id.slice(0, 8)}_`.toUpperCase()) || key.startsWith(`${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_`);
