import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyFile, deriveKeys, keyBytes, readKeyFile, type KeyProvider } from './keys.ts';

/** Keys that rotate: newest first. The first one seals, all of them open. */
export type KeyRing = () => readonly KeyProvider[];

const ringFile = /^question-.+\.key$/;

/**
 * The ring of keys in a directory of keys: its files `question-….key`, each of 32 bytes and mode 0600. The name that sorts last is
 * the newest. The directory is read whenever keys are needed, so that files can be added and removed while servers run.
 * @throws Error, from the returned function, that names the directory or file if it can't be used.
 */
export function keyRingIn(keysDir: string): KeyRing {
  // A file is read once for each of its changes.
  const read = new Map<string, KeyProvider>();
  const keysOf = (name: string): [string, KeyProvider][] => {
    const path = join(keysDir, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return [];
    const version = `${name} ${stats.ino} ${stats.mtimeMs}`;
    const known = read.get(version);
    if (known) return [[version, known]];
    const key = readKeyFile(path);
    return key ? [[version, deriveKeys(key)]] : [];
  };
  return () => {
    const present = ringFilesOf(keysDir).toSorted().toReversed().flatMap(keysOf);
    if (present.length === 0) throw new Error(`${keysDir} holds no question key. Make one with: (umask 077; head -c ${keyBytes} /dev/urandom > ${join(keysDir, 'question-1.key')})`);
    read.clear();
    for (const [version, keys] of present) read.set(version, keys);
    return present.map(([, keys]) => keys);
  };
}

/** The names of the question keys in a directory, which may not be there. */
const ringFilesOf = (keysDir: string): string[] => (existsSync(keysDir) ? readdirSync(keysDir).filter((name) => ringFile.test(name)) : []);

/** The ring of a directory of keys, with a first key if it has none. @throws Error that names the file if it can't be made. */
export function keyRingOrNewIn(keysDir: string): KeyRing {
  if (ringFilesOf(keysDir).length === 0) createKeyFile(join(keysDir, 'question-1.key'));
  return keyRingIn(keysDir);
}
