import { DockerError, type DockerRequestLine } from './errors.ts';

/** A part of the output of a container. */
export interface DockerFrame {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

const headerBytes = 8;

/** The largest frame that is accepted, in bytes. Engines split lines at 16 KiB. */
const maximumFrameBytes = 16 * 1024 * 1024;

/** The stream number of an engine's error message. */
const engineFailure = 3;

/** Collects chunks until there are enough bytes, without copying all of them again for each chunk. */
class Buffered {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Removes and returns the first `count` bytes; there must be as many. */
  take(count: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(count)];
    this.#bytes -= count;
    return all.subarray(0, count);
  }
}

/** The stream and length in a header. */
function readHeader(header: Buffer, line: DockerRequestLine): { readonly stream: number; readonly length: number } {
  const [stream = 0] = header;
  const length = header.readUInt32BE(4);
  // The output of a container with a terminal has no frames, and would be read as headers.
  if (stream > engineFailure || header.readUIntBE(1, 3) !== 0 || length > maximumFrameBytes)
    throw new DockerError('bad answer', 'the output is not in frames', line);
  return { stream, length };
}

/**
 * Splits the output of a container into frames. Each has a header of 8 bytes with its stream and length.
 * @param line the request, for errors
 * @throws DockerError if the stream has no frames, ends within one, or reports a failure of the engine
 */
export async function* dockerFrames(
  stream: AsyncIterable<Buffer>,
  line: DockerRequestLine,
): AsyncGenerator<DockerFrame, void> {
  const buffered = new Buffered();
  let header: ReturnType<typeof readHeader> | undefined;
  for await (const chunk of stream) {
    buffered.add(chunk);
    while (buffered.bytes >= (header?.length ?? headerBytes)) {
      if (header === undefined) {
        header = readHeader(buffered.take(headerBytes), line);
        continue;
      }
      const bytes = buffered.take(header.length);
      if (header.stream === engineFailure) throw new DockerError('failed', bytes.toString('utf8').trim(), line);
      yield { stream: header.stream === 2 ? 'stderr' : 'stdout', bytes };
      header = undefined;
    }
  }
  if (header !== undefined || buffered.bytes > 0)
    throw new DockerError('unreachable', 'the output ended in the middle of a frame', line);
}
