/** Cleaning, secrets by who brought them, and the fence around what the platform says. */

export { mask, shortestSecret } from '../../client/known-values.ts';
export { clean } from './clean.ts';
export { fence, fenceInline, fenceMarks } from './fence.ts';
export { protectLog } from './log.ts';
export { containsMark } from './marks.ts';
export { hasUserinfo, nameTells } from './recognition/index.ts';
export { createRedaction, hidesAny, type Protect, type Redaction, type Redactor } from './redaction.ts';
