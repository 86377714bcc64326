import { randomUUID } from 'node:crypto';
import { listen, type Listener, type PostgresClient, type PostgresPool } from '../../../postgres/index.ts';
import type { SettingName } from '../schema/schema.ts';
import type { DataStore } from '../store.ts';
import { createWorkListeners } from '../work-listeners.ts';

const channel = 'platform_work';

/** Notifies the processes on the same records of new work and of changed settings. */
export interface WorkChannel extends Pick<DataStore, 'announceWork' | 'onWork' | 'announceSetting' | 'onSetting'> {
  /** Closes the channel once the announcements are sent. */
  close(): Promise<void>;
}

const schemaMessage = 'schema';
const settingMessage = 'setting ';

/** Notifies all processes of a newer schema version, once the transaction is committed. */
export const announceSchema = async (client: PostgresClient): Promise<void> =>
  void (await client.query('select pg_notify($1, $2)', [channel, schemaMessage]));

/**
 * Opens the channel. Announcements made while one is being sent are sent once, after it.
 * @param onSchemaChanged called when the schema has a newer version, or may have
 */
export function openWorkChannel(
  pool: PostgresPool,
  config: Parameters<typeof listen>[0]['config'],
  onSchemaChanged: () => void,
): WorkChannel {
  const sender = randomUUID();
  const listeners = createWorkListeners();
  const settingListeners = new Map<SettingName, Set<() => void>>();
  let isAgainDue = false;
  let sending: Promise<void> | undefined;

  const callSetting = (name: string): void => {
    for (const call of settingListeners.get(name as SettingName) ?? []) call();
  };

  const listener: Listener = listen({
    config,
    channel,
    onMessage: (message) => {
      if (message === schemaMessage) onSchemaChanged();
      else if (message.startsWith(settingMessage)) callSetting(message.slice(settingMessage.length));
      else if (message !== sender) listeners.call();
    },
    onListening: () => {
      onSchemaChanged();
      listeners.call();
      for (const name of settingListeners.keys()) callSetting(name);
    },
  });

  const send = async (): Promise<void> => {
    do {
      isAgainDue = false;
      // A process that misses it finds the work by polling.
      await pool.query('select pg_notify($1, $2)', [channel, sender]).catch(() => {});
    } while (isAgainDue);
    sending = undefined;
  };

  return {
    announceWork: () => {
      listeners.call();
      isAgainDue = true;
      sending ??= send();
    },
    onWork: listeners.onWork,
    announceSetting: (name) =>
      void pool.query('select pg_notify($1, $2)', [channel, `${settingMessage}${name}`]).catch(() => {}),
    onSetting: (name, call) => {
      const calls = settingListeners.get(name) ?? new Set();
      settingListeners.set(name, calls.add(call));
      return () => calls.delete(call);
    },
    close: async () => {
      await sending;
      await listener.close();
    },
  };
}
