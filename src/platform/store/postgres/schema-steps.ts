import { each, type Schema } from '../../../database/index.ts';
import { backupStatements } from './backups.ts';
import { callWindowStatements } from './call-windows.ts';
import { engineTableStatements } from './engine-tables.ts';
import { jsonMemberStatements } from './json-members.ts';
import { listTotalStatements } from './list-totals.ts';
import { failureAndSecretStatements, lookupStatements } from './lookups.ts';
import { alertMatchStatements, measurementStatements } from './measurements.ts';
import { platformTableStatements } from './platform-tables.ts';

/** The platform's tables in PostgreSQL, step by step. They have a history of their own, apart from that of SQLite. */
export const platformSchema: Schema = {
  name: 'platform',
  tables: {},
  steps: [
    { name: '0001-tables', compatibleSince: 1, statements: [...platformTableStatements, ...engineTableStatements, ...listTotalStatements, ...callWindowStatements] },
    { name: '0002-members-of-any-json', compatibleSince: 1, statements: jsonMemberStatements },
    { name: '0003-lookups', compatibleSince: 1, statements: lookupStatements },
    { name: '0004-failures-and-secrets', compatibleSince: 1, statements: failureAndSecretStatements },
    { name: '0005-measurements', compatibleSince: 1, statements: measurementStatements },
    { name: '0006-database-backups', compatibleSince: 1, statements: backupStatements },
    { name: '0007-alert-matches', compatibleSince: 1, statements: alertMatchStatements },
    { name: '0008-conditions', compatibleSince: 1, statements: ['alter table log_line add column condition json'] },
  ].map(({ name, compatibleSince, statements }) => ({ name, compatibleSince, also: { postgres: (run) => each(run, statements) } })),
};
