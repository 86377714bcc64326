/** The platform's database. */

export type { BackupTable } from './schema/engine-tables.ts';
export type {
  AlertReceiverTable,
  AlertRuleTable,
  AnnotationsGroupTable,
  AuditEventTable,
  HelmRepositoryTable,
  InvitationTable,
  LabelsGroupTable,
  MemberTable,
  RegistryTable,
  RoleTable,
  WebhookTable,
} from './schema/organization-tables.ts';
export type {
  ClusterLockTable,
  ClusterTable,
  CustomDomainTable,
  DatabaseSchema,
  DeploymentRuleTable,
  DeploymentWindowTable,
  EnvironmentTable,
  ProjectTable,
  ServiceTable,
  VariableTable,
} from './schema/schema.ts';
export { neverDeployed } from './schema/schema.ts';
export type { OrganizationTable } from './schema/paged-lists.ts';
export { referencesIn, serviceReferences } from './schema/service-references.ts';
export {
  compiled,
  compiledChange,
  inBatches,
  type DataStore,
  type Db,
  type RecordsPlace,
  type KnownRecords,
  type Reads,
  RecordsUnavailable,
} from './store.ts';
export type { CallWindows } from './call-windows.ts';
export { readSetting, writeSetting } from './settings.ts';
export { databaseFile, openDatabase } from './sqlite/database.ts';
export type { ExaminedRecords } from './postgres/examine-records.ts';
export type { RecordsOptions } from './postgres/open-records.ts';
export { exportRecords } from './sqlite/exported-records.ts';
export type { ExportedRecords } from './exported-records.ts';
export { hasUnmovedRecords, markMoved, readMove, unmarkMoved } from './sqlite/moved-records.ts';
export { platformSchema } from './platform-schema.ts';
export { readKnownRecords } from './sqlite/known-records.ts';
export { prepareReplacement, prepareRestore, removeStaleReplacements, type Replacement } from './sqlite/replacement.ts';
export { findSnapshot, listSnapshots, removeSnapshot, SnapshotName, takeSnapshot } from './sqlite/snapshots.ts';
export { keyFile, openExistingVault, openVault, requireMatchingKey, type Vault } from './vault.ts';
