import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine, temporaryDirectory } from '../../support/built-program.ts';
import { startProgram } from '../../support/started-program.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';
import { serverOfTheFile } from './shared-database.ts';

const server = serverOfTheFile();

test('servers without INFRA_BASE_URL each serve a platform on the database, and end when it becomes too new for them', async () => {
  const [url, keysDir, shared] = [
    await server.createDatabase(),
    await temporaryDirectory(),
    await temporaryDirectory(),
  ];
  await writeFile(join(keysDir, 'question-1.key'), randomBytes(32), { mode: 0o600 });
  const start = (dataDir: string) =>
    startProgram(
      commandLine(['http', '--port', '0', '--data-dir', dataDir, '--keys-dir', keysDir], { INFRA_DATABASE_URL: url }),
    );
  // One of its own, and two with the same data directory.
  const servers = [await start(await temporaryDirectory()), ...(await Promise.all([start(shared), start(shared)]))];
  const ready = await Promise.all(
    servers.map(async (each) => (await fetch(new URL('/readyz', each.ready.url))).status),
  );
  expect(ready).toEqual([200, 200, 200]);
  expect(await inDatabase(url, 'select count(*) as count from organization')).toEqual([{ count: '1' }]);
  expect(await readdir(shared)).toContain('token');
  expect(await readdir(shared)).not.toContain('platform.sqlite');

  await inDatabase(
    url,
    "insert into platform_schema_step values ('9999-later', 99, 99); select pg_notify('platform_work', 'schema')",
  );
  for (const { ended } of servers) {
    const { code, stderr } = await ended;
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('Start the newer version of infra-mcp'),
    ]);
  }
});
