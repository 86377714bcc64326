/** Files and folders of this machine. */

export { isReadableFile, isThere, namesIn } from './existing.ts';
export { homeFolder, makeFolder } from './folders.ts';
export { nearestExisting, tryWriting, unwritableBecause } from './writable-folder.ts';
