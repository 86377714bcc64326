import { jsonMemberFunction, type Schema } from '../../database/index.ts';
import { callWindowStatements } from './postgres/call-windows.ts';
import { digestStatements as digestsInPostgres } from './postgres/deployed-digests.ts';
import { listTotalFunction, listTotalTriggers as inPostgres } from './postgres/list-totals.ts';
import { platformTables } from './schema/schema.ts';
import { takeOverEarlierDirectory } from './sqlite/earlier-directory.ts';
import { digestStatements as digestsInSqlite } from './sqlite/deployed-digests.ts';
import { listTotalTriggers as inSqlite } from './sqlite/list-totals.ts';

/** The earlier index also covered deployments without a token. */
const withoutEarlierTokenIndex = ['drop index if exists deployment_of_last_token'];

/**
 * The platform's tables, step by step, in both databases. PostgreSQL had the first eight steps before data directories
 * had any.
 */
export const platformSchema: Schema<typeof platformTables> = {
  name: 'platform',
  tables: platformTables,
  steps: [
    {
      name: '0001-tables',
      compatibleSince: 1,
      after: { postgres: [listTotalFunction, ...inPostgres(1), ...callWindowStatements], sqlite: inSqlite(1) },
    },
    // An earlier lookup failed on JSON that contains U+0000.
    {
      name: '0002-members-of-any-json',
      compatibleSince: 1,
      before: { postgres: [jsonMemberFunction, 'drop index if exists service_of_helm_repository'] },
    },
    { name: '0003-lookups', compatibleSince: 1 },
    { name: '0004-failures-and-secrets', compatibleSince: 1 },
    { name: '0005-measurements', compatibleSince: 1 },
    { name: '0006-database-backups', compatibleSince: 1 },
    { name: '0007-alert-matches', compatibleSince: 1 },
    { name: '0008-conditions', compatibleSince: 1 },
    { name: '0009-tokens-alone', compatibleSince: 1, before: { postgres: withoutEarlierTokenIndex } },
    { name: '0010-deployed-digests', compatibleSince: 1 },
    { name: '0011-tokens-of-members', compatibleSince: 1 },
    { name: '0012-webhooks-and-receivers', compatibleSince: 1 },
    { name: '0013-silences', compatibleSince: 1 },
    { name: '0014-deployment-rules', compatibleSince: 1 },
    { name: '0015-deployment-windows', compatibleSince: 1 },
    { name: '0016-environment-ends', compatibleSince: 1 },
    {
      name: '0017-digests-of-deployments',
      compatibleSince: 1,
      after: { postgres: digestsInPostgres, sqlite: digestsInSqlite },
    },
    {
      name: '0018-registries-and-git-tokens',
      compatibleSince: 1,
      after: { postgres: inPostgres(18), sqlite: inSqlite(18) },
    },
    { name: '0019-alert-receivers', compatibleSince: 1 },
  ],
  takeOver: { sqlite: takeOverEarlierDirectory },
};
