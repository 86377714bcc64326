import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationName } from '../../../../src/contract/index.ts';
import type { Json } from '../../../support/test-platform.ts';
import { type Answer, type SharedPlatforms, startSharedPlatforms } from './shared-platforms.ts';

let shared: SharedPlatforms;
const ids: Record<string, string> = {};

const must = async (operation: OperationName, input: Json): Promise<string> => {
  const { status, body } = await shared.call(0, operation, input);
  expect([operation, status, body]).toEqual([operation, 201, body]);
  return String(body['id']);
};

const shape = (): Json => ({
  registry_id: ids['registry'],
  image_name: 'web',
  tag: '1',
  cpu: 10,
  memory: 10,
  healthchecks: {},
});

beforeAll(async () => {
  shared = await startSharedPlatforms(2, 100);
  const [registry] = (await shared.admin.query('select id from registry')).rows as { id: string }[];
  const clusters = (await shared.admin.query('select id from cluster order by name')).rows as { id: string }[];
  Object.assign(ids, { registry: registry!.id, cluster: clusters[0]!.id });
  ids['project'] = await must('create_project', { organization_id: shared.organizationId, name: 'shop' });
  ids['variable'] = await must('create_variable_of_project', {
    project_id: ids['project'],
    key: 'COLOR',
    value: 'blue',
  });
  for (const name of ['one', 'other']) {
    ids[name] = await must('create_environment', {
      project_id: ids['project'],
      name,
      mode: 'STAGING',
      cluster_id: ids['cluster'],
    });
    ids[`container of ${name}`] = await must('create_container', {
      environment_id: ids[name],
      name: 'web',
      ...shape(),
    });
  }
});
afterAll(() => shared?.close());

/**
 * Keeps a row locked meanwhile, which those wait for that come to change it: they are in the middle of their
 * transactions.
 */
async function whileLocked<Result>(
  table: 'environment' | 'project',
  id: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const client = await shared.admin.connect();
  try {
    // The row has to stay locked on a slow machine, too.
    await client.query('begin; set local idle_in_transaction_session_timeout = 0');
    await client.query(`select from ${table} where id = $1 for no key update`, [id]);
    return await run();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** How many connections wait: for a row that is locked, or for what others hold. */
async function waiting(): Promise<{ readonly rows: number; readonly locks: number }> {
  const {
    rows: [found],
  } = await shared.admin.query<{ rows: number; locks: number }>(`
    select count(*) filter (where wait_event <> 'advisory')::integer as rows, count(*) filter (where wait_event = 'advisory')::integer as locks
    from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return found!;
}

/** Whether something is still under way. */
function isOpen(work: Promise<unknown>): () => boolean {
  let open = true;
  void work
    .catch(() => {})
    .finally(() => {
      open = false;
    });
  return () => open;
}

async function untilWaitingForRow(work: Promise<unknown>): Promise<void> {
  const open = isOpen(work);
  while ((await waiting()).rows === 0) {
    expect(open()).toBe(true);
    await setTimeout(5);
  }
}

/**
 * Whether something waits for what another one holds, which is waiting for a row; or it goes on, if only as far as a
 * row itself.
 */
async function outcomeOf(second: Promise<unknown>): Promise<'waits' | 'goes on'> {
  const open = isOpen(second);
  while (open()) {
    const { rows, locks } = await waiting();
    if (locks > 0) return 'waits';
    if (rows > 1) return 'goes on';
    await setTimeout(5);
  }
  return 'goes on';
}

/** What becomes of a request while another one is in the middle of its transaction: whether it waits for it. */
async function beside(
  locked: readonly ['environment' | 'project', string],
  first: () => Promise<Answer>,
  second: () => Promise<Answer>,
): Promise<string> {
  const running: Promise<Answer>[] = [];
  const outcome = await whileLocked(...locked, async () => {
    running.push(first());
    await untilWaitingForRow(running[0]!);
    running.push(second());
    return outcomeOf(running[1]!);
  });
  for (const { operation, status, body } of await Promise.all(running))
    expect([operation, status < 300, body]).toEqual([operation, true, body]);
  return outcome;
}

let number = 0;
const create = (environment: string) => () =>
  shared.call(0, 'create_container', {
    environment_id: ids[environment],
    name: `container ${(number += 1)}`,
    ...shape(),
  });

const inOne = (second: () => Promise<Answer>) => beside(['environment', ids['one']!], create('one'), second);

describe('while a service is being created in an environment', () => {
  test('one can be created in another environment of the project and the cluster', async () => {
    expect(await inOne(create('other'))).toBe('goes on');
  });

  test('another one of the environment waits', async () => {
    expect(
      await inOne(() => shared.call(1, 'create_container', { environment_id: ids['one'], name: 'second', ...shape() })),
    ).toBe('waits');
  });

  test('its cluster is not locked before it is there', async () => {
    expect(
      await inOne(() => shared.call(1, 'lock_cluster', { cluster_id: ids['cluster'], reason: 'test', ttl_in_days: 1 })),
    ).toBe('waits');
    expect((await shared.call(1, 'unlock_cluster', { cluster_id: ids['cluster'] })).status).toBeLessThan(300);
  });
});

test('a variable of the project is not deleted while a service is getting its own value of it', async () => {
  const override = () =>
    shared.call(0, 'override_variable', {
      environment_variable_id: ids['variable'],
      override_scope: 'CONTAINER',
      override_parent_id: ids['container of one'],
      value: 'red',
    });
  expect(
    await beside(['environment', ids['one']!], override, () =>
      shared.call(1, 'delete_variable', { environment_variable_id: ids['variable'] }),
    ),
  ).toBe('waits');
});

test('while a variable of the project changes, so does nothing of its environments: not even what a deployment does', async () => {
  const running: Promise<unknown>[] = [];
  const outcome = await whileLocked('project', ids['project']!, async () => {
    running.push(
      shared.call(0, 'create_variable', {
        variable_scope: 'PROJECT',
        variable_parent_id: ids['project'],
        key: 'SIZE',
        value: 'big',
        is_secret: false,
      }),
    );
    await untilWaitingForRow(running[0]!);
    // A step of a deployment holds its environment.
    const step = shared.store.write((trx) => trx.lock(ids['other']!));
    running.push(step);
    return outcomeOf(step);
  });
  await Promise.all(running);
  expect(outcome).toBe('waits');
});

test('a name that a transaction only shares can not be held later in it', async () => {
  const upgrade = shared.store.write(async (trx) => {
    await trx.lockInOrder([{ name: 'shared', isShared: true }]);
    await trx.lock('shared');
  });
  await expect(upgrade).rejects.toThrow('A transaction shares shared and then wants to lock it exclusively');
});
