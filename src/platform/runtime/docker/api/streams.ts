import { DockerError, type DockerRequestLine, dockerStreamError } from './errors.ts';

/** A message in the stream of a build, a pull or a push. */
export interface DockerProgress {
  /** Output of a build step, line ends included. */
  readonly stream?: string;
  /** The status of a layer, or of the whole image. */
  readonly status?: string;
  /** The layer. */
  readonly id?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  /** Additional data, such as the id of the built image. */
  readonly aux?: unknown;
}

interface ReportedFailure {
  readonly error?: string;
  readonly errorDetail?: { readonly code?: number; readonly message?: string };
}

/** The longest message that is read, in bytes. */
const longestMessage = 16 * 1024 * 1024;

/** The lines of a byte stream, without their line ends. @throws DockerError if one is too long */
async function* linesOf(stream: AsyncIterable<Buffer>, line: DockerRequestLine): AsyncGenerator<string, void> {
  let pending: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      pending = [];
      bytes = 0;
      from = end + 1;
    }
    pending.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > longestMessage) throw new DockerError('bad answer', 'a message of the stream is too long', line);
  }
  if (bytes > 0) yield Buffer.concat(pending).toString('utf8');
}

const parse = (text: string, line: DockerRequestLine): DockerProgress & ReportedFailure => {
  try {
    return JSON.parse(text) as DockerProgress & ReportedFailure;
  } catch {
    throw new DockerError('bad answer', 'the stream contains a message that is not JSON', line);
  }
};

/**
 * The messages of a build, pull or push.
 * @throws DockerError of the kind `failed` when the stream reports a failure: the answer's status is 200 by then
 */
export async function* dockerProgress(
  stream: AsyncIterable<Buffer>,
  line: DockerRequestLine,
): AsyncGenerator<DockerProgress, void> {
  for await (const text of linesOf(stream, line)) {
    if (text.trim() === '') continue;
    const { error, errorDetail, ...message } = parse(text, line);
    if (errorDetail || error !== undefined)
      throw dockerStreamError(line, errorDetail?.message ?? error ?? 'the engine gave no reason', errorDetail?.code);
    yield message;
  }
}
