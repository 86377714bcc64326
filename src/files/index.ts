/** Folders of this machine. */

export { homeFolder, makeFolder } from './folders.ts';
export { nearestExisting, tryWriting, unwritableBecause } from './writable-folder.ts';
