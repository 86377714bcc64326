/** Texts of failures, and answers. */

export { failureText } from './failure-text.ts';
export { fit } from './fit.ts';
export { refuseCursor, refuseCursors } from './list-cursors.ts';
export { answerReply, failedCall, noOpReply, withAges, type EndedCall, type Reply } from './reply.ts';
export { metaKeys } from '../../views/index.ts';
