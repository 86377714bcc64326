/** The platform's database. */

export { databaseFile, openDatabase, type DataStore, type Db } from './database.ts';
export { migrationNames } from './migrations/migrate.ts';
export { prepareReplacement, prepareRestore, removeStaleReplacements, type Replacement } from './replacement.ts';
export type { AlertRuleTable, AnnotationsGroupTable, AuditEventTable, HelmRepositoryTable, InvitationTable, LabelsGroupTable, MemberTable, RegistryTable, RoleTable, WebhookTable } from './schema/organization-tables.ts';
export type { ClusterLockTable, ClusterTable, CustomDomainTable, DatabaseSchema, EnvironmentTable, ProjectTable, ServiceTable, VariableTable } from './schema/schema.ts';
export { readSetting, writeSetting } from './settings.ts';
export { findSnapshot, listSnapshots, removeSnapshot, SnapshotName, takeSnapshot } from './snapshots.ts';
export { keyFile, openExistingVault, openVault, requireMatchingKey, type Vault } from './vault.ts';
