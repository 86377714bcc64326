import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Agent, Dispatcher } from 'undici';
import { decodedText, unreadableBecause } from '../../../../contract/index.ts';
import { type DockerAddress, DockerAddressError, type DockerTlsFiles, type NodeAddress } from './address.ts';

/** A request as sent over the wire. The path includes the query. */
export type DockerWireRequest = Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'headers' | 'body' | 'signal'>;

/** The connections to one engine. */
export interface DockerConnection {
  request(request: DockerWireRequest): Promise<Dispatcher.ResponseData>;
  /** Sends a request that upgrades the connection to a stream in both directions. */
  upgrade(request: Omit<DockerWireRequest, 'body'>): Promise<Duplex>;
  close(): Promise<void>;
}

/** The time limit for opening a connection, in milliseconds. */
const connectTimeout = 10_000;

/** How long an idle connection to an agent is kept, in milliseconds: it takes long to open. */
const keptMilliseconds = 10 * 60_000;

const readPem = async (name: keyof DockerTlsFiles, path: string): Promise<string> => {
  const text = await readFile(path)
    .then(decodedText)
    .catch((error: unknown) => {
      throw new DockerAddressError(`The TLS file "${name}" can't be read: ${path} (${unreadableBecause(error)}).`);
    });
  if (!text.includes('-----BEGIN '))
    throw new DockerAddressError(`The TLS file "${name}" is not in PEM format: ${path}.`);
  return text;
};

/** Reads the TLS files. @throws DockerAddressError that names the file that can't be read */
const readTls = async ({ ca, cert, key }: DockerTlsFiles): Promise<Record<keyof DockerTlsFiles, string>> => ({
  ca: await readPem('ca', ca),
  cert: await readPem('cert', cert),
  key: await readPem('key', key),
});

/**
 * Requires that the TLS files of an address, if it has any, can be used. They are read again when a connection is
 * opened.
 * @throws DockerAddressError that names the file that can't
 */
export async function requireTlsFiles(address: DockerAddress): Promise<void> {
  if (address.kind === 'tcp' && address.tls) await readTls(address.tls);
}

const originOf = (address: DockerAddress | NodeAddress): string => {
  // The host name is not used, but HTTP requires one.
  if (address.kind !== 'tcp') return 'http://docker';
  return `${address.tls ? 'https' : 'http'}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};

type Connected = (...outcome: [null, TLSSocket] | [Error, null]) => void;

/** Opens a connection to an agent, and passes it to the callback. */
async function openNode({ connect }: NodeAddress, done: Connected): Promise<void> {
  let socket: TLSSocket;
  try {
    socket = await connect();
  } catch (error) {
    done(error as Error, null);
    return;
  }
  done(null, socket);
}

/** Creates the connections to an engine. The first request loads the HTTP library and reads the TLS files. */
export function openDockerConnection(address: DockerAddress | NodeAddress): DockerConnection {
  let opening: Promise<Agent> | undefined;
  let closed = false;

  const open = async (): Promise<Agent> => {
    const tls = address.kind === 'tcp' && address.tls ? await readTls(address.tls) : {};
    const { Agent } = await import('undici');
    if (address.kind === 'node') {
      const connect = (_: unknown, done: Connected): void => void openNode(address, done);
      return new Agent({
        allowH2: false,
        connect,
        connections: 1,
        keepAliveTimeout: keptMilliseconds,
        keepAliveMaxTimeout: keptMilliseconds,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
    }
    return new Agent({
      allowH2: false,
      connect: { timeout: connectTimeout, ...(address.kind === 'unix' && { socketPath: address.path }), ...tls },
      // Every request has its own deadline: builds and logs may be silent for a long time.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  };

  const opened = (): Promise<Agent> => {
    if (closed) throw Object.assign(new Error('closed'), { code: 'UND_ERR_CLOSED' });
    // After a failure, the next request tries again: the TLS files may exist by then.
    return (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
  };

  return {
    request: async (request) => (await opened()).request({ origin: originOf(address), ...request }),
    // The types omit the origin, although it is required.
    upgrade: async (request) =>
      (
        await (
          await opened()
        ).upgrade({ origin: originOf(address), protocol: 'tcp', ...request } as Dispatcher.UpgradeOptions)
      ).socket,
    close: async () => {
      closed = true;
      await (await opening?.catch(() => undefined))?.destroy();
    },
  };
}
