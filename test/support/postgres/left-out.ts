/**
 * Test files of the platform that aren't run on PostgreSQL, and why. Beside them, one test of `control/time.test.ts`
 * resets the records.
 */
export const leftOut: Readonly<Record<string, string>> = {
  'test/platform/store/database.test.ts': 'it is about the database file of a data directory',
  'test/platform/store/plans.test.ts': 'it asks SQLite how it runs statements; on-server/plans.test.ts asks PostgreSQL',
  'test/platform/store/old-directories.test.ts': 'it opens data directories of earlier versions; PostgreSQL had none',
  'test/platform/store/conversion.test.ts': 'it opens data directories of earlier versions; PostgreSQL had none',
  'test/platform/store/killed-conversion.test.ts': 'it opens data directories of earlier versions; PostgreSQL had none',
  'test/platform/store/list-totals.test.ts': 'it opens the database file of a data directory',
  'test/platform/testing/control/records.test.ts':
    'snapshots, restores and resets replace the file of a data directory',
  'test/platform/testing/control/records-stepped.test.ts':
    'snapshots, restores and resets replace the file of a data directory',
  'test/platform/testing/control/restore-killed.test.ts':
    'snapshots, restores and resets replace the file of a data directory',
  'test/platform/testing/scenarios-in-a-directory.test.ts': 'it writes into the database file of a data directory',
};
