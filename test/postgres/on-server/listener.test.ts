import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientConfig, listen, openPool, parseAddress, type PostgresPool } from '../../../src/postgres/index.ts';
import { startTcpProxy, type TcpProxy } from '../../support/postgres/tcp-proxy.ts';
import { type OwnDatabase, ownDatabase } from './own-database.ts';

const options = { applicationName: 'test', maximumConnections: 2 };
let database: OwnDatabase;
let pool: PostgresPool;
let proxy: TcpProxy;

beforeAll(async () => {
  database = await ownDatabase('template0');
  pool = openPool(database.address, options);
  proxy = await startTcpProxy(database.socketPath);
});
afterAll(async () => {
  await proxy.close();
  await pool.end();
  await database.drop();
});

test('what listens on a connection that the network has forgotten notices it, listens again, and can be closed while another one is forgotten', async () => {
  const heard: string[] = [];
  let [listening, lost] = [0, 0];
  const listener = listen({
    config: clientConfig(parseAddress(proxy.addressOf(database.address.database)), options),
    channel: 'news',
    askMilliseconds: 500,
    onMessage: (message) => void heard.push(message),
    onListening: () => void (listening += 1),
    onLost: () => void (lost += 1),
  });
  await listener.ready;
  proxy.forget();
  await pool.query("select pg_notify('news', 'while it is forgotten')");
  await expect.poll(() => listening).toBeGreaterThan(1);
  expect(lost).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      await pool.query("select pg_notify('news', 'after it')");
      return heard;
    })
    .toContain('after it');
  expect(heard).not.toContain('while it is forgotten');
  proxy.forget();
  await listener.close();
});
