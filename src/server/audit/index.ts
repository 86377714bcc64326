/** The record of calls and decisions. */

export { createAnchoring, type ChainAnchors } from './anchors.ts';
export { createAuditLog, type AuditLog } from './audit-log.ts';
export {
  auditDecisions,
  auditRecorder,
  exceptionsOnly,
  logRecorder,
  operatorPrincipal,
  type CallFacts,
  type CallOutcome,
  type CallSubject,
  type ConfirmedBy,
  type Decision,
  type Intent,
  type RecordDecision,
  type Recorder,
} from './call-records.ts';
export type { AuditKeys } from './chain-heads.ts';
export {
  readCalls,
  recordedAsker,
  recordedCallerText,
  recordedPlace,
  recordedTargetText,
  type RecordedCall,
} from './read-calls.ts';
export { commandSink, fileSink } from './sink.ts';
export { blindSpot, verifyLog, verifyLogs, type LogPlace, type LogVerification } from './verify-log.ts';
