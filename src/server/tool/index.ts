/** The public API for tool files: the only part of the server that `tools/` may import. */

export { isRecord, omit, pick, pickPaths, pruneRecord, type JsonRecord } from '../json/values.ts';
export { containsMark, hasUserinfo, isSecretName } from '../redaction/index.ts';
export { partialUpdate } from './partial-update.ts';
export { composeTool, defineTool } from './define-tool.ts';
export { naming } from './tool-text.ts';
export { nearestName } from './nearest-name.ts';
export type { NextCall } from './next-calls.ts';
export { clusterLock, clusterUpgrade, alreadyLocked, notLocked } from './preview/cluster-change.ts';
export { deployment } from './preview/deployment.ts';
export { effectLines, environmentDeployment } from './preview/environment-deployment.ts';
export type { Preview } from './preview/preview.ts';
export { alreadyMember, role } from './preview/member-invitation.ts';
export { allDown, nothingUnderWay, services, underWay } from './preview/service-states.ts';
export { override } from './preview/variable-override.ts';
export { anyService } from './references.ts';
export { compact, logLines, record, table, tableText, wholeTable, type Renderer } from './render.ts';
export type { ToolContext } from './tool-context.ts';
export { planOperation, type PlannedOperation, type Tool } from './tool.ts';
export { parseEnv } from 'node:util';
