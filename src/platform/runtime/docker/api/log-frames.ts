import { DockerError, type DockerRequestLine } from './errors.ts';

/** A part of the output of a container. */
export interface DockerFrame {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

const headerBytes = 8;

/** The largest frame that is accepted, in bytes. Engines split lines at 16 KiB. */
const maximumFrameBytes = 16 * 1024 * 1024;

/** The second stream number 3 is a failure of the engine, in words. */
const engineFailure = 3;

/** Joins small chunks until enough bytes are there, without copying all of them again for each. */
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

  /** Removes and returns the first bytes; there must be as many. */
  take(count: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(count)];
    this.#bytes -= count;
    return all.subarray(0, count);
  }
}

/** The stream and length that a header tells. */
function readHeader(header: Buffer, line: DockerRequestLine): { readonly stream: number; readonly length: number } {
  const [stream = 0] = header;
  const length = header.readUInt32BE(4);
  // A container with a terminal has no frames: its output would be read as headers.
  if (stream > engineFailure || header.readUIntBE(1, 3) !== 0 || length > maximumFrameBytes)
    throw new DockerError('bad answer', 'the output is not in frames', line);
  return { stream, length };
}

/**
 * Takes the output of a container apart: each frame has a header of 8 bytes with its stream and length.
 * @param line the request, for errors
 * @throws DockerError if the stream has no frames, ends within one, or has a failure of the engine
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
