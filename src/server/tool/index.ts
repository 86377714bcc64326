/** The public API for tool files: the only part of the server that `tools/` may import. */

export { isPlatformFailure, lockEnd, otherLogText, otherStatusText, readClusterLocks, readServiceLogs, readServiceStatus, rowsIn } from '../context/index.ts';
export { at, isRecord, omit, pick, pickPaths, pruneRecord, type JsonRecord } from '../json/index.ts';
export { containsMark, hasUserinfo, isSecretName } from '../redaction/index.ts';
export { issuesOf, issuesOfPlanned, printPath, sizeIssues, type Issue, type Path } from './arguments.ts';
export { composeTool, defineTool } from './define-tool.ts';
export { lookupFor, type Lookup, type NameResolver, type ResolvedResource, type ResourceKind } from './name-resolver.ts';
export { editDistance, nearestName } from './nearest-name.ts';
export { nextText, proposable, withProposable, type NextCall } from './next-calls.ts';
export { partialUpdate } from './partial-update.ts';
export { alreadyLocked, clusterLock, clusterUpgrade, notLocked } from './preview/cluster-change.ts';
export { deployment } from './preview/deployment.ts';
export { effectLines, environmentDeployment } from './preview/environment-deployment.ts';
export { alreadyMember, role } from './preview/member-invitation.ts';
export { lineAgreed, lineText, notKnown, organizationOf, show, textOf, type NoOp, type PlanLine, type Preview } from './preview/preview.ts';
export { replacement } from './preview/replacement.ts';
export { allDown, nothingUnderWay, outOfDateIn, restarts, services, underWay } from './preview/service-states.ts';
export { touchedLines } from './preview/touched-environments.ts';
export { override } from './preview/variable-override.ts';
export { presentRead } from './present-state.ts';
export { anyOf, lockReads, reading, readsInsteadOf, readUses, statusReads, type ReadUse } from './reads.ts';
export { anyService, howToName, pointsAt } from './references.ts';
export { compact, logLines, record, table, tableText, wholeTable, type Renderer } from './render.ts';
export { answerSchema, argumentSchema, inputSchema, outputSchema, toolAnswerSchema, toolArgumentSchema } from './schema.ts';
export type { ToolContext } from './tool-context.ts';
export { naming, visibleText, withWarning, type TextPart, type ToolText } from './tool-text.ts';
export { isDocumented, permissionOf, planOperation, toolsets, type ArgumentsOf, type CompositionDefinition, type PlannedOperation, type RuleMatch, type Shape, type Tool, type Toolset } from './tool.ts';
export { parseEnv } from 'node:util';
