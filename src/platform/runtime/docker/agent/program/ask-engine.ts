import { request } from 'node:http';
import { type AskEngine, EngineAnswer } from './allowed-requests.ts';

/** The time limit for an engine's answer, in milliseconds, and the largest answer, in bytes. */
const timeoutMilliseconds = 30_000;
const largestAnswer = 32 * 1024 * 1024;

const messageOf = (text: string): string => {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? '';
  } catch {
    return '';
  }
};

/** Sends requests to an engine over its socket. @param version of its API, as a part of the path, or empty */
export const askEngineAt =
  (socketPath: string, version: string): AskEngine =>
  async (method, path, query = {}) => {
    const parameters = new URLSearchParams(query).toString();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const asked = request(
      {
        socketPath,
        method,
        path: `${version}${path}${parameters === '' ? '' : `?${parameters}`}`,
        signal: AbortSignal.timeout(timeoutMilliseconds),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response
          .on('error', reject)
          .on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > largestAnswer) asked.destroy(new Error('The answer is too large.'));
            else chunks.push(chunk);
          })
          .on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const status = response.statusCode ?? 500;
            if (status >= 300) return reject(new EngineAnswer(status, messageOf(text)));
            try {
              resolve(text.trim() === '' ? undefined : JSON.parse(text));
            } catch {
              reject(new EngineAnswer(502, 'The engine did not answer in JSON.'));
            }
          });
      },
    );
    asked.on('error', reject).end();
    return promise;
  };
