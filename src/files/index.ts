/** Files and folders of this machine. */

export { isReadableFile, isThere, namesIn } from './existing.ts';
export { homeFolder, makeFolder } from './folders.ts';
export { isOwnAndOpen } from './open-files.ts';
export { plainSystemError, sqliteReason } from './plain-error.ts';
export { nearestExisting, tryWriting, unwritableBecause } from './writable-folder.ts';
