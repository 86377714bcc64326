/** The public API for tool files: the only part of the server that `tools/` may import. */

export {
  isPlatformFailure,
  lockEnd,
  lockText,
  otherLogText,
  otherStatusText,
  readClusterLocks,
  readShownLog,
  type ShownLog,
  readServiceLogs,
  readServiceStatus,
  readBothVariableLists,
  readVariableList,
  rowsIn,
  statusRowsIn,
  wholeListIn,
} from '../context/index.ts';
export { editDistance, nearestName } from '../../contract/index.ts';
export { at, isRecord, omit, pick, pickPaths, pruneRecord, recordsIn, rootOf, type JsonRecord } from '../json/index.ts';
export { containsMark, hasUserinfo, isSecretName } from '../redaction/index.ts';
export { shownName, withOwnNames, withShownNames } from './argument-names.ts';
export { issuesOf, issuesOfPlanned, sizeIssues, type Issue } from './arguments.ts';
export { composeTool, defineTool } from './define-tool.ts';
export { asListed } from './documented-only.ts';
export { figuresMember, withFigures, withoutFigures } from './figures.ts';
export {
  lookupFor,
  type Lookup,
  type NameResolver,
  type ResolvedResource,
  type ResourceKind,
} from './name-resolver.ts';
export { lenientArguments, lenientMembers, withNumbersAsWritten } from './lenient-arguments.ts';
export { partSentBack } from './list-items.ts';
export { nextText, proposable, withProposable, type NextCall } from './next-calls.ts';
export { partialShape, partialUpdate, type PartialUpdate } from './partial-update.ts';
export { alreadyLocked, clusterLock, clusterUpgrade, notLocked } from './preview/cluster-change.ts';
export { lostAndKept, terraformStays } from './preview/after-a-stop.ts';
export { chosenServices, idsInLists, itemsInLists } from './preview/chosen-services.ts';
export { deletion } from './preview/deletion.ts';
export { deployment, versionOf } from './preview/deployment.ts';
export {
  environmentDeployment,
  eventsText,
  jobEffect,
  jobEffectSeen,
  scheduleText,
  serviceDeployment,
} from './preview/environment-deployment.ts';
export { terraformChanges, terraformEffect } from './preview/terraform-plan.ts';
export { stateKeptBy } from './preview/terraform-state.ts';
export { alreadyMember } from './preview/member-invitation.ts';
export {
  lineAgreed,
  lineTexts,
  notAgreedTo,
  textsAfter,
  warningsIn,
  notKnown,
  organizationOf,
  show,
  stateBefore,
  textAt,
  textOf,
  type NoOp,
  type NoOpCheck,
  toldOnce,
  type PlanLine,
  type Preview,
} from './preview/preview.ts';
export { nothingWouldChange, replacement } from './preview/replacement.ts';
export { allDown, nothingUnderWay, outOfDateIn, restarts, takenDown, underWay } from './preview/service-states.ts';
export { changeWarnings, creationWarnings } from './preview/service-warnings.ts';
export { chartOfRelease } from './preview/version-lookups.ts';
export type { PlanWarning } from './preview/warnings.ts';
export { secretsSeen } from './preview/secrets-seen.ts';
export { touchedLines } from './preview/touched-environments.ts';
export { override } from './preview/variable-override.ts';
export { presentReads } from './present-state.ts';
export {
  anyOf,
  lockReads,
  reading,
  readsInsteadOf,
  readUses,
  statusReads,
  wideReadUse,
  type ReadUse,
} from './reads.ts';
export { anyService, howToName, pointsAt, referencesInRows, referencesInside } from './references.ts';
export { compact, logLines, record, table, tableText, wholeTable, type Renderer } from './render.ts';
export {
  answerSchema,
  argumentSchema,
  inputSchema,
  outputSchema,
  toolAnswerSchema,
  toolArgumentSchema,
} from './schema.ts';
export { columnName, withKinds } from './service-kind.ts';
export type { NotFound, ToolContext } from './tool-context.ts';
export { replaceSecret, storedSecret } from './stored-secret.ts';
export { naming, orElse, visibleText, whoAdministers, withWarning, type TextPart, type ToolText } from './tool-text.ts';
export {
  isDocumented,
  isOfferedByDefault,
  permissionOf,
  planOperation,
  toolsets,
  type ArgumentsOf,
  type CompositionDefinition,
  type PlannedOperation,
  type RuleMatch,
  type Shape,
  type Tool,
  type Toolset,
} from './tool.ts';
