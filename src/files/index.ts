/** Folders of this machine. */

export { homeFolder } from './home-folder.ts';
export { makeFolder } from './make-folder.ts';
