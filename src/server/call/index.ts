/** The life of a call, from arguments to reply. */

export { type CallEnd, type CallObserver, createRecentChanges } from './call.ts';
export { runCall, type CallDependencies, type Reply } from './run-call.ts';
export type { AnyStage } from './stage.ts';
export { stages } from './stages/stages.ts';
export { answerOr } from './withheld-answer.ts';
