/** Folders of this machine. */

export { homeFolder, makeFolder } from './folders.ts';
