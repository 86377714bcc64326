/** Cleans text, masks secrets, and fences text from the platform. */

export { mask, minimumMaskedLength } from '../../contract/index.ts';
export { containsMark } from './marks.ts';
export { agreedText, writeOutOddLetters } from './odd-letters.ts';
export { protectLog } from './protect-log.ts';
export { hasUserinfo, isSecretName } from './recognition/index.ts';
export { createRedaction, hidesAny, type Redaction, type Redactor } from './redaction.ts';
export { clean, fence, fenceInline, fenceMarks } from './untrusted-text.ts';
