/** Texts of failures, and answers. */

export { failedCall } from './failed-call.ts';
export { failureText } from './failure-text.ts';
export { fit } from './fit.ts';
export { refuseCursor, refuseCursors } from './list-cursors.ts';
export { answerReply, noOpReply, withAges, type EndedCall, type Reply } from './reply.ts';
export { metaKeys } from '../../views/index.ts';
