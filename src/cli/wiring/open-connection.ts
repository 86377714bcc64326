import type { RequestObserver } from '../../client/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { Config } from '../config/index.ts';
import type { Connection } from './connection.ts';
import { remoteConnection } from './remote-connection.ts';

/** Loads the code of the embedded platform on first use. */
const lazily = (load: () => Promise<Connection>): Connection => {
  let loading: Promise<Connection> | undefined;
  let loaded: Connection | undefined;
  const unusable = Promise.withResolvers<Error>();
  const open = async (): Promise<Connection> => {
    const connection = await load();
    void connection.unusable?.then(unusable.resolve);
    return connection;
  };
  return {
    connect: async () => (loaded = await (loading ??= open())).connect(),
    secrets: () => loaded?.secrets() ?? [],
    engine: async () => loaded?.engine?.(),
    unusable: unusable.promise,
    close: async () => loaded?.close(),
  };
};

/**
 * Opens the connection to the configured platform: a remote one, or the embedded one.
 * @param observer of the requests to it.
 * @throws Error if the platform's address or token can't be used.
 */
export const openConnection = async (
  config: Config,
  log: ServerLogger,
  observer?: RequestObserver,
): Promise<Connection> =>
  config.baseUrl === undefined
    ? lazily(async () => (await import('./embedded-connection.ts')).embeddedConnection(config, log, observer))
    : remoteConnection(config, log, observer);
