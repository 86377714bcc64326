/** Texts of failures, and answers. */

export { failureText } from './failure-text.ts';
export { fit } from './fit.ts';
export { refuseCursor, refuseCursors } from './list-cursors.ts';
export { answerReply, failedCall, metaKeys, noOpReply, type EndedCall, type Reply } from './reply.ts';
