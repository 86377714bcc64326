/** The life of a call. */

export type { CallEnd, CallObserver } from './call-observer.ts';
export { answerOr } from './last-resort.ts';
export { createRecentChanges } from './recent-changes.ts';
export { runCall, type CallDependencies, type Reply } from './run-call.ts';
export type { AnyStage } from './stage.ts';
export { stages } from './stages/stages.ts';
