import type { Config } from '../config/read-config.ts';
import type { ServerLogger } from '../../server/context/call-context.ts';
import type { Connection } from './connection.ts';

/** The embedded platform's code is loaded when it is first called. */
const lazily = (load: () => Promise<Connection>): Connection => {
  let loading: Promise<Connection> | undefined;
  let loaded: Connection | undefined;
  return {
    connect: async () => (loaded = await (loading ??= load())).connect(),
    secrets: () => loaded?.secrets() ?? [],
    close: async () => loaded?.close(),
  };
};

/**
 * The way to the platform that is configured: a real one, or the embedded one.
 * @throws Error when the platform's address or token can't be used.
 */
export const openConnection = async (config: Config, log: ServerLogger): Promise<Connection> =>
  config.baseUrl === undefined
    ? lazily(async () => (await import('./embedded-connection.ts')).embeddedConnection(config, log))
    : (await import('./remote-connection.ts')).remoteConnection(config, log);
