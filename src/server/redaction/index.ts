/** Cleans text, masks secrets, and fences text from the platform. */

export { mask, minimumMaskedLength } from '../../client/secret-masking.ts';
export { clean, fence, fenceInline, fenceMarks } from './untrusted-text.ts';
export { protectLog } from './protect-log.ts';
export { containsMark } from './marks.ts';
export { hasUserinfo, isSecretName } from './recognition/index.ts';
export { createRedaction, hidesAny, type Sanitizer, type Redaction, type Redactor } from './redaction.ts';
