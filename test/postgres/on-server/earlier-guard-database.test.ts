import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace } from '../../server/guard/storage/postgres-stores.ts';
import { earlierStore, expectEarlierState } from '../../server/guard/storage/earlier-state.ts';
import { storeAtAddress } from '../../server/guard/storage/test-stores.ts';
import { inDatabase } from '../../support/postgres/in-database.ts';

type Place = Awaited<ReturnType<typeof createPlace>>;

let places: Place[];
beforeEach(async () => {
  places = await Promise.all(
    ['earlier', 'new'].map((name) =>
      createPlace(process.env['TEST_POSTGRES']!, `guard_${name}_${randomBytes(8).toString('hex')}`),
    ),
  );
});
afterEach(() => Promise.all(places.map((place) => place[Symbol.asyncDispose]())));

/**
 * Tables with their columns, keys, conditions and look-ups. Texts are compared by their characters in newer ones, and
 * numbers may be given to rows.
 */
const shape = `
  select format('%s.%s %s%s', table_name, column_name, data_type, case is_nullable when 'NO' then ' not null' else '' end) as part from information_schema.columns where table_name like 'guard\\_%'
  union select replace(indexdef, ' COLLATE "C"', '') from pg_indexes where tablename like 'guard\\_%'
  union select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where conrelid::regclass::text like 'guard\\_%' order by 1`;

test('the database of an earlier server keeps everything that waits and counts, and has the same tables as a new one', async () => {
  const [earlier, fresh] = places as [Place, Place];
  await inDatabase(earlier.address, await earlierStore('database'));
  const stores = [storeAtAddress(earlier.address, true), storeAtAddress(fresh.address, true)];
  await stores[1]!.time(0);
  await expectEarlierState(stores[0]!);
  await Promise.all(stores.map((store) => store.close()));
  const [shapeOfEarlier, shapeOfNew] = await Promise.all(
    [earlier, fresh].map(({ address }) => inDatabase<{ part: string }>(address, shape)),
  );
  expect(shapeOfNew!.length).toBeGreaterThan(50);
  expect(shapeOfEarlier).toEqual(shapeOfNew);
});
