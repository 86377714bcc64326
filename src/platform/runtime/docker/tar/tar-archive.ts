import { archiveEnd, paddingAfter, tarHeader } from './tar-header.ts';

const readable = 0o644;

/**
 * A file of a tar archive, owned by root, to be put before other ones.
 * @param name at most 99 characters
 * @param mode permissions
 */
export const tarEntry = (name: string, content: Buffer, mode = readable): Buffer =>
  Buffer.concat([tarHeader(name, content.length, mode), content, paddingAfter(content.length)]);

/**
 * A tar archive of one file in one folder, owned by root.
 * @param folder without slashes
 * @param name with `folder`, at most 99 characters
 * @param mode permissions of the file
 */
export const tarArchive = (folder: string, name: string, content: Buffer, mode = readable): Buffer =>
  Buffer.concat([tarHeader(`${folder}/`, 0, 0o755, '5'), tarEntry(`${folder}/${name}`, content, mode), archiveEnd]);
