import { pipeline, type Readable, Transform } from 'node:stream';

/** The part of a response that its body is read from. Headers by their names in lower case. */
interface EncodedResponse {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/** A body is larger than its reader accepts, once decoded. Its code is that of undici for bodies that were not. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly code = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  constructor(limit: number) {
    super(`the body has more than ${limit} bytes`);
  }
}

/** A body has an encoding that is not decoded here, or is not in the encoding that its response declares. */
export class UnreadableEncoding extends Error {
  override readonly name = 'UnreadableEncoding';
  readonly code = 'ERR_UNREADABLE_ENCODING';
}

type Zlib = typeof import('node:zlib');

/** Creates the decoder of an encoding. @param first the first byte of the body */
type DecoderFactory = (zlib: Zlib, first: number) => Transform;

const gunzip: DecoderFactory = ({ createGunzip }) => createGunzip();

const decoders: Readonly<Record<string, DecoderFactory>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: ({ createBrotliDecompress }) => createBrotliDecompress(),
  // Servers send it with and without the header of zlib.
  deflate: ({ createInflate, createInflateRaw }, first) =>
    (first & 0x0f) === 8 ? createInflate() : createInflateRaw(),
  // The largest window that a receiver has to support, by RFC 9659.
  zstd: ({ createZstdDecompress, constants }) =>
    createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
};

/** The names of the encodings that are decoded. */
const decodable = 'gzip, br, deflate and zstd';

// Each one multiplies what a small body can make of itself.
const mostEncodings = 2;

/** Words for an encoding. Its name is text of the server, and shown only if it looks like one. */
const namedEncoding = (name: string): string =>
  /^[a-z\d._-]{1,20}$/.test(name) ? `the content encoding "${name}"` : 'an unknown content encoding';

/** The encodings of a body, in the order in which they were applied. @throws UnreadableEncoding */
function encodingsOf({ headers }: EncodedResponse): readonly string[] {
  const names = [headers['content-encoding'] ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const unknown = names.find((name) => !Object.hasOwn(decoders, name));
  if (unknown !== undefined)
    throw new UnreadableEncoding(`the body has ${namedEncoding(unknown)}; only ${decodable} are decoded`);
  if (names.length > mostEncodings)
    throw new UnreadableEncoding(`the body has ${names.length} content encodings on top of each other`);
  return names;
}

/** Passes on the bytes of a stream up to a limit. */
const limitTo = (limit: number): Transform => {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      if (bytes > limit) done(new BodyTooLarge(limit));
      else done(null, chunk);
    },
  });
};

/** One stage: the chunks of a stream, decoded. */
async function* decode(chunks: AsyncIterable<Buffer>, encoding: string, limit: number): AsyncGenerator<Buffer, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (!first.done && first.value.length === 0) first = await iterator.next();
  // A response without a body may declare an encoding.
  if (first.done) return;
  const head = first.value;
  const source = (async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  const decoder = decoders[encoding]!(await import('node:zlib'), head[0]!);
  const decoded = pipeline(source, decoder, limitTo(limit), () => undefined);
  try {
    yield* decoded as AsyncIterable<Buffer>;
  } catch (error) {
    if (!/^(?:Z_|ERR__ERROR_|ZSTD_)/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new UnreadableEncoding(`the body is damaged or cut off: it does not decode as ${encoding}`, { cause: error });
  } finally {
    decoded.destroy();
  }
}

/**
 * The bytes of a response's body, decoded while they arrive. Leaving the loop closes the response.
 * @param limit the maximum number of bytes, once decoded
 * @throws UnreadableEncoding, BodyTooLarge, or an error of the network
 */
export async function* decodedBody(response: EncodedResponse, limit: number): AsyncGenerator<Buffer, void> {
  const { body } = response;
  try {
    const decoded = encodingsOf(response)
      .toReversed()
      .reduce<AsyncIterable<Buffer>>((chunks, encoding) => decode(chunks, encoding, limit), body);
    let bytes = 0;
    for await (const chunk of decoded) {
      bytes += chunk.length;
      if (bytes > limit) throw new BodyTooLarge(limit);
      yield chunk;
    }
  } finally {
    body.on('error', () => undefined).destroy();
  }
}

/** As Node calls the end of a stream that has not come to its end. */
const cutOff = (): Error =>
  Object.assign(new Error('the body was cut off'), { code: 'ERR_STREAM_PREMATURE_CLOSE' as const });

/**
 * The chunks of a body that is in no encoding. It is read by its events: to iterate over a stream takes several times as
 * long, and most bodies have one chunk.
 * @throws BodyTooLarge, or an error of the network
 */
const plainChunks = (body: Readable, limit: number): Promise<readonly Buffer[]> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: Error): void => {
      reject(error);
      body.destroy();
    };
    if (body.destroyed) return fail(body.errored ?? cutOff());
    body
      .on('error', fail)
      .once('end', () => resolve(chunks))
      .once('close', () => {
        if (!body.readableEnded) fail(cutOff());
      })
      .on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > limit) fail(new BodyTooLarge(limit));
      });
  });

/**
 * Reads a response's body as text, decoded.
 * @param limit the maximum size in bytes, once decoded
 * @throws UnreadableEncoding, BodyTooLarge, or an error of the network
 */
export async function readBody(response: EncodedResponse, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  if (response.headers['content-encoding'] === undefined) chunks.push(...(await plainChunks(response.body, limit)));
  else for await (const chunk of decodedBody(response, limit)) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}
