import { expect, test } from 'vitest';
import { openPostgresRecords } from '../../../src/platform/store/postgres/open-records.ts';
import { startTcpProxy } from '../../support/postgres/tcp-proxy.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { ownDatabase } from './own-database.ts';

test('who asks for a change whose commit is cut off reads that it may have been made', async () => {
  const database = await ownDatabase();
  const proxy = await startTcpProxy(database.socketPath);
  // A random source of its own keeps the records from being those of a template.
  const platform = await startTestPlatform({
    randomSeed: 'unknown commit',
    openRecords: () => openPostgresRecords({ ...database.address, host: '127.0.0.1', port: proxy.port }),
  });
  const authorization = 'Token token-of-the-tests';
  const create = (name: string) =>
    platform.call('create_project', { organization_id: platform.organizationId, name }, { authorization });
  try {
    expect((await create('first')).status).toBe(201);
    // By its parameter: the statement itself may be prepared on the connection already.
    proxy.cutCommitAfter('second');
    const { status, body } = await create('second');
    expect(status).toBe(503);
    expect(body).toEqual({
      status: 503,
      error: 'Service Unavailable',
      message: expect.stringContaining('It may or may not have been made: check before you repeat it.'),
      detail: body['message'],
    });
    // It was, this time; and the platform goes on.
    const listed = await platform.call(
      'list_projects',
      { organization_id: platform.organizationId },
      { authorization },
    );
    expect(JSON.stringify(listed.body)).toContain('"second"');
  } finally {
    await platform.close();
    await proxy.close();
    await database.drop();
  }
});
