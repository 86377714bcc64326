import { archiveEnd, paddingAfter, tarHeader } from './tar-header.ts';

/**
 * A tar archive of one file that only root may read, without reading it as a whole.
 * @param name at most 99 characters
 * @param bytes its length
 * @throws Error if the content has another length
 */
export async function* fileInTar(
  name: string,
  bytes: number,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  yield tarHeader(name, bytes, 0o600);
  let passed = 0;
  for await (const chunk of content) {
    passed += chunk.length;
    yield chunk;
  }
  if (passed !== bytes)
    throw new Error(`The file has changed while it was read: it had ${bytes} bytes, and ${passed} were read.`);
  yield Buffer.concat([paddingAfter(bytes), archiveEnd]);
}
