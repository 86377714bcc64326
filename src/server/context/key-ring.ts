import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyFile, deriveKeys, keyBytes, readKeyFile, type KeyProvider } from './keys.ts';

/** Keys that rotate: newest first. The first one seals, all of them open. */
export type KeyRing = () => readonly KeyProvider[];

/**
 * The keys in the files of a folder, each of 32 bytes and mode 0600: the name that sorts last is the newest. The folder is
 * read whenever keys are needed, so that files can be added and removed while servers run.
 * @param pattern of the names of the files. Default: those that end in `.key`.
 * @throws Error, from the returned function, that names the folder or file if it can't be used.
 */
export function keyRingIn(folder: string, pattern = /\.key$/): KeyRing {
  // A file is read once for each of its changes.
  const read = new Map<string, KeyProvider>();
  const keysOf = (name: string): [string, KeyProvider][] => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return [];
    const version = `${name} ${stats.ino} ${stats.mtimeMs}`;
    const known = read.get(version);
    if (known) return [[version, known]];
    const key = readKeyFile(path);
    return key ? [[version, deriveKeys(key)]] : [];
  };
  return () => {
    const names = readdirSync(folder).filter((name) => pattern.test(name)).toSorted().toReversed();
    const present = names.flatMap(keysOf);
    if (present.length === 0) throw new Error(`${folder} holds no key. Make one with: (umask 077; head -c ${keyBytes} /dev/urandom > ${join(folder, '1.key')})`);
    read.clear();
    for (const [version, keys] of present) read.set(version, keys);
    return present.map(([, keys]) => keys);
  };
}

const ringFolder = 'question-keys';
const ringFile = /^question-.*\.key$/;

/**
 * The ring of keys in a directory of keys: the files of its folder `question-keys` or, where the directory can't have folders
 * because it is a mounted secret, its own files `question-….key`. Without any, the first key is made in the folder.
 * @throws Error that names the directory if the first key can't be made.
 */
export function questionKeysIn(keysDir: string): KeyRing {
  const folder = join(keysDir, ringFolder);
  const hasFiles = existsSync(keysDir) && readdirSync(keysDir).some((name) => ringFile.test(name));
  if (!existsSync(folder) && hasFiles) return keyRingIn(keysDir, ringFile);
  if (!existsSync(folder)) createKeyFile(join(folder, '1.key'));
  return keyRingIn(folder);
}
