/** Cleaning, secrets by who brought them, and the fence around what the platform says. */

export { mask, minimumMaskedLength } from '../../client/known-values.ts';
export { clean, fence, fenceInline, fenceMarks } from './clean.ts';
export { protectLog } from './log.ts';
export { containsMark } from './marks.ts';
export { hasUserinfo, isSecretName } from './recognition/index.ts';
export { createRedaction, hidesAny, type Sanitizer, type Redaction, type Redactor } from './redaction.ts';
