/** Cleans text, masks secrets, and delimits text from the platform. */

export { containsMark } from './marks.ts';
export { agreedText, writeOutOddLetters } from './odd-letters.ts';
export { protectLog } from './protect-log.ts';
export { hasUserinfo, isSecretName } from './recognition/index.ts';
export { createRedaction, hidesAny, type Redaction, type Redactor } from './redaction.ts';
export { clean, delimited, delimitedInline, delimiters } from './untrusted-text.ts';
