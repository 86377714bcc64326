import { readFile } from 'node:fs/promises';
import type { Agent, Dispatcher } from 'undici';
import { type DockerAddress, DockerAddressError, type DockerTlsFiles } from './address.ts';

/** A request as it goes over the wire. The path has the query. */
export type DockerWireRequest = Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'headers' | 'body' | 'signal'>;

/** The connections to one engine. */
export interface DockerConnection {
  request(request: DockerWireRequest): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

/** How long a connection may take to come about, in milliseconds. */
const connectTimeout = 10_000;

const readPem = async (name: keyof DockerTlsFiles, path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new DockerAddressError(`The TLS file "${name}" can't be read: ${path} (${error.code}).`);
  });
  if (!text.includes('-----BEGIN ')) throw new DockerAddressError(`The TLS file "${name}" is not in PEM format: ${path}.`);
  return text;
};

/** Reads the TLS files. @throws DockerAddressError that names the file that can't be read */
const readTls = async ({ ca, cert, key }: DockerTlsFiles): Promise<Record<keyof DockerTlsFiles, string>> =>
  ({ ca: await readPem('ca', ca), cert: await readPem('cert', cert), key: await readPem('key', key) });

const originOf = (address: DockerAddress): string => {
  // The name of the host is not used, but HTTP wants one.
  if (address.kind === 'unix') return 'http://docker';
  return `${address.tls ? 'https' : 'http'}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};

/** Creates the connections to an engine. The first request loads the HTTP library and reads the TLS files. */
export function openDockerConnection(address: DockerAddress): DockerConnection {
  let opening: Promise<Agent> | undefined;
  let closed = false;

  const open = async (): Promise<Agent> => {
    const tls = address.kind === 'tcp' && address.tls ? await readTls(address.tls) : {};
    const { Agent } = await import('undici');
    return new Agent({
      allowH2: false,
      connect: { timeout: connectTimeout, ...(address.kind === 'unix' && { socketPath: address.path }), ...tls },
      // Every request has a deadline of its own: builds and logs may be silent for long.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  };

  return {
    request: async (request) => {
      if (closed) throw Object.assign(new Error('closed'), { code: 'UND_ERR_CLOSED' });
      // TLS files may be there the next time.
      const agent = await (opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      }));
      return agent.request({ origin: originOf(address), ...request });
    },
    close: async () => {
      closed = true;
      await (await opening?.catch(() => undefined))?.destroy();
    },
  };
}
