/** The environment of a call: its context, its reader, its target. */

export {
  countRequests,
  maximumCallTime,
  type AskingFailure,
  type CallContext,
  type ClientMemory,
  type Clock,
  type Dialogue,
  type LogLevel,
  type ServerLogger,
} from './call-context.ts';
export {
  keyRingOrNewIn,
  type KeyRing,
  ephemeralKeys,
  keysFromExistingFile,
  keysFromFile,
  type KeyProvider,
} from './keys.ts';
export { lockEnd, lockFacts, lockLists, lockReplaceable, lockText, readClusterLocks } from './cluster-locks.ts';
export { createReader, isPlatformFailure, reasonUnreadable, reasonUnusable, wholeRows, type Reader } from './reader.ts';
export {
  asMode,
  environmentIn,
  listOfOrganization,
  organizationIdOf,
  nameOfProject,
  organizationWith,
  pointerIn,
  readById,
  readOperationOf,
  rowsIn,
  servicesIn,
  textIn,
  wholeListIn,
  wholeListOfOrganization,
  readBothVariableLists,
  readVariableList,
} from './reads.ts';
export { clockTolerance, isEqual, isTimely } from './proofs.ts';
export { openSealed, sealBytes } from './sealed-bytes.ts';
export {
  otherLogText,
  readShownLog,
  otherStatusText,
  readServiceLogs,
  readServiceStatus,
  replaceableOf,
  type ServiceReference,
  type ShownLog,
  statusRowsIn,
} from './service-reads.ts';
export { bringsCode, readsOfSecretsSeen, secretsSeenIn, showsProductionSecrets } from './shared-secrets.ts';
export {
  targetAndTouched,
  targetAndTouchedNow,
  unknownEnvironment,
  type Target,
  type TargetLocation,
} from './target.ts';
