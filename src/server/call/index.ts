/** The life of a call. */

export { answerOr } from './last-resort.ts';
export { runCall, type CallDependencies, type Reply } from './run-call.ts';
export type { AnyStage } from './stage.ts';
export { stages } from './stages/stages.ts';
