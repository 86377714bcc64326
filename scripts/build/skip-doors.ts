import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Plugin } from 'esbuild';

/** Where a name comes from that a door gives: its file, and what it is called there. */
interface Origin {
  readonly file: string;
  readonly name: string;
}

const named = /^(?<verb>import|export)(?<type> type)? \{(?<names>[^}]*)\} from '(?<specifier>\.[^']*)';/gm;

const namesIn = (list: string): { readonly isType: boolean; readonly name: string; readonly as: string }[] =>
  list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const isType = one.startsWith('type ');
      const [name, as] = one.replace(/^type /, '').split(' as ');
      return { isType, name: name!, as: as ?? name! };
    });

const isDoor = (path: string): boolean => path.endsWith(`${sep}index.ts`);

/**
 * Leads imports past the doors of rooms (`index.ts`) to the files that declare what is imported. A bundler that splits
 * code would load everything a door gives, wherever one name of it is used.
 */
export function skipDoors(read: (path: string) => Promise<string> = (path) => readFile(path, 'utf8')) {
  const doors = new Map<string, Promise<ReadonlyMap<string, Origin>>>();

  async function originsOf(door: string): Promise<ReadonlyMap<string, Origin>> {
    const origins = new Map<string, Origin>();
    for (const { groups } of (await read(door)).matchAll(named)) {
      const file = join(dirname(door), groups!['specifier']!);
      for (const { name, as } of namesIn(groups!['names']!)) {
        origins.set(as, await originOf(file, name));
      }
    }
    return origins;
  }

  async function originOf(file: string, name: string): Promise<Origin> {
    if (!isDoor(file)) return { file, name };
    const known = doors.get(file) ?? originsOf(file);
    doors.set(file, known);
    // What a door doesn't give from elsewhere, it declares itself; the bundler reports a name that isn't there.
    return (await known).get(name) ?? { file, name };
  }

  /** A source whose imports lead past the doors. */
  return async function past(path: string, source: string): Promise<string> {
    let text = source;
    for (const { 0: statement, groups } of source.matchAll(named)) {
      const door = join(dirname(path), groups!['specifier']!);
      if (!isDoor(door) || door === path) continue;
      const statements = await Promise.all(
        namesIn(groups!['names']!).map(async ({ isType, name, as }) => {
          const origin = await originOf(door, name);
          const specifier = relative(dirname(path), origin.file).replaceAll(sep, '/');
          const type = groups!['type'] !== undefined || isType ? ' type' : '';
          return `${groups!['verb']!}${type} { ${origin.name === as ? as : `${origin.name} as ${as}`} } from '${specifier.startsWith('.') ? specifier : `./${specifier}`}';`;
        }),
      );
      text = text.replace(statement, () => statements.join(' '));
    }
    return text;
  };
}

/** The same for a build of this repository. */
export const doorsSkipped: Plugin = {
  name: 'skip doors',
  setup: (bundle) => {
    const past = skipDoors();
    bundle.onLoad({ filter: /[\\/](?:src|tools)[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: await past(path, await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};
